// SPDX-License-Identifier: GPL-2.0-or-later
// The parts of a line of function_graph text, for graph_text_line.cpp, graph_text_report.cpp and
// graph_text_body.cpp.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

#include "daemon/trace/recording/graph_text_line.hpp"

namespace netperfd::trace {

inline constexpr std::string_view kTextBlank = " \t";

[[nodiscard]] inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

inline void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kTextBlank), text.size()));
}

[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  skip_blanks(text);
  return text.substr(0, text.find_last_not_of(kTextBlank) + 1);
}

// Removes the word from the front.
inline bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

template <class Number>
std::optional<Number> take_number(std::string_view& text) {
  Number number{};
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// A decimal number in units of 10^-places: "1.25" with three places is 1250. Further digits are truncated.
// A number that is too large is the largest possible one.
[[nodiscard]] std::optional<std::uint64_t> take_decimal(std::string_view& text, int places);

// A stamp that is too large for any clock is none.
[[nodiscard]] inline std::optional<std::uint64_t> possible_time(std::optional<std::uint64_t> time_ns) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
  return time_ns && *time_ns < kLargest ? time_ns : std::nullopt;
}

// "iperf3-312", or with the group "iperf3-312   (  310)"; the name may contain anything.
[[nodiscard]] std::optional<std::int32_t> pid_of(std::string_view task);

// The column of latency-format and trace-cmd's flags: "d.h1.". `column` is the number of the character that
// tells what the CPU does, if a legend says it.
[[nodiscard]] std::optional<analysis::ContextRank> context_of(std::string_view flags,
                                                              std::optional<std::size_t> column);

// "+ 31.717 us", or blanks in place of a duration; false for anything else.
[[nodiscard]] bool read_duration(std::string_view column, std::optional<std::uint64_t>& duration_ns);

// Without the blanks between the column and a body of depth 0.
[[nodiscard]] std::string_view without_gap(std::string_view text, std::size_t blanks);

// What follows the columns: a call, its end, or an event in a comment.
[[nodiscard]] bool read_body(std::string_view body, TextLine& line);

// "sched_switch: prev_comm=... prev_pid=..."; a text without a name before its colon is a mark.
void read_event(std::string_view text, TextLine& line);

// Takes the columns of such a line up to its stamp: "iperf3-312   [000] d..1.    50.868279:".
[[nodiscard]] bool read_report_head(std::string_view& rest, const TextLegend& legend, TextLine& line);

// A line of trace-cmd report, or of an event in the kernel's default columns.
[[nodiscard]] bool read_report_line(std::string_view text, const TextLegend& legend, TextLine& line);

}  // namespace netperfd::trace
