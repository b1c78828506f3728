// SPDX-License-Identifier: GPL-2.0-or-later
// How often a conclusion is drawn without a gate and with it.
#pragma once

#include <fmt/core.h>

#include <functional>
#include <string_view>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"

namespace netperfd::analysis {

struct GatedSides {
  std::vector<ComparedRun> a, b;
};

struct Conclusions {
  bool without = false, with = false;  // the gate
};

struct Rates {
  double without = 0, with = 0;
};

inline Rates rates(int sets, const std::function<Conclusions()>& once) {
  int without = 0, with = 0;
  for (int set = 0; set < sets; ++set) {
    const Conclusions conclusions = once();
    without += conclusions.without ? 1 : 0;
    with += conclusions.with ? 1 : 0;
  }
  return {.without = 100.0 * without / sets, .with = 100.0 * with / sets};
}

inline void print(std::string_view gate, const Rates& falsely, const Rates& truly) {
  fmt::print("{:<44} false {:5.1f} -> {:5.1f} %   true {:5.1f} -> {:5.1f} %\n", gate, falsely.without,
             falsely.with, truly.without, truly.with);
}

}  // namespace netperfd::analysis
