// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/grouping.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>
#include <string>

#include "daemon/analysis/compare/quantiles.hpp"
#include "daemon/analysis/compare/run_planner.hpp"

namespace netperfd::analysis {
namespace {

using BlockKey = std::pair<JobId, std::uint32_t>;

std::map<BlockKey, std::vector<std::size_t>> by_block(const RunList& runs) {
  std::map<BlockKey, std::vector<std::size_t>> blocks;
  for (std::size_t i = 0; i < runs.size(); ++i) blocks[{runs[i]->job, runs[i]->block}].push_back(i);
  return blocks;
}

bool in_block(const ComparedRun* run) {
  return run->block != 0;
}

std::vector<std::vector<std::size_t>> by_boot(const RunList& runs) {
  std::map<std::string, std::vector<std::size_t>> boots;
  for (std::size_t i = 0; i < runs.size(); ++i) boots[runs[i]->fingerprint->boot_id].push_back(i);
  std::vector<std::vector<std::size_t>> groups;
  for (auto& [boot, group] : boots) groups.push_back(std::move(group));
  return groups;
}

// The number of each key, from 0 in the order of their first; empty if they are all the same.
template <class KeyOf>
std::vector<std::size_t> numbered(std::size_t count, KeyOf key_of) {
  std::map<decltype(key_of(0)), std::size_t> numbers;
  std::vector<std::size_t> of_each;
  for (std::size_t i = 0; i < count; ++i) {
    of_each.push_back(numbers.try_emplace(key_of(i), numbers.size()).first->second);
  }
  if (numbers.size() < 2) of_each.clear();
  return of_each;
}

std::vector<std::vector<std::size_t>> each_alone(const RunList& runs) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < runs.size(); ++i) groups.push_back({i});
  return groups;
}

std::vector<double> differences(const Samples& samples) {
  std::vector<double> differences(samples.a.size());
  std::ranges::transform(samples.b, samples.a, differences.begin(), std::minus<>{});
  return differences;
}

// The half-widths of several intervals below and above their estimates, squared.
struct Widths {
  double below = 0, above = 0;
};

std::optional<Widths> widths_of(const Location& location) {
  if (!location.interval) return std::nullopt;
  const double below = location.estimate - location.interval->low;
  const double above = location.interval->high - location.estimate;
  return Widths{.below = below * below, .above = above * above};
}

Location crossed_shift(const Grouping& grouping, const RunValues& a, const RunValues& b, double level) {
  const auto by = [&](Unit unit) { return shift_of(grouping.samples_of(unit, a, b), level); };
  const Location boots = by(Unit::boot), builds = by(Unit::build), cells = by(Unit::build_in_boot);
  Location location{.estimate = cells.estimate, .interval = {}, .p = 1};
  const auto of_boots = widths_of(boots), of_builds = widths_of(builds);
  if (!of_boots || !of_builds) return location;
  const Widths of_cells = widths_of(cells).value_or(Widths{});
  const auto combined = [](double boot, double build, double cell) {
    return std::sqrt(std::max({boot, build, boot + build - cell}));
  };
  const double below = combined(of_boots->below, of_builds->below, of_cells.below);
  const double above = combined(of_boots->above, of_builds->above, of_cells.above);
  location.interval = Interval{.low = location.estimate - below,
                               .high = location.estimate + above,
                               .level = std::min(boots.interval->level, builds.interval->level)};
  location.p =
      p_of_interval(location.estimate, location.estimate > 0 ? below : above, location.interval->level);
  return location;
}

}  // namespace

bool knows_boot(const ComparedRun* run) {
  return run->fingerprint && !run->fingerprint->boot_id.empty();
}

std::set<std::string> boots_of(const RunList& runs) {
  std::set<std::string> boots;
  for (const ComparedRun* run : runs) {
    if (knows_boot(run)) boots.insert(run->fingerprint->boot_id);
  }
  return boots;
}

Grouping::Grouping(RunList a, RunList b) : a_(std::move(a)), b_(std::move(b)) {
  if (has_own_boots() && group_by_boot()) {
    pairing_ = Pairing::boots;
    boots_for_each_letter_ = std::ranges::all_of(a_, in_block) && std::ranges::all_of(b_, in_block);
  } else if (group_by_block()) {
    pairing_ = Pairing::blocks;
    group_blocks();
  } else if (group_by_boot()) {
    pairing_ = Pairing::boots;
  } else {
    groups_a_ = each_alone(a_);
    groups_b_ = each_alone(b_);
  }
}

