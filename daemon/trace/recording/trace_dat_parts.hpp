// SPDX-License-Identifier: GPL-2.0-or-later
// Readers for the parts that both versions of a trace.dat have, each at the cursor's position. Errors are
// left in the cursor.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/trace/recording/dat_cursor.hpp"
#include "daemon/trace/recording/trace_dat.hpp"

namespace netperfd::trace {

// More than any kernel supports: its buffers are per CPU, and so are arrays here.
inline constexpr std::uint32_t kMostDatCpus = 16'384;

// Names and ids that are already in use.
struct FormatsSeen {
  std::set<std::string> names;
  std::set<std::uint32_t> ids;
};

void read_header_info(DatCursor& cursor, TraceDat& dat);
void read_ftrace_formats(DatCursor& cursor, TraceDat& dat, FormatsSeen& seen);
void read_event_formats(DatCursor& cursor, TraceDat& dat, FormatsSeen& seen);
void read_kallsyms(DatCursor& cursor, TraceDat& dat);
void read_task_names(DatCursor& cursor, TraceDat& dat);

// Options that contain text. `buffer_named`: statistics after a line with a buffer's name do not belong to
// the top buffer.
struct OptionsSeen {
  bool buffer_named = false;
};
void read_text_option(std::uint16_t id, std::string_view text, TraceDat& dat, OptionsSeen& seen);

// Sets the layout's length from the size of a sub-buffer.
[[nodiscard]] Status set_subbuffer_size(TraceDat& dat, std::uint64_t size);
// Adds a CPU, whose data must lie within the file.
[[nodiscard]] Status add_dat_cpu(TraceDat& dat, DatCpu cpu, std::size_t file_size);

// The body of a file, after its page size.
[[nodiscard]] Status read_version_6(std::span<const std::byte> file, DatCursor& cursor, std::uint32_t page,
                                    TraceDat& dat);
[[nodiscard]] Status read_version_7(std::span<const std::byte> file, DatCursor& cursor, TraceDat& dat);

}  // namespace netperfd::trace
