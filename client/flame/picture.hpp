// SPDX-License-Identifier: GPL-2.0-or-later
// A flame graph as an SVG file of its own, or as a part of a page: no network, no other file, readable
// without its script.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace netperfctl::flame {

struct Colour {
  std::uint32_t hue = 0;         // degrees
  std::uint32_t saturation = 0;  // percent, as the next
  std::uint32_t lightness = 75;
};

// What a legend counts.
enum class Mark : std::uint8_t { none, coloured, outlined };

struct Box {
  std::uint32_t depth = 0;            // 0: the lowest row
  std::uint64_t left = 0, width = 0;  // of Picture::width
  std::string label;
  std::string figures;  // lines about it, which show while the pointer is on it
  Colour colour;
  std::string number = {};  // after the label, which keeps the room if there is not enough for both
  Mark mark = Mark::none;   // an outlined one has a line around it
};

// A note with the number of boxes with this mark that are drawn.
struct Legend {
  Mark mark = Mark::none;
  std::string before, after;  // the number
  bool if_any = false;        // left out if there is no such box
};

// All texts are any UTF-8 text.
struct Picture {
  std::string title;
  std::vector<std::string> notes;    // lines below the title; long ones are wrapped
  std::uint64_t width = 0;           // not 0
  std::vector<Box> boxes;            // one of width 0 is left out
  std::vector<Legend> legends = {};  // below the notes
};

// Boxes too narrow to be seen are left out, which a note then says.
[[nodiscard]] std::string svg(const Picture& picture);

// The same as an element of an HTML page, which shows the title and the notes, and has the style and the
// script of client/flame/embedded.hpp once.
struct Fragment {
  std::string svg;
  std::vector<std::string> notes;
};
[[nodiscard]] Fragment fragment(const Picture& picture);

}  // namespace netperfctl::flame
