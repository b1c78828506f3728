// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/calls/call_tracker.hpp"

#include <algorithm>
#include <cmath>

#include "daemon/analysis/calls/call_pairing.hpp"
#include "daemon/analysis/calls/call_returns.hpp"
#include "daemon/analysis/calls/profile_maker.hpp"

namespace netperfd::analysis {

struct CallTracker::State {
  CallSettings settings;
  CallPairing pairing;
};

CallTracker::CallTracker(CallSettings settings)
    : state_(std::make_unique<State>(State{settings, CallPairing(settings)})) {}
CallTracker::CallTracker(CallTracker&&) noexcept = default;
CallTracker& CallTracker::operator=(CallTracker&&) noexcept = default;
CallTracker::~CallTracker() = default;

void CallTracker::add(std::uint32_t cpu, const GraphEvent& event) {
  state_->pairing.add(cpu, event);
}

std::vector<CallTracker::Hits> CallTracker::take_hits() {
  std::vector<Hits> taken;
  for (FunctionCount& function : state_->pairing.functions().functions()) {
    if (function.hits == function.told_hits) continue;
    taken.push_back(
        {function.address, function.hits - function.told_hits, function.self_ns - function.told_self_ns});
    function.told_hits = function.hits;
    function.told_self_ns = function.self_ns;
  }
  std::ranges::sort(taken, {}, &Hits::function);
  return taken;
}

FunctionProfile CallTracker::finish(const FunctionNamer& name) {
  state_->pairing.settle();
  const CallReturns* const returns = state_->pairing.returns();
  FunctionProfile profile = returns != nullptr
                                ? make_profile(*returns, name)
                                : make_profile(state_->pairing.functions(), state_->pairing.tree(), name);
  profile.damage = state_->pairing.damage();
  // All calls are ends without a beginning then.
  if (returns != nullptr) profile.damage.open_at_start = profile.damage.unmatched_exits = 0;
  profile.slice_ns = state_->pairing.slice_ns();
  profile.sleep_in_recorded = state_->settings.sleep_in_recorded;
  profile.off_cpu_known = state_->settings.off_cpu_known;
  return profile;
}

void correct_self_times(FunctionProfile& profile, const Calibration& calibration) {
  for (FunctionStats& function : profile.functions) {
    if (!function.self_ns) continue;
    // An interrupt root writes its records within the code it interrupts, as a callee does within its caller.
    const std::uint64_t within = function.callees + function.interruptions;
    const double cost = static_cast<double>(function.hits) * calibration.entry_ns +
                        static_cast<double>(within) * calibration.callee_ns;
    const auto cost_ns = static_cast<std::uint64_t>(std::llround(std::max(cost, 0.0)));
    if (cost_ns > *function.self_ns) ++profile.damage.clipped;
    function.corrected_self_ns = *function.self_ns - std::min(cost_ns, *function.self_ns);
  }
}

}  // namespace netperfd::analysis
