// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/config/purpose.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/rank_statistics.hpp"

namespace netperfd::config {
namespace {

// Six blocks are the minimum for an interval with a level above 95 %. For a pilot without blocks, eight runs
// estimate the spread about as well.
constexpr std::uint32_t kBlocks = 6;
constexpr std::uint32_t kPilotRuns = 8;
constexpr double kLevel = 0.95;

bool is_overridden(const core::JobOptions& options, const std::string& key) {
  return std::ranges::any_of(options.overrides,
                             [&](const std::string& text) { return text.starts_with(key + "="); });
}

// Returns the number of repeats.
std::uint32_t make_pilot(JobSpec& spec) {
  spec.trace.reset();
  if (!spec.design || !spec.design->has_variants()) {
    spec.design.reset();
    return kPilotRuns;
  }
  spec.design->plain = false;
  return std::max(kBlocks, spec.design->builds());
}

// Returns the number of repeats.
std::uint32_t make_selftest(JobSpec& spec) {
  const bool blocks_of_variants = spec.design && spec.design->has_variants();
  Design design = spec.design.value_or(Design{});
  Variant side = design.a.value_or(Variant{});
  side.name = "A";
  design.a = side;
  side.name = "B";
  if (side.builds.empty()) {
    design.changed.clear();
  } else {  // each build against another one: what a build adds is part of what the host shows
    std::rotate(side.builds.begin(), side.builds.begin() + 1, side.builds.end());
  }
  design.b = std::move(side);
  spec.design = std::move(design);
  if (blocks_of_variants) return spec.repeat;
  // Of several figures, each interval takes more blocks.
  const std::size_t figures = std::max<std::size_t>(spec.figures.size(), 1);
  return analysis::fewest_for_signed_rank(analysis::level_of_each(kLevel, figures));
}

}  // namespace

void apply_purpose(JobSpec& spec, const core::JobOptions& options) {
  if (options.purpose == JobPurpose::measurement) return;
  spec.purpose = options.purpose;
  const std::uint32_t repeat = options.purpose == JobPurpose::pilot ? make_pilot(spec) : make_selftest(spec);
  if (!options.repeat && !is_overridden(options, "repeat")) spec.repeat = repeat;
  if (!options.label && !is_overridden(options, "label")) spec.label = to_string(options.purpose);
}

}  // namespace netperfd::config
