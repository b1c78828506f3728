// SPDX-License-Identifier: GPL-2.0-or-later
// Chooses the functions that all runs of a job trace.
//
// Of a design with commands, these are the functions that both sides have: the tracer's cost for a function
// that only one side has would burden only that side, which can flip the sign of a small difference. If the
// job has a budget, they are those of them whose tracing it allows.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/core/run/call_counter.hpp"
#include "daemon/core/sides/sides.hpp"
#include "daemon/model/budget.hpp"

namespace netperfd::core {

// The names, sorted, that a comparison could not match with one of the other list (function_match.hpp).
[[nodiscard]] std::vector<std::string> functions_of_one_side(const std::vector<std::string>& a,
                                                             const std::vector<std::string>& b);

// Code of the flag of a traced run whose job has a budget that could not be applied.
inline constexpr std::string_view kBudgetNotApplied = "budget-not-applied";

// Applies a choice that was made.
void set_budget(const JobBudget& chosen, TraceSpec& trace);

// Looks at each side, or once if there are none. It counts with all functions, since only then are those
// known that both sides have; the tracer's cost is subtracted.
class FunctionChoice {
 public:
  // All must outlive the object. `sides`: null if the job's design has no commands. `counts`: the choice by
  // the budget, which the job has, is to be made too.
  FunctionChoice(CallCounter::Ports ports, Sides* sides, JobSpec& job, bool counts)
      : ports_(ports), sides_(sides), job_(job), counts_(counts) {}
  FunctionChoice(const FunctionChoice&) = delete;
  FunctionChoice& operator=(const FunctionChoice&) = delete;

  // Ends on the side and the build of `last`, and sets the job's trace. `done` is called once, never inside
  // this call, and may destroy this object. If the functions of a side cannot be listed, or the calls cannot
  // be counted, nothing is left out for it: the runs report the reason.
  void make(const Slot& last, Sides::Done done);
  // Ends make() early; its `done` is still called.
  void give_up();
  // What to store; absent if nothing was to be counted, or it was given up.
  [[nodiscard]] const std::optional<JobBudget>& budget() const { return budget_; }
  // Whether the server was busy or absent for all of the job's wait.
  [[nodiscard]] bool missed_server() const { return missed_server_; }
  [[nodiscard]] std::string waiting() const { return counter_ ? counter_->waiting() : ""; }

 private:
  void look(std::function<void()> next);
  // If functions are left out, it counts the others once more, which corrects the first count.
  void choose();
  void apply_budget();
  void leave_out_lonely();
  void finish(const Status& status);

  CallCounter::Ports ports_;
  Sides* sides_;
  JobSpec& job_;
  bool counts_;
  bool given_up_ = false;
  bool missed_server_ = false;
  std::string failure_;                              // of a count
  std::vector<std::vector<std::string>> functions_;  // of each side
  std::vector<analysis::CallCount> calls_;
  std::optional<JobBudget> budget_;
  std::unique_ptr<CallCounter> counter_;
  Sides::Done done_;
};

}  // namespace netperfd::core
