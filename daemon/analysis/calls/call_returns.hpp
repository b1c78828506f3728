// SPDX-License-Identifier: GPL-2.0-or-later
// Calls of a recording that has their ends alone, as with tracing_thresh: the kernel then writes the exit of
// a call that took long enough, and no entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "daemon/analysis/calls/function_table.hpp"
#include "daemon/analysis/calls/graph_event.hpp"

namespace netperfd::analysis {

class CallReturns {
 public:
  CallReturns(std::size_t most_functions, std::size_t most_tasks)
      : functions_(most_functions, 1), most_tasks_(most_tasks) {}

  // An exit of the task with this key.
  void add(std::uint64_t task, const GraphEvent& event);
  [[nodiscard]] bool any() const { return any_; }
  // Only hits, total times and recorded times are meaningful.
  [[nodiscard]] const FunctionTable& functions() const { return functions_; }

 private:
  struct Ended {
    std::uint32_t function = 0;
    std::uint16_t depth = 0;
    std::uint64_t ns = 0;
  };

  FunctionTable functions_;
  std::size_t most_tasks_;
  std::unordered_map<std::uint64_t, std::vector<Ended>> ended_;  // whose caller has not ended, by task
  bool any_ = false;
};

}  // namespace netperfd::analysis
