// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "dbus/rows/hidden_characters.hpp"

namespace netperfd {
namespace {

// Removes the first code point from `rest` and returns it; absent if it is not well-formed.
std::optional<std::uint32_t> take_code_point(std::string_view& rest) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) {
    rest.remove_prefix(1);
    return first;
  }
  const auto size = static_cast<std::size_t>(std::countl_one(first));
  if (size < 2 || size > 4 || rest.size() < size) return std::nullopt;
  std::uint32_t code_point = first & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return std::nullopt;
    code_point = (code_point << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};  // by length; a smaller one is overlong
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point < kSmallest[size] || code_point > 0x10FFFF || surrogate) return std::nullopt;
  rest.remove_prefix(size);
  return code_point;
}

bool is_control(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F);
}

// General category Zs of Unicode but for U+0020, and the Braille pattern without a dot.
bool is_odd_blank(std::uint32_t c) {
  return c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F ||
         c == 0x2800 || c == 0x3000;
}

// They join and separate letters, or choose a form of what is before them, and have no form of their own.
bool is_joiner(std::uint32_t c) {
  return c == 0x200C || c == 0x200D || (c >= 0xFE00 && c <= 0xFE0F);
}

// Latin, Greek, Cyrillic and Armenian letters look the same beside a joiner as without it.
bool is_changed_by_joiners(std::uint32_t c) {
  constexpr std::uint32_t kHebrew = 0x0590;
  return c >= kHebrew;
}

template <class Accept>
bool all_code_points(std::string_view text, Accept accept) {
  while (!text.empty()) {
    const auto code_point = take_code_point(text);
    if (!code_point || !accept(*code_point)) return false;
  }
  return true;
}

bool is_alnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

}  // namespace

bool is_utf8(std::string_view text) {
  return all_code_points(text, [](std::uint32_t c) { return c != 0; });
}

bool is_printable(std::string_view text) {
  return all_code_points(text,
                         [](std::uint32_t c) { return !is_control(c) && !rows::is_hidden_character(c); });
}

std::string not_printable(std::string_view text) {
  for (std::size_t position = 1; !text.empty(); ++position) {
    const auto code_point = take_code_point(text);
    if (!code_point) return fmt::format("character {} is not UTF-8", position);
    if (is_control(*code_point)) {
      return fmt::format("character {} is U+{:04X}, a control character{}", position, *code_point,
                         *code_point == '\n' ? ": the text must be one line" : "");
    }
    if (rows::is_hidden_character(*code_point)) {
      return fmt::format(
          "character {} is U+{:04X}, which cannot be seen and can make the text look like another one",
          position, *code_point);
    }
  }
  return {};
}

std::string not_distinct(std::string_view text) {
  if (std::string why = not_printable(text); !why.empty()) return why;
  std::uint32_t before = ' ';  // a blank at the beginning is one too many
  for (std::size_t position = 1; !text.empty(); ++position) {
    const std::uint32_t c = *take_code_point(text);
    if (is_odd_blank(c))
      return fmt::format("character {} is U+{:04X}, a blank that is no space", position, c);
    if (c == ' ' && (before == ' ' || text.empty())) {
      return fmt::format("character {} is a space that cannot be seen: only single ones within are",
                         position);
    }
    if (is_joiner(c) && (!is_changed_by_joiners(before) || c == before)) {
      return fmt::format("character {} is U+{:04X}, which changes nothing that can be seen here", position,
                         c);
    }
    before = c;
  }
  return {};
}

bool is_word(std::string_view text, std::string_view signs, std::size_t limit) {
  return !text.empty() && text.size() <= limit && is_alnum(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return is_alnum(c) || signs.contains(c); });
}

}  // namespace netperfd
