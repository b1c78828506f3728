// SPDX-License-Identifier: GPL-2.0-or-later
// The properties of an output: its width, and whether it shows colour and block glyphs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace netperfctl {

struct Screen {
  // Columns that no line may pass; absent in a pipe without COLUMNS, where tables keep whole names.
  std::optional<std::size_t> width;
  bool colour = false;
  bool glyphs = true;                      // UTF-8 is understood: sparklines and the ellipsis
  bool live = false;                       // lines may be drawn over
  std::uint64_t now_us = 0;                // since 1970: what "today" means
  std::optional<std::size_t> height = {};  // lines that are seen at once; absent in a pipe
  std::size_t prose = 80;                  // columns for sentences where there is no width
};

// Colour carries no information that the text lacks.
enum class Style { plain, good, bad, active, strong, faint };

// Columns into which sentences are broken.
[[nodiscard]] inline std::size_t prose_width(const Screen& screen) {
  return screen.width.value_or(screen.prose);
}

[[nodiscard]] Style style_of_state(std::string_view state);
[[nodiscard]] std::string paint(const Screen& screen, Style style, std::string_view text);

}  // namespace netperfctl
