// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/sampled_costs.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <vector>

namespace netperfd::analysis {
namespace {

constexpr std::string_view kTimer = "cpu-clock";

// A timer also samples idle CPUs, so its samples divide all time evenly, also if some were lost or the kernel
// paused it. Counters of cycles stand still on an idle CPU.
std::optional<double> ns_per_sample(const SampleProfile& profile, std::optional<std::uint64_t> busy_ns) {
  const double samples = static_cast<double>(profile.samples) + static_cast<double>(profile.lost);
  if (samples <= 0) return std::nullopt;
  if (profile.event == kTimer) return static_cast<double>(profile.duration_ns) * profile.cpus / samples;
  if (!busy_ns) return std::nullopt;
  return static_cast<double>(*busy_ns) / samples;
}

// Where the frames of a profile are on the path to a node.
struct Place {
  bool of_others = false;               // the path begins with other tasks
  std::optional<std::uint32_t> traced;  // the innermost traced function
};

class Sums {
 public:
  Sums(const SampleProfile& profile, const std::set<FunctionKey>& traced) : profile_(profile) {
    for (const SampleFrame& frame : profile.frames) {
      is_traced_.push_back(frame.kind == FrameKind::function && traced.contains(function_key(frame)));
    }
    own_.resize(profile.frames.size());
    below_.resize(profile.frames.size());
    for (const SampleNode& node : profile.nodes) add(node);
  }

  [[nodiscard]] std::vector<SampledCost> costs() const {
    std::vector<SampledCost> costs;
    for (std::uint32_t i = 0; i < profile_.frames.size(); ++i) {
      if (own_[i] == 0) continue;
      const SampleFrame& frame = profile_.frames[i];
      SampledCost& cost = costs.emplace_back();
      cost.name = name_of(frame);
      cost.module = frame.module;
      cost.duplicate = frame.duplicate;
      cost.samples = own_[i];
      cost.below = most_below(i);
    }
    return costs;
  }

 private:
  void add(const SampleNode& node) {
    const SampleFrame& frame = profile_.frames[node.frame];
    Place place = node.parent ? places_[*node.parent]
                              : Place{.of_others = frame.kind == FrameKind::others, .traced = {}};
    if (is_traced_[node.frame]) place.traced = node.frame;
    places_.push_back(place);
    if (node.samples == 0) return;
    if (place.traced) own_[*place.traced] += node.samples;
    // The programs of others are no part of the run.
    if (is_traced_[node.frame] || (place.of_others && frame.kind == FrameKind::user)) return;
    own_[node.frame] += node.samples;
    if (place.traced) below_[node.frame][*place.traced] += node.samples;
  }

  // Empty unless most samples of the function have one traced function above them.
  [[nodiscard]] std::string most_below(std::uint32_t frame) const {
    for (const auto& [traced, samples] : below_[frame]) {
      if (2 * samples > own_[frame]) return profile_.frames[traced].name;
    }
    return {};
  }

  const SampleProfile& profile_;
  std::vector<bool> is_traced_;  // by frame, as the following
  std::vector<std::uint64_t> own_;
  std::vector<std::map<std::uint32_t, std::uint64_t>> below_;  // by traced function
  std::vector<Place> places_;                                  // by node
};

}  // namespace

std::optional<ComparedSamples> sampled_costs(const SampleProfile& profile,
                                             const std::set<FunctionKey>& traced,
                                             std::optional<std::uint64_t> busy_ns) {
  const auto ns = ns_per_sample(profile, busy_ns);
  if (!ns) return std::nullopt;
  return ComparedSamples{.functions = Sums(profile, traced).costs(),
                         .busy = busy_samples(profile),
                         .ns_per_sample = *ns,
                         .sees_interrupts_off = profile.sees_interrupts_off};
}

}  // namespace netperfd::analysis
