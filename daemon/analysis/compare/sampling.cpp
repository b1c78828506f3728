#include "daemon/analysis/compare/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>

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

bool knows_boot(const ComparedRun* run) {
  return run->fingerprint && !run->fingerprint->boot_id.empty();
}

std::vector<std::vector<std::size_t>> by_boot(const RunList& runs) {
  std::map<std::string, std::vector<std::size_t>> boots;
  for (std::size_t i = 0; i < runs.size(); ++i) boots[runs[i]->fingerprint->boot_id].push_back(i);
  std::vector<std::vector<std::size_t>> groups;
  for (auto& [boot, group] : boots) groups.push_back(std::move(group));
  return groups;
}

std::vector<std::vector<std::size_t>> each_alone(const RunList& runs) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < runs.size(); ++i) groups.push_back({i});
  return groups;
}

// Spread of both sides about their own centres, weighted by their degrees of freedom.
std::optional<double> pooled_sd(const Samples& samples) {
  const auto sd_a = robust_sd(samples.a), sd_b = robust_sd(samples.b);
  if (!sd_a || !sd_b) return sd_a ? sd_a : sd_b;
  const double weight_a = static_cast<double>(samples.a.size() - 1);
  const double weight_b = static_cast<double>(samples.b.size() - 1);
  return std::sqrt((*sd_a * *sd_a * weight_a + *sd_b * *sd_b * weight_b) / (weight_a + weight_b));
}

std::vector<double> differences(const Samples& samples) {
  std::vector<double> differences(samples.a.size());
  std::ranges::transform(samples.b, samples.a, differences.begin(), std::minus<>{});
  return differences;
}

}  // namespace

Sampling::Sampling(RunList a, RunList b) : a_(std::move(a)), b_(std::move(b)) {
  if (group_by_block()) {
    pairing_ = Pairing::blocks;
  } else if (group_by_boot()) {
    pairing_ = Pairing::boots;
  } else {
    groups_a_ = each_alone(a_);
    groups_b_ = each_alone(b_);
  }
}

bool Sampling::group_by_block() {
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

std::size_t Sampling::partial_blocks() const {
  if (pairing_ != Pairing::blocks) return 0;
  std::size_t fullest = 0, partial = 0;
  for (const auto& group : groups_a_) fullest = std::max(fullest, group.size());
  for (const auto& group : groups_b_) fullest = std::max(fullest, group.size());
  for (std::size_t i = 0; i < groups_a_.size(); ++i) {
    if (groups_a_[i].size() == groups_b_[i].size() && groups_a_[i].size() < fullest) ++partial;
  }
  return partial;
}

bool Sampling::group_by_boot() {
  if (!std::ranges::all_of(a_, knows_boot) || !std::ranges::all_of(b_, knows_boot)) return false;
  auto boots_a = by_boot(a_);
  auto boots_b = by_boot(b_);
  if (boots_a.size() < 2 && boots_b.size() < 2) return false;
  groups_a_ = std::move(boots_a);
  groups_b_ = std::move(boots_b);
  return true;
}

std::optional<double> Sampling::sample(const RunValues& values, const std::vector<std::size_t>& group) const {
  std::vector<double> known;
  for (const std::size_t index : group) {
    if (values[index]) known.push_back(*values[index]);
  }
  if (known.empty()) return std::nullopt;
  if (pairing_ == Pairing::boots) return median(known);
  return std::accumulate(known.begin(), known.end(), 0.0) / static_cast<double>(known.size());
}

Samples Sampling::samples(const RunValues& a, const RunValues& b) const {
  Samples samples;
  if (pairing_ == Pairing::blocks) {
    samples.paired = true;
    for (std::size_t block = 0; block < groups_a_.size(); ++block) {
      const auto of_a = sample(a, groups_a_[block]), of_b = sample(b, groups_b_[block]);
      if (!of_a || !of_b) continue;
      samples.a.push_back(*of_a);
      samples.b.push_back(*of_b);
    }
    return samples;
  }
  for (const auto& group : groups_a_) {
    if (const auto value = sample(a, group)) samples.a.push_back(*value);
  }
  for (const auto& group : groups_b_) {
    if (const auto value = sample(b, group)) samples.b.push_back(*value);
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

Location shift_of(const Samples& samples, double level) {
  if (samples.paired) return signed_rank(differences(samples), level);
  return mann_whitney(samples.a, samples.b, level);
}

std::optional<std::uint32_t> samples_needed(const Samples& samples, double shift, double level) {
  const auto sd = samples.paired ? robust_sd(differences(samples)) : pooled_sd(samples);
  if (!sd) return std::nullopt;
  const PowerQuestion question{.sd = *sd, .effect = shift, .level = level};
  return samples.paired ? blocks(question) : runs_a_side(question);
}

std::optional<double> detectable_shift(const Samples& samples, double level) {
  if (samples.paired) {
    const auto sd = robust_sd(differences(samples));
    if (!sd) return std::nullopt;
    return detectable_by_blocks(static_cast<std::uint32_t>(samples.a.size()), *sd, level);
  }
  const auto sd = pooled_sd(samples);
  if (!sd) return std::nullopt;
  return detectable_by_runs(static_cast<std::uint32_t>(samples.a.size()),
                            static_cast<std::uint32_t>(samples.b.size()), *sd, level);
}

}  // namespace netperfd::analysis
