// What function_graph itself adds to the times it takes, measured on the running kernel.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/analysis/graph_event.hpp"
#include "daemon/base/error.hpp"
#include "daemon/model/function_profile.hpp"
#include "daemon/trace/session.hpp"
#include "daemon/trace/tracefs.hpp"

namespace netperfd::trace {

// Calls of one parent function, traced alone and then together with functions that it calls.
struct CalibrationRound {
  struct Call {
    std::uint64_t duration_ns = 0;
    std::uint32_t callees = 0;  // traced ones that it made directly
  };
  std::vector<Call> alone, with_callees;
  std::map<std::uint64_t, std::vector<std::uint64_t>> callee_ns;  // durations, by address

  // Takes in what was recorded with the parent alone, which must come first, or with its callees too: of each
  // CPU in its order.
  void add_alone(const std::vector<analysis::GraphEvent>& events);
  void add_with_callees(const std::vector<analysis::GraphEvent>& events);

 private:
  std::uint64_t parent_ = 0;  // its address
};

// The arithmetic of it. io, with why, where the rounds tell no cost or disagree about it: another try may do
// better.
[[nodiscard]] Result<Calibration> calibrate(const std::vector<CalibrationRound>& rounds);

class Calibrator {
 public:
  // `tracefs` must outlive it.
  Calibrator(Tracefs& tracefs, SessionSettings settings)
      : tracefs_(tracefs), settings_(std::move(settings)) {}

  // Measures at the first call, for which tracefs is claimed and given back, and keeps the result, or that
  // this kernel cannot have one (unsupported).
  [[nodiscard]] Result<Calibration> calibration();
  // As of TraceSession: what the measuring met. Afterwards there is nothing left to tell.
  [[nodiscard]] std::vector<std::string> take_neighbours() { return std::exchange(neighbours_, {}); }

 private:
  Tracefs& tracefs_;
  SessionSettings settings_;
  std::optional<Result<Calibration>> known_;
  std::vector<std::string> neighbours_;
};

}  // namespace netperfd::trace
