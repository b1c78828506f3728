// SPDX-License-Identifier: GPL-2.0-or-later
// Keeps the end of a command's output: its last line is in the message that says how it failed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "daemon/base/fd.hpp"

namespace netperfd::command {

class OutputTail {
 public:
  static constexpr std::size_t kKeptBytes = 4096;

  void add(std::string_view bytes);
  static constexpr std::size_t kSaidBytes = 200;

  // The lines that are not empty, as printable text: each run of blanks and control characters becomes a
  // space. If a line is not UTF-8, its bytes beyond ASCII become question marks. Begins with "..." if
  // something was left out.
  [[nodiscard]] std::string lines() const;
  // The last one of them, with "..." in place of what is before its last kSaidBytes.
  [[nodiscard]] std::string last_line() const;

 private:
  std::string bytes_;
  bool is_cut_ = false;
};

// Adds what the pipe holds now, up to a limit for one turn of the loop. False once its other end is closed.
[[nodiscard]] bool read_into(OutputTail& tail, const Fd& pipe);

}  // namespace netperfd::command
