// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/text_scan.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace netperfd::workload {
namespace {

constexpr std::string_view kBlanks = " \t";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

template <class Integer>
std::optional<Integer> take_integer(std::string_view& rest) {
  Integer value{};
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc{}) return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return value;
}

}  // namespace

double PrintedNumber::half_unit() const {
  return 0.5 * std::pow(10.0, -decimals);
}

void TextScan::blanks() {
  rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
}

bool TextScan::text(std::string_view expected) {
  if (!rest_.starts_with(expected)) return false;
  rest_.remove_prefix(expected.size());
  return true;
}

std::string_view TextScan::word() {
  const std::string_view taken = rest_.substr(0, rest_.find_first_of(kBlanks));
  rest_.remove_prefix(taken.size());
  return taken;
}

std::optional<PrintedNumber> TextScan::number() {
  const std::size_t sign = !rest_.empty() && (rest_[0] == '-' || rest_[0] == '+') ? 1 : 0;
  for (const std::string_view none : {"nan", "inf"}) {
    if (!rest_.substr(sign).starts_with(none)) continue;
    rest_.remove_prefix(sign + none.size());
    return PrintedNumber{};
  }
  // from_chars knows no plus sign, and takes more words than these two.
  const std::string_view digits = rest_.substr(rest_.starts_with('+') ? 1 : 0);
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  if (first >= digits.size() || !is_digit(digits[first])) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  const std::string_view printed(digits.data(), static_cast<std::size_t>(end - digits.data()));
  PrintedNumber number{.value = value};
  if (const std::size_t point = printed.find('.'); point != std::string_view::npos) {
    const auto* const last = std::find_if_not(printed.begin() + point + 1, printed.end(), is_digit);
    number.decimals = static_cast<int>(last - printed.begin() - static_cast<std::ptrdiff_t>(point) - 1);
  }
  rest_ = std::string_view(end, static_cast<std::size_t>(rest_.data() + rest_.size() - end));
  return number;
}

std::optional<std::uint64_t> TextScan::count() {
  return take_integer<std::uint64_t>(rest_);
}

std::optional<std::int64_t> TextScan::integer() {
  return take_integer<std::int64_t>(rest_);
}

std::optional<TextScan> after(std::string_view line, std::string_view words) {
  const std::size_t at = line.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  return TextScan(line.substr(at + words.size()));
}

std::string_view take_text_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace netperfd::workload
