// SPDX-License-Identifier: GPL-2.0-or-later
// A figure of a run that its workload or its scenario brings.
#pragma once

#include <string>
#include <tuple>

#include "dbus/rows/field.hpp"

namespace netperfd {

enum class Better { higher, lower };

struct NamedFigure {
  std::string name;
  std::string unit;
  Better better = Better::higher;
  double value = 0;

  bool operator==(const NamedFigure&) const = default;
};
template <>
inline constexpr auto rows::kFields<NamedFigure> = std::tuple{
    rows::field("name", &netperfd::NamedFigure::name), rows::field("unit", &netperfd::NamedFigure::unit),
    rows::field("better", &netperfd::NamedFigure::better),
    rows::field("value", &netperfd::NamedFigure::value)};
static_assert(rows::kDescribed<NamedFigure>);

}  // namespace netperfd