// No boot has runs of both sides: the difference within a block is that of its boots, too.
bool Grouping::has_own_boots() const {
  if (!std::ranges::all_of(a_, knows_boot) || !std::ranges::all_of(b_, knows_boot)) return false;
  const auto of_a = boots_of(a_);
  return std::ranges::none_of(
      b_, [&](const ComparedRun* run) { return of_a.contains(run->fingerprint->boot_id); });
}

bool Grouping::group_by_block() {
  if (!std::ranges::all_of(a_, in_block) || !std::ranges::all_of(b_, in_block)) return false;
  auto blocks_a = by_block(a_);
  auto blocks_b = by_block(b_);
  std::size_t used = 0;
  for (auto& [key, of_a] : blocks_a) {
    const auto of_b = blocks_b.find(key);
    if (of_b == blocks_b.end()) continue;
    used += of_a.size() + of_b->second.size();
    if (of_a.size() != of_b->second.size()) ++uneven_;
    groups_a_.push_back(std::move(of_a));
    groups_b_.push_back(std::move(of_b->second));
  }
  if (groups_a_.empty()) return false;
  left_out_ = a_.size() + b_.size() - used;
  return true;
}

// A block that a reboot cut has the luck of two boots in its difference.
void Grouping::leave_out_cut_blocks() {
  std::vector<std::size_t> whole;
  for (std::size_t block = 0; block < groups_a_.size(); ++block) {
    std::set<std::string> boots;
    for (const std::size_t index : groups_a_[block]) boots.insert(a_[index]->fingerprint->boot_id);
    for (const std::size_t index : groups_b_[block]) boots.insert(b_[index]->fingerprint->boot_id);
    if (boots.size() == 1) whole.push_back(block);
  }
  if (whole.empty()) return;  // each block was booted on its own
  Groups of_a, of_b;
  left_out_ = a_.size() + b_.size();
  for (const std::size_t block : whole) {
    left_out_ -= groups_a_[block].size() + groups_b_[block].size();
    of_a.push_back(std::move(groups_a_[block]));
    of_b.push_back(std::move(groups_b_[block]));
  }
  groups_a_ = std::move(of_a);
  groups_b_ = std::move(of_b);
}

void Grouping::group_blocks() {
  const auto first_a = [this](std::size_t block) { return a_[groups_a_[block].front()]; };
  const auto first_b = [this](std::size_t block) { return b_[groups_b_[block].front()]; };
  auto boots = boots_of(a_);
  boots.merge(boots_of(b_));
  const bool known = std::ranges::all_of(a_, knows_boot) && std::ranges::all_of(b_, knows_boot);
  if (known && boots.size() > 1) {
    leave_out_cut_blocks();
    boot_of_block_ =
        numbered(groups_a_.size(), [&](std::size_t block) { return first_a(block)->fingerprint->boot_id; });
  }
  build_of_block_ = numbered(groups_a_.size(), [&](std::size_t block) {
    return std::pair(first_a(block)->build, first_b(block)->build);
  });
  if (!build_of_block_.empty()) pairing_ = Pairing::builds_of_blocks;
  if (!boot_of_block_.empty()) pairing_ = Pairing::boots_of_blocks;
}

std::size_t Grouping::partial_blocks() const {
  if (!in_blocks()) return 0;
  std::size_t fullest = 0, partial = 0;
  for (const auto& group : groups_a_) fullest = std::max(fullest, group.size());
  for (const auto& group : groups_b_) fullest = std::max(fullest, group.size());
  for (std::size_t i = 0; i < groups_a_.size(); ++i) {
    if (groups_a_[i].size() == groups_b_[i].size() && groups_a_[i].size() < fullest) ++partial;
  }
  return partial;
}

bool Grouping::group_by_boot() {
  if (!std::ranges::all_of(a_, knows_boot) || !std::ranges::all_of(b_, knows_boot)) return false;
  auto boots_a = by_boot(a_);
  auto boots_b = by_boot(b_);
  if (boots_a.size() < 2 && boots_b.size() < 2) return false;
  groups_a_ = std::move(boots_a);
  groups_b_ = std::move(boots_b);
  return true;
}

std::optional<double> Grouping::sample(const RunValues& values, const std::vector<std::size_t>& group) const {
  std::vector<double> known;
  for (const std::size_t index : group) {
    if (values[index]) known.push_back(*values[index]);
  }
  if (known.empty()) return std::nullopt;
  if (pairing_ == Pairing::boots) return median(known);
  return std::accumulate(known.begin(), known.end(), 0.0) / static_cast<double>(known.size());
}

