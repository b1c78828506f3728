// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/terminal/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>

#include "dbus/rows/plain_number.hpp"

namespace netperfctl {
namespace {

using netperfd::rows::plain_number;
using netperfd::rows::plain_percent;

// Three significant digits, four from 100 on; what rounds up to the next power of ten is still written in its
// old one.
std::string digits(double value) {
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size < 9.995) return fmt::format("{:.2f}", value);
  return fmt::format("{:.1f}", value);
}

struct Scaled {
  double divisor = 1;
  const char* unit = "";
};

Scaled scale(double value, double step, std::span<const char* const> units) {
  Scaled scaled{1, units.front()};
  for (const char* unit : units.subspan(1)) {
    if (std::abs(value) / scaled.divisor < step - 0.05) break;  // 999.95 would be written "1000.0"
    scaled = {scaled.divisor * step, unit};
  }
  return scaled;
}

std::string in_unit(double value, const Scaled& scaled) {
  // Whole bits have no fraction.
  if (scaled.divisor == 1 && value == std::floor(value)) return fmt::format("{:.0f}", value);
  return digits(value / scaled.divisor);
}

// "1,204"
std::string format_whole(double value) {
  constexpr double kLargest = 9e18;  // that fits into a 64-bit integer
  if (!(std::abs(value) < kLargest)) return plain_number(value, 1);
  return fmt::format("{}", fmt::group_digits(std::llround(value)));
}

constexpr std::array<const char*, 5> kRateUnits{"bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"};
constexpr std::array<const char*, 6> kByteUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

}  // namespace

std::string format_rate(double bits_per_second) {
  const Scaled scaled = scale(bits_per_second, 1000, kRateUnits);
  return fmt::format("{} {}", in_unit(bits_per_second, scaled), scaled.unit);
}

std::string format_rate_like(double bits_per_second, double reference) {
  return in_unit(bits_per_second, scale(reference, 1000, kRateUnits));
}

std::string format_bytes(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  const Scaled scaled = scale(value, 1024, kByteUnits);
  const double shown = value / scaled.divisor;
  if (shown == std::floor(shown))
    return fmt::format("{:.0f} {}", shown, scaled.unit);  // sizes as people choose them
  return fmt::format("{} {}", in_unit(value, scaled), scaled.unit);
}

std::string format_count(std::uint64_t count) {
  return fmt::format("{}", fmt::group_digits(count));
}

std::string format_signed_count(std::int64_t count) {
  if (count >= 0) return format_count(static_cast<std::uint64_t>(count));
  return "-" + format_count(-static_cast<std::uint64_t>(count));
}

std::string format_short(double count) {
  constexpr double kExact = 9'999.5;
  if (count < kExact) {
    const bool whole = count == std::floor(count) || count >= 99.95;
    return whole ? format_whole(count) : plain_number(count, 2);
  }
  double shown = count / 1000;
  std::size_t unit = 0;
  constexpr std::array<const char*, 4> kUnits{"k", "M", "G", "T"};
  while (shown >= 999.5 && unit + 1 < kUnits.size()) {
    shown /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f}{}", shown, shown < 9.995 ? 2 : shown < 99.95 ? 1 : 0, kUnits.at(unit));
}

std::string format_percent(double percent) {
  const double size = std::abs(percent);
  if (size == 0) return "0 %";
  if (size < 0.095) return plain_number(percent, 2) + " %";
  if (size < 9.95) return fmt::format("{:.1f} %", percent);
  return plain_percent(percent, 2) + " %";
}

std::string format_share(double of_one) {
  constexpr double kLeast = 0.0005;
  return of_one > 0 && of_one < kLeast ? "<0.1 %" : format_percent(of_one * 100);
}

std::string format_milliseconds(double milliseconds) {
  if (milliseconds == 0) return "0 ms";
  if (milliseconds < 0.9995) {
    return milliseconds < 0.0095 ? plain_number(milliseconds, 2) + " ms"
                                 : fmt::format("{:.3f} ms", milliseconds);
  }
  return fmt::format("{} ms", milliseconds < 99.95 ? fmt::format("{:#.3g}", milliseconds)
                                                   : fmt::format("{:.0f}", milliseconds));
}

std::string format_figure(double value) {
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size >= 99.95) return format_whole(value);
  return fmt::format("{:.{}f}", value, size < 9.995 ? 2 : 1);
}

std::string format_as_milliseconds(std::uint64_t nanoseconds) {
  const double milliseconds = static_cast<double>(nanoseconds) / 1e6;
  if (milliseconds == 0) return "0";
  if (milliseconds < 0.0005) return "<0.001";
  if (milliseconds < 0.9995) return fmt::format("{:.3f}", milliseconds);
  return milliseconds < 999.95 ? fmt::format("{:.1f}", milliseconds) : format_whole(milliseconds);
}

std::string format_hundredths(double value) {
  if (value != 0 && std::abs(value) < 0.005) return "<0.01";
  return value < 999.995 ? fmt::format("{:.2f}", value) : format_whole(value);
}

std::string format_seconds(double seconds) {
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 99.95) {
    std::string text = fmt::format("{:.1f}", seconds);
    if (text.ends_with(".0")) text.resize(text.size() - 2);
    return text + " s";
  }
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  const std::int64_t large = whole < 3600 ? whole / 60 : whole / 3600;
  const std::int64_t small = whole < 3600 ? whole % 60 : whole % 3600 / 60;
  const char* large_unit = whole < 3600 ? "min" : "h";
  const char* small_unit = whole < 3600 ? "s" : "min";
  if (small == 0) return fmt::format("{} {}", large, large_unit);
  return fmt::format("{} {} {} {}", large, large_unit, small, small_unit);
}

std::optional<double> ratio(const std::optional<std::uint64_t>& part,
                            const std::optional<std::uint64_t>& whole) {
  if (!part || whole.value_or(0) == 0) return {};
  return static_cast<double>(*part) / static_cast<double>(*whole);
}

std::string format_probability(double probability) {
  constexpr double kLeast = 0.0001;
  return probability < kLeast ? "<0.0001" : plain_number(probability, 2);
}

std::string power_words(double power) {
  return fmt::format("with {} % power", plain_number(power * 100, 4));
}

std::string plural(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

}  // namespace netperfctl
