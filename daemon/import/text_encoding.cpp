// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/text_encoding.hpp"

#include <algorithm>
#include <cstddef>

namespace netperfd::import {
namespace {

constexpr std::string_view kUtf8Mark{"\xef\xbb\xbf"};
constexpr std::string_view kLittleMark{"\xff\xfe"};
constexpr std::string_view kBigMark{"\xfe\xff"};

enum class ByteOrder { little, big };

// Whether every other byte of the beginning is 0, and the rest is not, as in ASCII text.
bool alternates(std::string_view bytes, ByteOrder order) {
  constexpr std::size_t kJudgedBy = 64;
  const std::string_view start = bytes.substr(0, std::min(bytes.size(), kJudgedBy));
  if (start.size() < 4) return false;
  for (std::size_t i = 0; i + 1 < start.size(); i += 2) {
    const char upper = order == ByteOrder::little ? start[i + 1] : start[i];
    const char lower = order == ByteOrder::little ? start[i] : start[i + 1];
    if (upper != 0 || lower == 0) return false;
  }
  return true;
}

void append(std::string& text, char32_t character) {
  const auto add = [&](char32_t bits) { text += static_cast<char>(bits); };
  const auto rest = [&](unsigned shift) { add(0x80U | ((character >> shift) & 0x3fU)); };
  if (character < 0x80) return add(character);
  if (character < 0x800) {
    add(0xc0U | (character >> 6U));
  } else if (character < 0x10000) {
    add(0xe0U | (character >> 12U));
    rest(6);
  } else {
    add(0xf0U | (character >> 18U));
    rest(12);
    rest(6);
  }
  rest(0);
}

std::string from_utf16(std::string_view bytes, ByteOrder order) {
  constexpr char32_t kReplacement = 0xfffd;
  const auto unit = [&](std::size_t at) -> char32_t {
    const auto first = static_cast<unsigned char>(bytes[at]),
               second = static_cast<unsigned char>(bytes[at + 1]);
    return order == ByteOrder::little ? first | (static_cast<char32_t>(second) << 8U)
                                      : second | (static_cast<char32_t>(first) << 8U);
  };
  const auto is_half = [](char32_t value, char32_t first) { return value >= first && value < first + 0x400; };
  std::string text;
  text.reserve(bytes.size() / 2);
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    char32_t character = unit(i);
    const bool pair = is_half(character, 0xd800) && i + 3 < bytes.size() && is_half(unit(i + 2), 0xdc00);
    if (pair) {
      character = 0x10000 + ((character - 0xd800) << 10U) + (unit(i + 2) - 0xdc00);
      i += 2;
    } else if (is_half(character, 0xd800) || is_half(character, 0xdc00)) {
      character = kReplacement;
    }
    append(text, character);
  }
  return text;
}

}  // namespace

std::optional<std::string> to_utf8(std::string_view bytes) {
  if (bytes.starts_with(kUtf8Mark)) return std::string(bytes.substr(kUtf8Mark.size()));
  if (bytes.starts_with(kLittleMark)) return from_utf16(bytes.substr(kLittleMark.size()), ByteOrder::little);
  if (bytes.starts_with(kBigMark)) return from_utf16(bytes.substr(kBigMark.size()), ByteOrder::big);
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    if (alternates(bytes, order)) return from_utf16(bytes, order);
  }
  return std::nullopt;
}

}  // namespace netperfd::import
