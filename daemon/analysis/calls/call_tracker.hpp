// SPDX-License-Identifier: GPL-2.0-or-later
// Turns entries and exits into calls, and calls into a function profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/analysis/calls/graph_event.hpp"
#include "daemon/model/function_profile.hpp"

namespace netperfd::analysis {

struct CallSettings {
  // The kernel's option sleep-time: durations include time off the CPU. Absent: unknown, and taken for true,
  // which is the kernel's default.
  std::optional<bool> sleep_in_recorded = true;
  bool off_cpu_known = true;  // the events include task_switch events
  std::size_t tree_nodes = 10'000;
  std::size_t functions = 20'000;  // further functions are counted together: address 0, named "others"
  std::size_t tasks = 100'000;     // with calls under way; beyond it, those with the oldest are given up
  std::size_t slices = 400;        // maximum; a long run has at least half as many
};

// The name of a recorded address.
struct FunctionName {
  std::string name;
  std::string module;
  std::uint32_t duplicate = 0;

  bool operator==(const FunctionName&) const = default;
  auto operator<=>(const FunctionName&) const = default;
};
using FunctionNamer = std::function<FunctionName(std::uint64_t address)>;

class CallTracker {
 public:
  explicit CallTracker(CallSettings settings);
  CallTracker(CallTracker&&) noexcept;
  CallTracker& operator=(CallTracker&&) noexcept;
  ~CallTracker();

  // Events must come in order of time over all CPUs.
  void add(std::uint32_t cpu, const GraphEvent& event);

  // Calls that ended since the last take_hits(), by address, for functions that had any.
  struct Hits {
    std::uint64_t function = 0;
    std::uint64_t hits = 0;
    std::uint64_t self_ns = 0;
  };
  [[nodiscard]] std::vector<Hits> take_hits();

  // Everything but depth, calibration, builds and corrected times. Addresses with the same name are one
  // function. A function none of whose calls has ended is included, with 0 hits, if it has called one that
  // has. Percentiles lie between the exact minimum and maximum. Calls under way of tasks that were given up
  // count as open at the end. May be called at any time and repeatedly.
  [[nodiscard]] FunctionProfile finish(const FunctionNamer& name);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Fills in corrected_self_ns: self time less entry_ns for each call, and less callee_ns for each traced call
// it made or was interrupted by. It is never below 0 (a negative result is counted in damage.clipped). Does
// nothing if the profile is not timed.
void correct_self_times(FunctionProfile& profile, const Calibration& calibration);

}  // namespace netperfd::analysis
