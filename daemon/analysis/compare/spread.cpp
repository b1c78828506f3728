// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/spread.hpp"

#include <algorithm>
#include <numeric>

#include "daemon/analysis/compare/rank_statistics.hpp"

namespace netperfd::analysis {
namespace {

std::optional<double> coefficient_of_variation(const std::vector<double>& values) {
  if (values.size() < 3) return std::nullopt;
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  if (mean <= 0) return std::nullopt;
  return 100 * sample_sd(values) / mean;
}

Spread spread_of(Direction direction, std::vector<double> values) {
  std::ranges::sort(values);
  Spread spread;
  spread.direction = direction;
  spread.runs = static_cast<std::uint32_t>(values.size());
  spread.median = median(values);
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
