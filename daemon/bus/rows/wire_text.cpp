// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/rows/wire_text.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace netperfd::bus {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Length of the first character of `text`; 0 if sd-bus would reject it.
std::size_t accepted_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return byte(0) == 0 ? 0 : 1;
  const auto length = static_cast<std::size_t>(std::countl_one(byte(0)));
  if (length < 2 || length > 4 || text.size() < length) return 0;
  std::uint32_t character = byte(0) & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
    character = character << 6U | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t kFirstOfLength[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = character >= 0xD800 && character <= 0xDFFF;
  const bool is_noncharacter =
      (character >= 0xFDD0 && character <= 0xFDEF) || (character & 0xFFFEU) == 0xFFFEU;
  if (character < kFirstOfLength[length] || character > 0x10FFFF || is_surrogate || is_noncharacter) return 0;
  return length;
}

}  // namespace

std::string wire_text(std::string_view text, std::size_t limit_bytes) {
  constexpr std::size_t kEllipsisBytes = std::string_view{kEllipsis}.size();
  std::string clean;
  clean.reserve(std::min(text.size(), limit_bytes));
  std::size_t end_of_cut = 0;  // where the ellipsis would still fit
  while (!text.empty()) {
    const std::size_t length = accepted_length(text);
    const std::string_view next = length == 0 ? kReplacement : text.substr(0, length);
    if (clean.size() + next.size() > limit_bytes) {
      clean.resize(end_of_cut);
      return clean.append(kEllipsis);
    }
    clean.append(next);
    if (clean.size() + kEllipsisBytes <= limit_bytes) end_of_cut = clean.size();
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return clean;
}

WireTexts wire_texts(const std::vector<std::string>& texts, std::size_t limit_bytes) {
  WireTexts made{.texts = {}, .bytes = 4, .cut = false};  // a list begins with its length
  for (const std::string& text : texts) {
    std::string clean = wire_text(text, kShortTextBytes);
    const std::size_t bytes = round_up(made.bytes, 4) + text_bytes(clean.size());
    made.cut = bytes > limit_bytes;
    if (made.cut) clean = kEllipsis;
    made.bytes = round_up(made.bytes, 4) + text_bytes(clean.size());
    made.texts.push_back(std::move(clean));
    if (made.cut) break;
  }
  return made;
}

}  // namespace netperfd::bus
