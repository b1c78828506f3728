// SPDX-License-Identifier: GPL-2.0-or-later
// What the targets share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "daemon/model/text.hpp"

namespace netperfd::fuzz {

// What has to hold for every input. libFuzzer keeps an input that ends the program.
inline void require(bool holds) {
  if (!holds) std::abort();
}

// An error's text may have several lines, each of which a terminal can show.
inline void require_printable_lines(std::string_view text) {
  require(!text.empty());
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    require(is_printable(text.substr(0, end)));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

// The input as text, in memory that ends with it.
inline std::string text_of(const std::uint8_t* input, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(input, size));
  std::string text;
  text.reserve(size);
  for (const std::byte each : bytes) text.push_back(static_cast<char>(each));
  return text;
}

// Reads the byte behind the text's last one, which the sanitizer detects: the bug that is planted.
inline void read_too_far(std::string_view text) {
  const auto* const copy = new char[text.size()];
  static volatile int sum = 0;
  sum = sum + copy[text.size()];
  delete[] copy;
}

}  // namespace netperfd::fuzz
