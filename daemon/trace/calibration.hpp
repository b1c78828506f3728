// SPDX-License-Identifier: GPL-2.0-or-later
// Measures, on the running kernel, what function_graph itself adds to recorded times.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/analysis/calls/graph_event.hpp"
#include "daemon/base/error.hpp"
#include "daemon/model/function_profile.hpp"
#include "daemon/trace/tracefs/session.hpp"
#include "daemon/trace/tracefs/tracefs.hpp"

namespace netperfd::trace {

// Calls of one parent function, traced alone and then together with functions that it calls.
struct CalibrationRound {
  struct Call {
    std::uint64_t duration_ns = 0;
    std::uint32_t callees = 0;  // traced ones that it called directly
  };
  std::vector<Call> alone, with_callees;
  std::map<std::uint64_t, std::vector<std::uint64_t>> callee_ns;  // durations, by address

  // Adds the calls recorded with only the parent traced (this must come first), or with its callees too. The
  // events of each CPU must be in order.
  void add_alone(const std::vector<analysis::GraphEvent>& events);
  void add_with_callees(const std::vector<analysis::GraphEvent>& events);

 private:
  std::uint64_t parent_ = 0;  // its address
};

// Computes the cost, in nanoseconds, and its standard error from the rounds. io, with the reason, if the
// rounds show no cost or disagree about it: another try may do better.
[[nodiscard]] Result<Calibration> calibrate(const std::vector<CalibrationRound>& rounds);

class Calibrator {
 public:
  // `tracefs` must outlive this object.
  Calibrator(Tracefs& tracefs, SessionSettings settings)
      : tracefs_(tracefs), settings_(std::move(settings)) {}

  // Claims tracefs, measures and restores tracefs: right before each run, since the cost changes with the
  // speed of the CPU. Only the result that this kernel cannot be measured (unsupported) is kept.
  [[nodiscard]] Result<Calibration> calibration();
  // Other users of tracefs that were seen while measuring, as in TraceSession. Each is returned only once.
  [[nodiscard]] std::vector<std::string> take_neighbours() { return std::exchange(neighbours_, {}); }

 private:
  Tracefs& tracefs_;
  SessionSettings settings_;
  std::optional<Error> unsupported_;
  std::vector<std::string> neighbours_;
};

}  // namespace netperfd::trace
