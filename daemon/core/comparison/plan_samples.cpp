// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/comparison/plan_samples.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>

#include "daemon/analysis/compare/grouping.hpp"
#include "daemon/analysis/compare/rank_statistics.hpp"
#include "daemon/analysis/compare/run_planner.hpp"

namespace netperfd::core {
namespace {

PlanSamples with_spread(PlanSamples samples) {
  samples.sd = analysis::planning_sd(samples.values);
  samples.are_enough = samples.values.size() >= kFewestSamples;
  return samples;
}

// Of boots that have runs of one side only. The sides differ, and so may the levels of two jobs; what two
// boots of one kind differ by is their spread.
PlanSamples samples_of_boots(const analysis::RunList& a, const analysis::RunList& b,
                             const analysis::FigureOf& figure) {
  std::map<std::pair<JobId, bool>, std::map<std::string, std::vector<double>>> kinds;
  const auto add = [&](const analysis::RunList& runs, bool of_b) {
    for (const analysis::ComparedRun* run : runs) {
      kinds[{run->job, of_b}][run->fingerprint->boot_id].push_back(*figure.log(*run));
    }
  };
  add(a, false);
  add(b, true);
  PlanSamples samples;
  samples.pairing = Pairing::boots;
  double squares = 0;
  std::size_t freedom = 0;
  for (const auto& [kind, boots] : kinds) {
    std::vector<double> medians;
    for (const auto& [boot, values] : boots) medians.push_back(analysis::median(values));
    samples.values.insert(samples.values.end(), medians.begin(), medians.end());
    const auto sd = analysis::planning_sd(medians);
    if (!sd) continue;
    squares += *sd * *sd * static_cast<double>(medians.size() - 1);
    freedom += medians.size() - 1;
  }
  if (freedom > 0) samples.sd = std::sqrt(squares / static_cast<double>(freedom));
  samples.are_enough = freedom >= 2 * (kFewestSamples - 1);
  return samples;
}

// ABBA and BAAB have two runs of each side. If a block has fewer, for example because last:N cuts it, its
// difference spreads more than that of a whole block.
std::set<BlockKey> whole_blocks(const analysis::RunList& a, const analysis::RunList& b) {
  std::map<BlockKey, std::pair<int, int>> counts;
  for (const analysis::ComparedRun* run : a) ++counts[{run->job, run->block}].first;
  for (const analysis::ComparedRun* run : b) ++counts[{run->job, run->block}].second;
  std::set<BlockKey> whole;
  for (const auto& [block, count] : counts) {
    if (count.first >= 2 && count.second >= 2) whole.insert(block);
  }
  return whole;
}

// Samples from the measured runs: the plain ones, or the traced ones if none is plain. Of blocks only whole
// ones count; `whole` receives them.
PlanSamples samples_of(const std::vector<SelectedRun>& runs,
                       const std::vector<analysis::ComparedRun>& compared, const analysis::FigureOf& figure,
                       std::set<BlockKey>& whole) {
  const auto log = [&figure](const analysis::ComparedRun& run) { return figure.log(run); };
  const bool plain = std::ranges::any_of(
      compared, [&](const analysis::ComparedRun& run) { return figure.is_measured(run) && !run.trace; });
  analysis::RunList all, a, b;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const analysis::ComparedRun& run = compared[i];
    if (!figure.is_measured(run) || run.trace.has_value() == plain) continue;
    all.push_back(&run);
    if (runs[i].slot.variant != '\0') (runs[i].slot.variant == 'A' ? a : b).push_back(&run);
  }
  PlanSamples samples;
  if (!a.empty() && !b.empty() && a.size() + b.size() == all.size()) {
    if (analysis::Grouping(a, b).in_blocks()) {
      whole = whole_blocks(a, b);
      const auto is_cut = [&](const analysis::ComparedRun* run) {
        return !whole.contains({run->job, run->block});
      };
      std::erase_if(a, is_cut);
      std::erase_if(b, is_cut);
      const analysis::Grouping grouping(a, b);
      samples.pairing = grouping.pairing();
      if (whole.empty()) return samples;  // none are enough
      const analysis::Samples paired =
          grouping.samples(values_of(grouping.a(), log), values_of(grouping.b(), log));
      for (std::size_t i = 0; i < paired.a.size(); ++i) samples.values.push_back(paired.b[i] - paired.a[i]);
      return with_spread(std::move(samples));
    }
    if (analysis::Grouping(a, b).boots_for_each_letter()) return samples_of_boots(a, b, figure);
  }
  for (const analysis::ComparedRun* run : all) samples.values.push_back(*figure.log(*run));
  return with_spread(std::move(samples));
}

}  // namespace

PlanSamples samples_of_points(const std::vector<SelectedRun>& runs,
                              const std::vector<analysis::ComparedRun>& compared,
                              const analysis::FigureOf& figure, std::set<BlockKey>& whole) {
  std::map<std::uint32_t, std::pair<std::vector<SelectedRun>, std::vector<analysis::ComparedRun>>> points;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    auto& [of_point, compared_of_point] = points[runs[i].slot.point];
    of_point.push_back(runs[i]);
    compared_of_point.push_back(compared[i]);
  }
  PlanSamples widest;
  for (const auto& [point, of_point] : points) {
    std::set<BlockKey> own;
    PlanSamples samples = samples_of(of_point.first, of_point.second, figure, own);
    whole.merge(own);
    const bool is_known = samples.sd && samples.are_enough;
    if (!is_known || !widest.sd || *samples.sd > *widest.sd) widest = std::move(samples);
    if (!is_known) break;
  }
  return widest;
}

const char* noun_of(Pairing pairing) {
  switch (pairing) {
    case Pairing::blocks:
      return "whole block(s)";
    case Pairing::boots:
      return "boot(s)";
    case Pairing::runs:
      return "run(s)";
    case Pairing::builds_of_blocks:
    case Pairing::boots_of_blocks:
      break;
  }
  return "boot(s) or pair(s) of builds with whole blocks";
}

}  // namespace netperfd::core
