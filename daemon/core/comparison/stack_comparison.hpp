// SPDX-License-Identifier: GPL-2.0-or-later
// Compares the samples of stored runs.
#pragma once

#include <vector>

#include "daemon/analysis/compare/stack_deltas.hpp"
#include "daemon/base/error.hpp"
#include "daemon/core/ports/run_queries.hpp"
#include "daemon/model/stack_comparison.hpp"

namespace netperfd::core {

struct StackRequest {
  std::vector<RunId> a, b;
  analysis::StackScope scope = analysis::StackScope::workload;
};

// invalid_argument if a side has no run or too many of them, if a run is named twice, or if the paths of all
// of them are too many; not_found if there is no such run, or if no run of a side was sampled.
[[nodiscard]] Status check_stack_request(const StackRequest& request);
[[nodiscard]] Result<StackComparison> compare_stacks(RunQueries& queries, const StackRequest& request);

}  // namespace netperfd::core
