// SPDX-License-Identifier: GPL-2.0-or-later
// Scales of drawings, with ticks at round numbers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace netperfctl::report {

struct Axis {
  double low = 0, high = 1;   // low < high
  std::vector<double> ticks;  // ascending, within both
  bool logarithmic = false;

  // 0 at `low`, 1 at `high`; a value beyond an end is at that end.
  [[nodiscard]] double place(double value) const;
  // The same in percent with two decimals, as an attribute of SVG: "37.5%".
  [[nodiscard]] std::string at(double value) const;
};

// Multiples of 1, 2 or 5 times a power of ten, within both ends: the finest of these that has no more than
// `most` of them. Empty if the ends are not finite or not in order.
[[nodiscard]] std::vector<double> nice_ticks(double low, double high, std::size_t most);

// Contains both values, and ends at ticks. A single value, or none at all (NaN), has room around it.
[[nodiscard]] Axis linear_axis(double low, double high, std::size_t most);
// From zero, unless the values all lie in the upper half: then it shows their range alone.
[[nodiscard]] Axis axis_for_dots(double low, double high, std::size_t most);
// For values above 0: powers of ten, and between few of them also 2 and 5 times these.
[[nodiscard]] Axis logarithmic_axis(double low, double high);

// "0", "0.5", "1,500": a tick of the axis, with as many decimals as its neighbours need.
[[nodiscard]] std::string tick_text(const Axis& axis, double tick);

}  // namespace netperfctl::report
