// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/sampled_shift.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "daemon/analysis/compare/family_test.hpp"
#include "daemon/analysis/compare/quantiles.hpp"
#include "daemon/analysis/compare/run_planner.hpp"
#include "daemon/analysis/compare/shift_estimate.hpp"
#include "daemon/analysis/compare/together.hpp"

namespace netperfd::analysis {
namespace {

// Not narrower than counting allows.
void widen_by_counting(ShiftEstimate& cost, double variance, double level) {
  if (!cost.shift || !cost.low) return;
  const double half = normal_quantile((1 + level) / 2) * std::sqrt(variance);
  cost.low = std::min(*cost.low, *cost.shift - half);
  cost.high = std::max(*cost.high, *cost.shift + half);
  cost.p = std::max(*cost.p, p_of_interval(*cost.shift, half, level));
}

}  // namespace

SampledSide sampled_side(std::span<const std::uint64_t> counts, std::span<const double> weights) {
  SampledSide side;
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto count = static_cast<double>(counts[i]);
    side.values.emplace_back(count * weights[i]);
    side.count += counts[i];
    side.variance += count * weights[i] * weights[i];
    sum += weights[i];
  }
  const auto n = static_cast<double>(counts.size());
  side.variance = (side.variance + sum * sum / (n * n)) / (n * n);
  return side;
}

SampledPlace sampled_place(const Grouping& grouping, SampledSide a, SampledSide b, double level) {
  SampledPlace place;
  ShiftEstimate& cost = place.shift.cost;
  cost = estimate_shift(grouping, a.values, b.values, level);
  if (!cost.low) cost.p.reset();  // with too few runs no p can be small
  widen_by_counting(cost, a.variance + b.variance, level);
  place.samples = grouping.samples(a.values, b.values);
  place.a = std::move(a);
  place.b = std::move(b);
  return place;
}

std::optional<double> detectable_spreads(const Samples& samples, double level) {
  const auto n_a = static_cast<std::uint32_t>(samples.a.size());
  if (samples.paired) return detectable_by_blocks(n_a, 1, level);
  return detectable_by_runs(n_a, static_cast<std::uint32_t>(samples.b.size()), 1, level);
}

void note_detectable(SampledPlace& place, const std::optional<double>& spreads, double level) {
  const auto spread = spread_of(place.samples);
  if (!spreads || !spread || !place.shift.cost.low) return;
  constexpr double kOften = 0.8;
  const double counted = (normal_quantile((1 + level) / 2) + normal_quantile(kOften)) *
                         std::sqrt(place.a.variance + place.b.variance);
  place.shift.detectable = std::max(*spreads * *spread, counted);
}

void test_together(std::span<SampledPlace* const> places, double level, double looks) {
  std::vector<SampledPlace*> tested;
  std::ranges::copy_if(places, std::back_inserter(tested),
                       [](const SampledPlace* place) { return place->shift.cost.p.has_value(); });
  if (tested.empty()) return;
  std::vector<Samples> figures;
  for (const SampledPlace* place : tested) figures.push_back(place->samples);
  const FamilyTest test = test_family(figures, level);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    const ShiftEstimate& cost = tested[i]->shift.cost;
    Together& together = tested[i]->shift.together;
    const auto ends = interval_of(figures[i], test.wide, test.critical);
    together.p = ends ? test.p[i] : test.p_together[i];
    together.level = level;
    if (ends) {
      together.low = std::min(*cost.shift, ends->low);
      together.high = std::max(*cost.shift, ends->high);
    }
    widen(cost, level, together);
    together.p = std::min(1.0, *together.p * looks);
    if (tested[i]->shift.detectable && test.detectable) note_detectable(*tested[i], test.detectable, level);
  }
}

}  // namespace netperfd::analysis
