// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the text of function_graph and of the function tracer, without using the decoder under test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace netperfd::trace::test {

struct ReadLine {
  enum class Kind { entry, exit, leaf, hit, comment };
  Kind kind = Kind::comment;
  std::uint32_t cpu = 0;
  std::int32_t pid = 0;
  std::string time;      // "9.703480", in seconds
  std::string duration;  // "115.512", in microseconds; empty if there is none
  std::size_t depth = 0;
  std::string name;  // "hsr_dev_xmit [hsr]"; for a comment its text
};

// The lines of records, in order. Throws if a line cannot be parsed.
[[nodiscard]] std::vector<ReadLine> read_graph_text(const std::string& text);

// Any duration between `least` and `most` nanoseconds is printed this way; they differ if a long duration has
// fewer digits.
struct ReadDuration {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};
[[nodiscard]] ReadDuration read_duration(std::string_view printed);

struct ReadSums {
  std::uint64_t hits = 0;
  ReadDuration recorded;
};
struct ReadCalls {
  std::map<std::string, ReadSums> functions;  // by name, only for whole calls
  std::uint64_t exits_alone = 0;
  std::uint64_t entries_alone = 0;
};
// Pairs entries and exits with a stack for each task; the idle task has one for each CPU.
[[nodiscard]] ReadCalls read_calls(const std::vector<ReadLine>& lines);

}  // namespace netperfd::trace::test
