// The files of trace-cmd, versions 6 and 7: what was recorded, and where in the file it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/trace_record.hpp"
#include "daemon/trace/dat_compression.hpp"
#include "daemon/trace/known_event.hpp"
#include "daemon/trace/subbuffer.hpp"

namespace netperfd::trace {

// The sub-buffers of one CPU: plain ones one after the other, or chunks of compressed ones.
struct DatCpu {
  std::uint32_t cpu = 0;
  std::uint64_t offset = 0;  // in the file, and within it
  std::uint64_t size = 0;
};

struct TraceDat {
  int version = 0;
  SubbufferLayout layout;
  std::vector<KnownEvent> events;      // names and ids differ from one another
  std::uint64_t formats_left_out = 0;  // that are none; records of them count as unknown
  std::string kallsyms;
  std::string task_names;            // saved_cmdlines
  std::string clock;                 // "local"
  std::string kernel;                // uname -a
  std::vector<TraceCpu> statistics;  // of the kernel's own figures alone; may be empty
  DatCompression compression = DatCompression::none;
  bool compressed = false;  // the sub-buffers are
  std::vector<DatCpu> cpus;
  std::vector<std::string> instances;  // names of the buffers that are left out: only the top one is read
};

// `file` is the whole of it, mapped or in memory; what the result needs of it later are the sub-buffers.
// invalid_argument says at which byte something else should stand; nothing that is read there is believed
// before it is checked, and no more than 256 MiB is put aside for any part.
[[nodiscard]] Result<TraceDat> read_trace_dat(std::span<const std::byte> file);

}  // namespace netperfd::trace
