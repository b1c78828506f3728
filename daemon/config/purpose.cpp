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
    spec.sides.clear();
    return kPilotRuns;
  }
  spec.design->plain = false;
  return std::max(kBlocks, spec.design->builds());
}

// Of several figures or points, each interval takes more blocks.
std::uint32_t blocks_of_an_interval(const JobSpec& spec) {
  const std::size_t figures = std::max<std::size_t>(spec.figures.size(), 1);
  const std::size_t points = std::max(spec.design ? spec.design->points() : 0, 1U);
  return analysis::fewest_for_signed_rank(analysis::level_of_each(kLevel, figures * points));
}

// Returns the number of repeats.
std::uint32_t make_selftest(JobSpec& spec) {
  const bool blocks_of_variants = spec.design && spec.design->has_variants();
  Design design = spec.design.value_or(Design{});
  Variant side = design.a.value_or(Variant{});
  side.name = "A";
  design.a = side;
  if (design.b && !design.b->verify.empty()) design.home = std::move(design.b);
  side.name = "B";
  if (side.builds.empty()) {
    design.changed.clear();
  } else {  // each build against another one: what a build adds is part of what the host shows
    std::rotate(side.builds.begin(), side.builds.begin() + 1, side.builds.end());
  }
  design.b = std::move(side);
  spec.design = std::move(design);
  for (std::size_t i = 0; i + 1 < spec.sides.size(); i += 2) spec.sides[i + 1] = spec.sides[i];
  if (blocks_of_variants && !spec.until_decided) return spec.repeat;
  return blocks_of_an_interval(spec);
}

}  // namespace

void apply_purpose(JobSpec& spec, const core::JobOptions& options) {
  if (options.purpose == JobPurpose::measurement) return;
  spec.purpose = options.purpose;
  const std::uint32_t repeat = options.purpose == JobPurpose::pilot ? make_pilot(spec) : make_selftest(spec);
  spec.until_decided = false;  // it shows how much runs spread, which takes a fixed number
  if (!options.repeat && !is_overridden(options, "repeat")) spec.repeat = repeat;
  if (!options.label && !is_overridden(options, "label")) spec.label = to_string(options.purpose);
}

std::optional<std::uint32_t> blocks_of_new_sides(const JobSpec& spec, const core::JobOptions& options) {
  const bool are_new = std::ranges::any_of(options.overrides, [](const std::string& text) {
    return text.starts_with("design.a.") || text.starts_with("design.b.") || text.starts_with("sweep.");
  });
  if (!spec.design || !are_new || spec.until_decided || options.repeat || is_overridden(options, "repeat"))
    return std::nullopt;
  return blocks_of_an_interval(spec);
}

}  // namespace netperfd::config
