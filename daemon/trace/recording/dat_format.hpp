// SPDX-License-Identifier: GPL-2.0-or-later
// Constants shared by reader and writer of a trace.dat: the words and numbers of trace-cmd.dat.v6(5) and
// trace-cmd.dat.v7(5).
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace netperfd::trace {

inline constexpr std::string_view kDatMagic = "\x17\x08\x44tracing";
inline constexpr std::string_view kDatOptions{"options  \0", 10};
inline constexpr std::string_view kDatLatency{"latency  \0", 10};
inline constexpr std::string_view kDatFlyrecord{"flyrecord\0", 10};

// This machine's byte order, in a file's encoding.
inline constexpr std::uint8_t kDatByteOrder = std::endian::native == std::endian::little ? 0 : 1;

// The options that are read or written here; others are skipped.
enum class DatOption : std::uint16_t {
  done = 0,
  cpu_statistics = 2,
  buffer = 3,
  trace_clock = 4,
  uname = 5,
  header_info = 16,
  ftrace_formats = 17,
  event_formats = 18,
  kallsyms = 19,
  task_names = 21,
  text_buffer = 22,
};

// Sections of version 7 have the numbers of the options that point to them.
inline constexpr std::uint16_t kDatOptionsSection = 0;

}  // namespace netperfd::trace
