// SPDX-License-Identifier: GPL-2.0-or-later
// A figure of a run that its workload or its scenario brings.
#pragma once

#include <string>

namespace netperfd {

enum class Better { higher, lower };

struct NamedFigure {
  std::string name;
  std::string unit;
  Better better = Better::higher;
  double value = 0;

  bool operator==(const NamedFigure&) const = default;
};

}  // namespace netperfd
