// SPDX-License-Identifier: GPL-2.0-or-later
// Figures in sentences and tables, for people: never with an exponent, whatever their size.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

namespace netperfd::rows {

// `value` with that many significant digits, and with all digits before the point: "99.9", "5321", "0.0012".
// A fraction does not end with zeros. What is not 0 is never shown as 0: "<0.000000000000000001".
[[nodiscard]] inline std::string plain_number(double value, int digits) {
  constexpr int kMostDecimals = 20;
  constexpr double kLeast = 1e-18;
  constexpr std::size_t kLongest = 352;  // the largest double has 309 digits
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size < kLeast) return value < 0 ? ">-0.000000000000000001" : "<0.000000000000000001";
  const int magnitude = static_cast<int>(std::floor(std::log10(size)));
  const int decimals = std::clamp(digits - 1 - magnitude, 0, kMostDecimals);
  std::array<char, kLongest> buffer{};
  const auto written =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, decimals);
  std::string_view text(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data()));
  if (text.find('.') != std::string_view::npos) {
    text = text.substr(0, text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.remove_suffix(1);
  }
  return std::string(text);
}

// A share in percent as plain_number() has it, with more digits if it is below 100 and they are needed for
// that to show: "99.97".
[[nodiscard]] inline std::string plain_percent(double percent, int digits) {
  constexpr int kMostDigits = 12;  // what further ones tell may be an error of the arithmetic
  std::string text = plain_number(percent, digits);
  while (percent < 100 && text == "100" && digits < kMostDigits) text = plain_number(percent, ++digits);
  return text;
}

// A share in percent without a fraction. One above 0 is not shown as 0, nor one below 100 as 100: "<1",
// ">99".
[[nodiscard]] inline std::string whole_percent(double percent) {
  constexpr double kError = 1e-9;  // of the arithmetic
  if (percent > kError && percent < 0.5) return "<1";
  if (percent >= 99.5 && percent < 100 - kError) return ">99";
  return plain_number(std::round(percent), 1);
}

}  // namespace netperfd::rows
