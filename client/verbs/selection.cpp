// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/verbs/selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "client/base/users.hpp"
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

// A term, or what separates two.
std::string_view take_term(std::string_view& text) {
  const std::string_view term = text.substr(0, std::max<std::size_t>(term_length(text), 1));
  text.remove_prefix(term.size());
  return term;
}

// Empty: it has none.
std::string_view key_of(std::string_view term) {
  const auto colon = term.find(':');
  return colon == std::string_view::npos ? std::string_view{} : term.substr(0, colon);
}

Outcome<std::string> owner(std::string_view term) {
  std::string user{term.substr(term.find(':') + 1)};
  std::erase(user, '"');
  const auto word = owner_for_the_daemon("owner", user);
  return word ? Outcome<std::string>{"owner:" + *word} : word;
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

Outcome<std::string> for_the_daemon(std::string_view selection, std::uint64_t now_us) {
  std::string text;
  while (!selection.empty()) {
    const std::string_view term = take_term(selection);
    const std::string_view key = key_of(term);
    if (key.empty() || (key != "since" && key != "until" && key != "owner")) {
      text += term;
      continue;
    }
    const auto said = key == "owner" ? owner(term) : instant(term, key, now_us);
    if (!said) return said;
    text += *said;
  }
  return text;
}

std::string with_owner(std::string_view selection, const std::string& owner) {
  std::string text;
  bool says_whose = false;
  for (std::string_view rest = selection; !rest.empty();) {
    const std::string_view typed = take_term(rest);
    std::string term{typed};
    std::erase(term, '"');
    const std::string_view key = key_of(term);
    const bool is_number = term.find_first_not_of("0123456789-") == std::string::npos;
    says_whose = says_whose || key == "owner" || key == "job" || is_number;
    if (term == "owner:me") {
      text += "owner:" + owner;
    } else {
      text += typed;
    }
  }
  return says_whose ? text : fmt::format("owner:{} {}", owner, text);
}

bool is_of_the_moment(std::string_view selection) {
  while (!selection.empty()) {
    const std::string_view term = take_term(selection);
    const std::string_view key = key_of(term);
    if (term == "last" || key == "last") return true;
    const bool timed = key == "since" || key == "until";
    if (timed && is_relative_time(term.substr(key.size() + 1))) return true;
  }
  return false;
}

Outcome<std::string> selection_of_words(const std::vector<std::string>& words, std::uint64_t now_us) {
  const std::string text = fmt::format("{}", fmt::join(words, " "));
  if (!is_utf8(text)) return fail(Exit::usage, "the arguments are not UTF-8 text");
  return for_the_daemon(text, now_us);
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
