// SPDX-License-Identifier: GPL-2.0-or-later
// The characters that can make a text look like another one, for the daemon, which refuses them, and for the
// client, which escapes them.
#pragma once

#include <algorithm>
#include <iterator>

namespace netperfd::rows {

// Characters besides the control characters that a reader cannot see but that change what the reader sees:
// they order text against its direction, end a line, hide, or stand for nothing. The joiners U+200C and
// U+200D are not among them: Persian and Indic words and many emoji need them, and they move no other
// character. Nor are the variation selectors U+FE00 to U+FE0F, which only choose a form of a character.
[[nodiscard]] constexpr bool is_hidden_character(char32_t character) {
  struct Range {
    char32_t first, last;
  };
  constexpr Range kRanges[] = {
      {0x00AD, 0x00AD},    // soft hyphen
      {0x034F, 0x034F},    // combining grapheme joiner
      {0x061C, 0x061C},    // Arabic letter mark
      {0x115F, 0x1160},    // Hangul fillers
      {0x17B4, 0x17B5},    // Khmer inherent vowels
      {0x180B, 0x180F},    // Mongolian selectors and vowel separator
      {0x200B, 0x200B},    // zero width space
      {0x200E, 0x200F},    // left-to-right and right-to-left mark
      {0x2028, 0x202E},    // line and paragraph separator; embeddings and overrides of direction
      {0x2060, 0x206F},    // word joiner, invisible operators, isolates of direction, deprecated controls
      {0x3164, 0x3164},    // Hangul filler
      {0xFEFF, 0xFEFF},    // byte order mark
      {0xFFA0, 0xFFA0},    // halfwidth Hangul filler
      {0xFFF9, 0xFFFB},    // interlinear annotation
      {0x13430, 0x1345F},  // Egyptian format controls
      {0x1BCA0, 0x1BCA3},  // shorthand format controls
      {0x1D173, 0x1D17A},  // musical format controls
      {0xE0000, 0xE0FFF},  // tags and more selectors
  };
  return std::any_of(std::begin(kRanges), std::end(kRanges), [character](const Range& range) {
    return character >= range.first && character <= range.last;
  });
}

}  // namespace netperfd::rows
