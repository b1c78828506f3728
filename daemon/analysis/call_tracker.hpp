// From entries and exits to calls, and from calls to a function profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/analysis/graph_event.hpp"
#include "daemon/model/function_profile.hpp"

namespace netperfd::analysis {

struct CallSettings {
  // The kernel's option sleep-time: durations hold the time off the CPU. Absent: not known; taken for true,
  // as which the kernel begins.
  std::optional<bool> sleep_in_recorded = true;
  bool off_cpu_known = true;  // task_switch events are among the events
  std::size_t tree_nodes = 10'000;
  std::size_t functions = 20'000;  // others are counted together: address 0, named "others"
  std::size_t tasks = 100'000;     // with calls under way; the oldest is given up beyond it
  std::size_t slices = 400;        // at most, and at least half as many in a long run
};

// How a recorded address is called.
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

  // In order of time over all CPUs.
  void add(std::uint32_t cpu, const GraphEvent& event);

  // Calls that ended since the call before it, by address, those that had any.
  struct Hits {
    std::uint64_t function = 0;
    std::uint64_t hits = 0;
    std::uint64_t self_ns = 0;
  };
  [[nodiscard]] std::vector<Hits> take_hits();

  // Everything but depth, calibration, builds and corrected times. Addresses with the same name are one
  // function. A function none of whose calls has ended stands there, with 0 hits, where it has called one
  // that has. Percentiles lie between the exact least and greatest. Calls under way of tasks that were given
  // up count as open at the end. May be called at any time, also again.
  [[nodiscard]] FunctionProfile finish(const FunctionNamer& name);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Fills in corrected_self_ns: self time less entry_ns for each call and less callee_ns for each traced call
// it made or was interrupted by, never below 0 (counted in damage.clipped where it would have been). Nothing
// where the profile is not timed.
void correct_self_times(FunctionProfile& profile, const Calibration& calibration);

}  // namespace netperfd::analysis
