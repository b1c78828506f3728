// SPDX-License-Identifier: GPL-2.0-or-later
// Helpers for texts written by the kernel and trace-cmd.
#pragma once

#include <cstddef>
#include <string_view>

namespace netperfd::trace {

// `text` without the white space around it.
[[nodiscard]] inline std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

}  // namespace netperfd::trace
