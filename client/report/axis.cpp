// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/report/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "client/terminal/units.hpp"

namespace netperfctl::report {
namespace {

constexpr std::array kSteps{1.0, 2.0, 5.0};
constexpr double kHair = 1e-9;  // of a step: what rounding adds

// Multiples of the step, by their number, so that rounding does not add up.
std::vector<double> multiples(double low, double high, double step) {
  std::vector<double> ticks;
  const double first = std::ceil(low / step - kHair);
  const double last = std::floor(high / step + kHair);
  for (double i = first; i <= last; ++i) ticks.push_back(i == 0 ? 0 : i * step);
  return ticks;
}

// The finest step with at most `most` multiples within both ends.
double step_of(double low, double high, std::size_t most) {
  const double room = static_cast<double>(std::max<std::size_t>(most, 2));
  double power = std::pow(10, std::floor(std::log10((high - low) / room)));
  for (;; power *= 10) {
    for (const double factor : kSteps) {
      const double step = factor * power;
      const double count = std::floor(high / step + kHair) - std::ceil(low / step - kHair) + 1;
      if (count <= room) return step;
    }
  }
}

bool is_range(double low, double high) {
  return std::isfinite(low) && std::isfinite(high) && low < high;
}

}  // namespace

double Axis::place(double value) const {
  if (logarithmic) {
    if (value <= low) return 0;
    return std::min(1.0, std::log(value / low) / std::log(high / low));
  }
  return std::clamp((value - low) / (high - low), 0.0, 1.0);
}

std::string Axis::at(double value) const {
  return fmt::format("{:.4g}%", std::round(place(value) * 10'000) / 100);
}

std::vector<double> nice_ticks(double low, double high, std::size_t most) {
  if (!is_range(low, high)) return {};
  return multiples(low, high, step_of(low, high, most));
}

Axis linear_axis(double low, double high, std::size_t most) {
  if (!std::isfinite(low) || !std::isfinite(high)) low = high = 0;
  if (low > high) std::swap(low, high);
  if (low == high) {
    const double room = low == 0 ? 1 : std::abs(low) / 2;
    low -= room;
    high += room;
  }
  const double step = step_of(low, high, most);
  Axis axis;
  axis.low = std::floor(low / step + kHair) * step;
  axis.high = std::ceil(high / step - kHair) * step;
  axis.ticks = multiples(axis.low, axis.high, step);
  return axis;
}

Axis axis_for_dots(double low, double high, std::size_t most) {
  const bool from_zero = low >= 0 && (low < high / 2 || low == high);
  return linear_axis(from_zero ? 0 : low, high, most);
}

Axis logarithmic_axis(double low, double high) {
  Axis axis;
  axis.logarithmic = true;
  if (!(low > 0) || !std::isfinite(high) || high < low) low = high = 1;
  const double first = std::floor(std::log10(low) + kHair);
  const double last = std::max(first + 1, std::ceil(std::log10(high) - kHair));
  axis.low = std::pow(10, first);
  axis.high = std::pow(10, last);
  constexpr double kFew = 2;
  for (double power = first; power <= last; ++power) {
    for (const double factor : kSteps) {
      const double tick = factor * std::pow(10, power);
      if (tick <= axis.high && (factor == 1 || last - first <= kFew)) axis.ticks.push_back(tick);
    }
  }
  return axis;
}

std::string tick_text(const Axis& axis, double tick) {
  double step = std::abs(tick);
  if (!axis.logarithmic && axis.ticks.size() > 1) step = axis.ticks[1] - axis.ticks[0];
  const int decimals = step > 0 ? std::max(0, -static_cast<int>(std::floor(std::log10(step) + kHair))) : 0;
  if (decimals > 0 || std::abs(tick) < 1'000) return fmt::format("{:.{}f}", tick, decimals);
  const std::string digits = format_count(static_cast<std::uint64_t>(std::llround(std::abs(tick))));
  return (tick < 0 ? "-" : "") + digits;
}

}  // namespace netperfctl::report
