// SPDX-License-Identifier: GPL-2.0-or-later
// The bytes that draw lines over those drawn before, at the end of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "client/terminal/screen.hpp"

namespace netperfctl {

class DrawnLines {
 public:
  // Removes what stands and puts `text` there. A line that is wider than the screen would take two lines of
  // it, of which the next erase() left one: it is cut. Lines that the screen is too low for would scroll away
  // and could not be erased: they are counted instead.
  [[nodiscard]] std::string draw(const Screen& screen, std::string_view text);
  // Removes what stands; the cursor is at the begin of its first line then.
  [[nodiscard]] std::string erase();

 private:
  std::size_t lines_ = 0;  // as they stand on the terminal
};

}  // namespace netperfctl
