// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/terminal/screen.hpp"

#include <fmt/format.h>

#include <array>

namespace netperfctl {

Style style_of_state(std::string_view state) {
  if (state == "finished") return Style::good;
  if (state == "failed" || state == "interrupted") return Style::bad;
  if (state == "canceled") return Style::faint;
  return Style::active;
}

std::string paint(const Screen& screen, Style style, std::string_view text) {
  if (!screen.colour || style == Style::plain || text.empty()) return std::string{text};
  constexpr std::array<int, 6> kCodes{0, 32, 31, 36, 1, 2};
  return fmt::format("\x1b[{}m{}\x1b[0m", kCodes.at(static_cast<std::size_t>(style)), text);
}

}  // namespace netperfctl
