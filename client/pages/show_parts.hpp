// SPDX-License-Identifier: GPL-2.0-or-later
// The parts of a run's page that show its figures (show_text.cpp assembles the page).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "client/pages/lines.hpp"
#include "client/rows/views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl::show {

inline constexpr std::size_t kKeyColumns = 13;  // "  received   "

// " received 79.6 Mbit/s": a line of the page, or several if the screen is narrow or `value` has line feeds.
// A no-break space in `value` becomes a space at which lines are not broken.
[[nodiscard]] std::string field(const Screen& screen, std::string_view key, std::string_view value,
                                Style style = Style::plain);

// "Run 9: 11.7 Gbit/s received, finished today 06:04", with a line feed.
[[nodiscard]] std::string first_line(const Screen& screen, const ShowView& view);
// "median 13.5 Gbit/s, lowest 11.7, highest 14.7, cv 11 % (of 3 runs)"
[[nodiscard]] std::string spread_words(const SpreadView& spread);
// The flags of the run, or that there are none.
[[nodiscard]] Lines quality(const ShowView& view);

// The bytes received and sent in one direction, with intervals and transport statistics.
[[nodiscard]] std::string direction_part(const Screen& screen, const ShowView& view, const SumView& sum);

[[nodiscard]] std::string streams_table(const Screen& screen, const ShowView& view);
[[nodiscard]] std::string intervals_table(const Screen& screen, const ShowView& view);

}  // namespace netperfctl::show
