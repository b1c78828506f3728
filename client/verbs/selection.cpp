// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/verbs/selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "client/terminal/text.hpp"
#include "client/terminal/times.hpp"

namespace netperfctl {
namespace {

bool separates(char c) {
  return c == ' ' || c == ',' || c == '\t';
}

// Characters of the term that `text` begins with; within double quotes nothing separates.
std::size_t term_length(std::string_view text) {
  bool inside = false;
  std::size_t length = 0;
  for (; length < text.size(); ++length) {
    if (text[length] == '"') inside = !inside;
    if (!inside && separates(text[length])) break;
  }
  return length;
}

Outcome<std::string> instant(std::string_view term, std::string_view key, std::uint64_t now_us) {
  std::string value{term.substr(key.size() + 1)};
  if (value.starts_with('@')) return std::string{term};
  std::erase(value, '"');
  const auto time = parse_time(value, now_us);
  if (!time) {
    return fail(Exit::usage,
                fmt::format("{}: \"{}\" is no point in time (2026-11-21, 2026-11-21T10:00, today, yesterday, "
                            "now, or a time ago like 90s, 30min, 2h, 3d, 1w)",
                            key, value));
  }
  constexpr std::uint64_t kSecond = 1'000'000;
  return fmt::format("{}:@{}.{:06}", key, *time / kSecond, *time % kSecond);
}

// Told from now: what it means depends on when that is.
bool is_relative_time(std::string_view text) {
  std::string value{text};
  std::erase(value, '"');
  constexpr std::uint64_t kDay = 86'400'000'000;
  return parse_time(value, 10'000 * kDay) != parse_time(value, 20'000 * kDay);
}

}  // namespace

Outcome<std::string> with_instants(std::string_view selection, std::uint64_t now_us) {
  std::string text;
  while (!selection.empty()) {
    const std::size_t length = std::max<std::size_t>(term_length(selection), 1);
    const std::string_view term = selection.substr(0, length);
    selection.remove_prefix(length);
    const std::string_view key = term.substr(0, term.find(':'));
    if (key.size() == term.size() || (key != "since" && key != "until")) {
      text += term;
      continue;
    }
    const auto moment = instant(term, key, now_us);
    if (!moment) return moment;
    text += *moment;
  }
  return text;
}

bool is_of_the_moment(std::string_view selection) {
  while (!selection.empty()) {
    const std::size_t length = std::max<std::size_t>(term_length(selection), 1);
    const std::string_view term = selection.substr(0, length);
    selection.remove_prefix(length);
    const std::string_view key = term.substr(0, term.find(':'));
    if (key == "last") return true;
    const bool timed = (key == "since" || key == "until") && key.size() < term.size();
    if (timed && is_relative_time(term.substr(key.size() + 1))) return true;
  }
  return false;
}

Outcome<std::string> selection_of_words(const std::vector<std::string>& words, std::uint64_t now_us) {
  const std::string text = fmt::format("{}", fmt::join(words, " "));
  if (!is_utf8(text)) return fail(Exit::usage, "the arguments are not UTF-8 text");
  return with_instants(text, now_us);
}

std::string selection_of(std::vector<std::uint64_t> runs) {
  std::ranges::sort(runs);
  std::string text;
  for (std::size_t first = 0, next = 0; first < runs.size(); first = next) {
    while (next < runs.size() && runs[next] - runs[first] == next - first) ++next;
    const std::uint64_t last = runs[next - 1];
    text += text.empty() ? "" : ",";
    text += last == runs[first] ? fmt::format("{}", last) : fmt::format("{}-{}", runs[first], last);
  }
  return text;
}

}  // namespace netperfctl
