// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/many_tests.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace netperfd::analysis {

std::vector<double> benjamini_hochberg(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [p](std::size_t x, std::size_t y) { return p[x] > p[y]; });
  std::vector<double> q(p.size());
  double least = 1;
  std::size_t rank = p.size();  // of the current p, counted from the smallest
  for (const std::size_t index : order) {
    least = std::min(least, p[index] * static_cast<double>(p.size()) / static_cast<double>(rank));
    q[index] = least;
    --rank;
  }
  return q;
}

}  // namespace netperfd::analysis
