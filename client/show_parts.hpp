// Parts of the page of one run that are made of its figures (show_text.cpp puts the page together).
#pragma once

#include <string>
#include <string_view>

#include "client/screen.hpp"
#include "client/views.hpp"

namespace netperfctl::show {

// "  received   79.6 Mbit/s": a line of the page, or several where the screen is narrow or `value` has line
// feeds. A no-break space in it becomes a space at which no line ends.
[[nodiscard]] std::string field(const Screen& screen, std::string_view key, std::string_view value,
                                Style style = Style::plain);

// What was received and sent in one direction, with its intervals, and what the transport says of it.
[[nodiscard]] std::string direction_part(const Screen& screen, const ShowView& view, const SumView& sum);

[[nodiscard]] std::string streams_table(const Screen& screen, const ShowView& view);
[[nodiscard]] std::string intervals_table(const Screen& screen, const ShowView& view);

}  // namespace netperfctl::show
