// SPDX-License-Identifier: GPL-2.0-or-later
// The files of trace-cmd, versions 6 and 7: their contents, and the positions of the sub-buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/trace_record.hpp"
#include "daemon/trace/recording/dat_compression.hpp"
#include "daemon/trace/ring/known_event.hpp"
#include "daemon/trace/ring/subbuffer.hpp"

namespace netperfd::trace {

// The sub-buffers of one CPU: plain ones in a row, or compressed chunks.
struct DatCpu {
  std::uint32_t cpu = 0;
  std::uint64_t offset = 0;  // in the file; within its bounds
  std::uint64_t size = 0;    // of compressed data it may lack the 4 bytes of the number of chunks
};

struct TraceDat {
  int version = 0;
  SubbufferLayout layout;
  std::vector<KnownEvent> events;      // names and ids are unique
  std::uint64_t formats_left_out = 0;  // invalid ones; their records count as unknown
  std::string kallsyms;
  std::string task_names;            // saved_cmdlines
  std::string clock;                 // "local"
  std::string kernel;                // uname -a
  std::vector<TraceCpu> statistics;  // only the kernel's own figures; may be empty
  DatCompression compression = DatCompression::none;
  bool compressed = false;  // whether the sub-buffers are compressed
  std::vector<DatCpu> cpus;
  std::vector<std::string> instances;  // ignored buffers: only the top one is read
};

// `file` is the whole file, mapped or in memory; the result still needs its sub-buffers later.
// invalid_argument says at which byte the format is violated. Every value is checked before it is used, and
// no more than 256 MiB is allocated for any part.
[[nodiscard]] Result<TraceDat> read_trace_dat(std::span<const std::byte> file);

}  // namespace netperfd::trace
