// SPDX-License-Identifier: GPL-2.0-or-later
// What a terminal shows of the bytes that were written to it: carriage returns, line feeds, cursor up, erase
// to the end, colours, and the line that begins where the last column was passed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace netperfctl {

class Emulator {
 public:
  Emulator(std::size_t columns, std::size_t rows) : columns_(columns), rows_(rows) {}

  void write(std::string_view bytes);
  // What scrolled away and what stands, without empty lines at the end.
  [[nodiscard]] std::vector<std::string> lines() const;
  // How many lines have `part`.
  [[nodiscard]] std::size_t count(std::string_view part) const;
  // A line was longer than the screen is wide.
  [[nodiscard]] bool wrapped() const { return wrapped_; }

 private:
  using Row = std::vector<std::string>;  // a character each

  void next_line();
  void put(std::string_view character);
  [[nodiscard]] std::string_view control(std::string_view sequence);

  std::size_t columns_;
  std::size_t rows_;
  std::vector<Row> all_{Row{}};
  std::size_t top_ = 0;  // the first row on the screen
  std::size_t row_ = 0;  // of the cursor, in all_
  std::size_t column_ = 0;
  bool wrapped_ = false;
};

}  // namespace netperfctl
