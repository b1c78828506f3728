// Reads function_graph's text, and the function tracer's, without a line of the decoder that is under test.
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
  std::string duration;  // "115.512", in microseconds; empty where there is none
  std::size_t depth = 0;
  std::string name;  // "hsr_dev_xmit [hsr]"; of a comment its text
};

// The lines of records, in order. Throws where a line is not understood.
[[nodiscard]] std::vector<ReadLine> read_graph_text(const std::string& text);

// Nanoseconds between `least` and `most` are printed so; they differ where a long duration has fewer digits.
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
  std::map<std::string, ReadSums> functions;  // by name, of whole calls
  std::uint64_t exits_alone = 0;
  std::uint64_t entries_alone = 0;
};
// Pairs entries and exits by a stack for each task, and for each CPU of the idle task.
[[nodiscard]] ReadCalls read_calls(const std::vector<ReadLine>& lines);

}  // namespace netperfd::trace::test
