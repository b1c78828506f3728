// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/spread.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace netperfd::analysis {
namespace {

std::optional<double> coefficient_of_variation(const std::vector<double>& values) {
  if (values.size() < 3) return std::nullopt;
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (mean <= 0) return std::nullopt;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return 100 * std::sqrt(squares / (n - 1)) / mean;
}

Spread spread_of(Direction direction, std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  Spread spread;
  spread.direction = direction;
  spread.runs = static_cast<std::uint32_t>(values.size());
  spread.median = values.size() % 2 == 1 ? values[middle] : std::midpoint(values[middle - 1], values[middle]);
  spread.lowest = values.front();
  spread.highest = values.back();
  spread.cv_percent = coefficient_of_variation(values);
  return spread;
}

}  // namespace

std::vector<Spread> received_spreads(const std::vector<std::vector<Totals>>& sums) {
  std::vector<Spread> spreads;
  for (const Direction direction : {Direction::send, Direction::receive}) {
    std::vector<double> values;
    for (const auto& run : sums) {
      for (const auto& sum : run) {
        if (sum.direction == direction && sum.received_bits_per_second) {
          values.push_back(*sum.received_bits_per_second);
        }
      }
    }
    if (!values.empty()) spreads.push_back(spread_of(direction, std::move(values)));
  }
  return spreads;
}

}  // namespace netperfd::analysis
