#include "client/selection.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "client/times.hpp"

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

}  // namespace netperfctl
