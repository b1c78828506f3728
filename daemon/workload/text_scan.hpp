// SPDX-License-Identifier: GPL-2.0-or-later
// Reads a line that a program printed for people, from left to right.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace netperfd::workload {

// A number as it is printed.
struct PrintedNumber {
  std::optional<double> value;  // absent: printed as nan or inf
  int decimals = 0;

  // What rounding to these digits may have changed.
  [[nodiscard]] double half_unit() const;
};

// Each function takes what it is named after, or nothing if it is not there.
class TextScan {
 public:
  explicit TextScan(std::string_view text) : rest_(text) {}

  [[nodiscard]] std::string_view rest() const { return rest_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

  void blanks();
  [[nodiscard]] bool text(std::string_view expected);
  // Up to the next blank; empty at the end.
  [[nodiscard]] std::string_view word();
  // Decimal, perhaps with a sign and an exponent; absent too if it is beyond a double.
  [[nodiscard]] std::optional<PrintedNumber> number();
  // Absent too if it is too large.
  [[nodiscard]] std::optional<std::uint64_t> count();
  [[nodiscard]] std::optional<std::int64_t> integer();

 private:
  std::string_view rest_;
};

// What follows `words` in the line; absent if they are not there.
[[nodiscard]] std::optional<TextScan> after(std::string_view line, std::string_view words);

// Removes the first line from `rest`, and returns it without its end.
[[nodiscard]] std::string_view take_text_line(std::string_view& rest);

}  // namespace netperfd::workload
