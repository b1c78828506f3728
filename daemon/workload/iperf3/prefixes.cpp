// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/prefixes.hpp"

#include <algorithm>

namespace netperfd::workload {
namespace {

constexpr std::string_view kBlanks = " \t";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_blank(char c) {
  return kBlanks.find(c) != std::string_view::npos;
}

template <class Is>
void skip(std::string_view text, std::size_t& at, Is is) {
  while (at < text.size() && is(text[at])) ++at;
}

// The length of the prefix that a line has; npos if it has none.
std::size_t prefix_length(std::string_view line, std::string_view prefix) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < prefix.size();) {
    if (is_blank(prefix[i])) {
      skip(prefix, i, is_blank);
      skip(line, at, is_blank);
    } else if (is_digit(prefix[i])) {
      if (at == line.size() || !is_digit(line[at])) return std::string_view::npos;
      skip(prefix, i, is_digit);
      skip(line, at, is_digit);
    } else {
      if (at == line.size() || line[at] != prefix[i]) return std::string_view::npos;
      ++i;
      ++at;
    }
  }
  return at;
}

// Without the end of the line.
std::string_view line_at(std::string_view bytes, std::size_t begin) {
  const auto end = bytes.find('\n', begin);
  std::string_view line = bytes.substr(begin, end == std::string_view::npos ? end : end - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::size_t next_line(std::string_view bytes, std::size_t begin) {
  const auto end = bytes.find('\n', begin);
  return end == std::string_view::npos ? bytes.size() : end + 1;
}

// What stands before the brace that ends the line; empty if there is none or only blanks.
std::string_view prefix_of(std::string_view line) {
  const auto last = line.find_last_not_of(kBlanks);
  if (last == std::string_view::npos || line[last] != '{') return {};
  constexpr std::size_t kLongest = 200;
  const std::string_view prefix = line.substr(0, last);
  if (prefix.size() > kLongest || prefix.find_first_not_of(kBlanks) == std::string_view::npos) return {};
  return prefix;
}

// Whether what follows the prefix begins with a key.
bool goes_on(std::string_view line, std::string_view prefix) {
  const std::size_t length = prefix_length(line, prefix);
  if (length == std::string_view::npos) return false;
  const auto first = line.find_first_not_of(kBlanks, length);
  return first != std::string_view::npos && line[first] == '"';
}

}  // namespace

std::optional<Stripped> without_prefixes(std::string_view bytes, std::size_t from) {
  std::size_t begin = from;
  std::string_view prefix;
  for (; begin < bytes.size(); begin = next_line(bytes, begin)) {
    prefix = prefix_of(line_at(bytes, begin));
    if (!prefix.empty() && goes_on(line_at(bytes, next_line(bytes, begin)), prefix)) break;
  }
  if (begin >= bytes.size()) return std::nullopt;
  Stripped stripped;
  stripped.next = next_line(bytes, begin);
  stripped.text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t next = next_line(bytes, at);
    const std::size_t length = prefix_length(line_at(bytes, at), prefix);
    if (length != std::string_view::npos) {
      ++stripped.lines;
      stripped.prefix_bytes += length;
      at += length;
    }
    stripped.text += bytes.substr(at, next - at);
    at = next;
  }
  return stripped;
}

}  // namespace netperfd::workload
