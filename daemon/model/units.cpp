// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/units.hpp"

#include <fmt/format.h>

#include <span>

namespace netperfd {
namespace {

struct Unit {
  std::string_view suffix;
  std::uint64_t factor;
};

constexpr Unit kDurationUnits[] = {{"ms", 1}, {"s", 1'000}, {"min", 60'000}, {"h", 3'600'000}};
constexpr Unit kByteUnits[] = {{"", 1},
                               {"K", 1ULL << 10U},
                               {"k", 1ULL << 10U},
                               {"M", 1ULL << 20U},
                               {"m", 1ULL << 20U},
                               {"G", 1ULL << 30U},
                               {"g", 1ULL << 30U},
                               {"T", 1ULL << 40U},
                               {"t", 1ULL << 40U}};
constexpr Unit kBitRateUnits[] = {{"", 1},
                                  {"K", 1'000},
                                  {"k", 1'000},
                                  {"M", 1'000'000},
                                  {"m", 1'000'000},
                                  {"G", 1'000'000'000},
                                  {"g", 1'000'000'000},
                                  {"T", 1'000'000'000'000},
                                  {"t", 1'000'000'000'000}};
constexpr std::uint64_t kPercent = 1'000;  // in thousandths
constexpr Unit kPercentUnits[] = {{"%", kPercent}, {" %", kPercent}};

// Decimal arithmetic instead of a double: a value is taken exactly or refused ("0.5ms", "1.2" bytes).
std::optional<std::uint64_t> parse_quantity(std::string_view text, std::span<const Unit> units) {
  std::uint64_t mantissa = 0;
  std::uint64_t scale = 1;
  bool digit_seen = false;
  bool point_seen = false;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && digit_seen && !point_seen) {
      point_seen = true;
      digit_seen = false;
      continue;
    }
    if (c < '0' || c > '9') break;
    digit_seen = true;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (__builtin_mul_overflow(mantissa, 10U, &mantissa) ||
        __builtin_add_overflow(mantissa, digit, &mantissa) ||
        (point_seen && __builtin_mul_overflow(scale, 10U, &scale))) {
      return std::nullopt;
    }
  }
  if (!digit_seen) return std::nullopt;
  for (const Unit& unit : units) {
    if (text.substr(i) != unit.suffix) continue;
    std::uint64_t product = 0;
    if (__builtin_mul_overflow(mantissa, unit.factor, &product) || product % scale != 0) return std::nullopt;
    return product / scale;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const auto count = parse_quantity(text, kDurationUnits);
  // 100 years: sums and products of such durations stay well within 64 bits, even in nanoseconds.
  constexpr std::chrono::milliseconds kLongest = std::chrono::years{100};
  if (!count || *count > static_cast<std::uint64_t>(kLongest.count())) return std::nullopt;
  return std::chrono::milliseconds{*count};
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  return parse_quantity(text, kByteUnits);
}

std::optional<std::uint64_t> parse_bit_rate(std::string_view text) {
  return parse_quantity(text, kBitRateUnits);
}

std::optional<double> parse_percent(std::string_view text) {
  const auto thousandths = parse_quantity(text, kPercentUnits);
  if (!thousandths) return std::nullopt;
  return static_cast<double>(*thousandths) / (100.0 * kPercent);
}

std::string format_duration(std::chrono::milliseconds duration) {
  using namespace std::chrono_literals;
  const auto ms = duration.count();
  if (duration >= 1h && duration % 1h == 0ms) return fmt::format("{} h", duration / 1h);
  if (duration > 1min && duration % 1min == 0ms) return fmt::format("{} min", duration / 1min);
  if (ms > -1000 && ms < 1000 && ms != 0) return fmt::format("{} ms", ms);
  return fmt::format("{} s", static_cast<double>(ms) / 1000);
}

}  // namespace netperfd
