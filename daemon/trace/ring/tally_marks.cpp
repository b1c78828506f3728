// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/tally_marks.hpp"

#include <algorithm>

#include "daemon/model/text.hpp"
#include "daemon/trace/ring/tally.hpp"

namespace netperfd::trace {
namespace {

// Neither is a prefix of the other, so a user's text cannot be mistaken for netperfd's own mark.
constexpr std::string_view kOwn = "netperfd: ";
constexpr std::string_view kUser = "netperfd user: ";
constexpr std::size_t kLongest = 200;  // bytes of the text

std::string cut(std::string text) {
  if (text.size() <= kLongest) return text;
  auto end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // inside a character
  text.resize(end);
  return text;
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string result(text);
  for (auto& c : result) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) c = ' ';
  }
  if (is_printable(result)) return result;
  std::replace_if(result.begin(), result.end(), [](unsigned char c) { return c >= 0x80; }, '?');
  return result;
}

std::string mark_line(const std::string& text, bool user) {
  return std::string(user ? kUser : kOwn) + cut(one_line(text));
}

std::optional<MarkText> read_mark(std::string_view line) {
  while (line.ends_with('\n')) line.remove_suffix(1);  // the kernel ends each write with a newline
  for (const bool user : {false, true}) {
    const auto prefix = user ? kUser : kOwn;
    if (line.starts_with(prefix)) return MarkText{cut(one_line(line.substr(prefix.size()))), user};
  }
  return std::nullopt;
}

}  // namespace netperfd::trace
