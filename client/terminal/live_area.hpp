// SPDX-License-Identifier: GPL-2.0-or-later
// Lines at the end of a terminal that are drawn over as things change, at most ten times a second; other
// output scrolls by above them. On anything but a live terminal it draws nothing.
#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

#include "client/base/loop.hpp"
#include "client/terminal/drawn_lines.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl {

class LiveArea {
 public:
  // Returns the lines, joined by line feeds, without one at the end.
  using Render = std::function<std::string(const Screen&)>;

  // Borrows `loop` and `stream`. With `ticks` it is also redrawn every 250 ms, so that the elapsed time
  // advances.
  LiveArea(Loop& loop, std::FILE* stream, bool ticks, Render render);

  void changed();
  // Prints a whole line to another stream (or the same), above the area.
  void print_above(std::FILE* stream, std::string_view text);
  // Removes the area and stops drawing.
  void close();

 private:
  void draw();
  void erase();
  void draw_after(std::chrono::milliseconds delay);

  Loop& loop_;
  std::FILE* stream_;
  bool ticks_;
  Render render_;
  bool open_;
  DrawnLines lines_;
  std::chrono::steady_clock::time_point drawn_;
  Loop::Source timer_;
  bool change_waits_ = false;  // the timer is that of a change, not of a tick
};

}  // namespace netperfctl