Samples Grouping::samples(const RunValues& a, const RunValues& b) const {
  if (pairing_ == Pairing::boots_of_blocks) return samples_of(Unit::boot, a, b);
  if (pairing_ == Pairing::builds_of_blocks) return samples_of(Unit::build, a, b);
  if (pairing_ == Pairing::blocks) return samples_of(Unit::block, a, b);
  Samples samples;
  for (const auto& group : groups_a_) {
    if (const auto value = sample(a, group)) samples.a.push_back(*value);
  }
  for (const auto& group : groups_b_) {
    if (const auto value = sample(b, group)) samples.b.push_back(*value);
  }
  return samples;
}

Samples Grouping::samples_of(Unit unit, const RunValues& a, const RunValues& b) const {
  const auto unit_of = [&](std::size_t block) -> std::pair<std::size_t, std::size_t> {
    if (unit == Unit::block) return {block, 0};
    const auto number = [block](const std::vector<std::size_t>& of_block) {
      return of_block.empty() ? 0 : of_block[block];
    };
    return {unit == Unit::build ? 0 : number(boot_of_block_),
            unit == Unit::boot ? 0 : number(build_of_block_)};
  };
  struct Sums {
    double a = 0, b = 0, blocks = 0;
  };
  std::map<std::pair<std::size_t, std::size_t>, Sums> units;
  for (std::size_t block = 0; block < groups_a_.size(); ++block) {
    const auto of_a = sample(a, groups_a_[block]), of_b = sample(b, groups_b_[block]);
    if (!of_a || !of_b) continue;
    Sums& sums = units[unit_of(block)];
    sums.a += *of_a;
    sums.b += *of_b;
    ++sums.blocks;
  }
  Samples samples;
  samples.paired = true;
  for (const auto& [key, sums] : units) {
    samples.a.push_back(sums.a / sums.blocks);
    samples.b.push_back(sums.b / sums.blocks);
  }
  return samples;
}

RunValues values_of(const RunList& runs,
                    const std::function<std::optional<double>(const ComparedRun&)>& value) {
  RunValues values;
  values.reserve(runs.size());
  for (const ComparedRun* run : runs) values.push_back(value(*run));
  return values;
}

std::optional<double> spread_of(const Samples& samples) {
  if (samples.paired) return planning_sd(differences(samples));
  const auto sd_a = planning_sd(samples.a), sd_b = planning_sd(samples.b);
  if (!sd_a || !sd_b) return sd_a ? sd_a : sd_b;
  const double weight_a = static_cast<double>(samples.a.size() - 1);
  const double weight_b = static_cast<double>(samples.b.size() - 1);
  return std::sqrt((*sd_a * *sd_a * weight_a + *sd_b * *sd_b * weight_b) / (weight_a + weight_b));
}

Location shift_of(const Samples& samples, double level) {
  if (samples.paired) return signed_rank(differences(samples), level);
  return mann_whitney(samples.a, samples.b, level);
}

double p_of_interval(double estimate, double half_width, double level) {
  if (estimate == 0 || half_width <= 0) return estimate == 0 ? 1 : 0;
  return std::erfc(std::abs(estimate) / half_width * normal_quantile((1 + level) / 2) / std::numbers::sqrt2);
}

Location shift_of(const Grouping& grouping, const RunValues& a, const RunValues& b, double level) {
  if (grouping.is_crossed()) return crossed_shift(grouping, a, b, level);
  return shift_of(grouping.samples(a, b), level);
}

std::optional<std::uint32_t> samples_needed(const Samples& samples, double shift, double level) {
  const auto sd = spread_of(samples);
  if (!sd) return std::nullopt;
  const PowerQuestion question{.sd = *sd, .effect = shift, .level = level};
  return samples.paired ? blocks(question) : runs_a_side(question);
}

std::optional<std::uint32_t> samples_for_equivalence(const Samples& samples, double shift, double level) {
  const auto sd = spread_of(samples);
  if (!sd) return std::nullopt;
  const PowerQuestion question{.sd = *sd, .effect = shift, .level = level};
  return samples.paired ? blocks_for_equivalence(question) : runs_a_side_for_equivalence(question);
}

std::optional<double> detectable_shift(const Samples& samples, double level) {
  const auto sd = spread_of(samples);
  if (!sd) return std::nullopt;
  const auto n_a = static_cast<std::uint32_t>(samples.a.size());
  if (samples.paired) return detectable_by_blocks(n_a, *sd, level);
  return detectable_by_runs(n_a, static_cast<std::uint32_t>(samples.b.size()), *sd, level);
}

}  // namespace netperfd::analysis
