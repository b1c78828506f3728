// SPDX-License-Identifier: GPL-2.0-or-later
// What the samples of a run cost for each unit of its work.
#pragma once

#include <optional>

#include "daemon/core/ports/run_queries.hpp"
#include "daemon/model/work_unit.hpp"

namespace netperfd::core {

struct SampleWork {
  WorkUnit unit = WorkUnit::byte;
  double amount = 0;         // in the whole run
  double ns_per_sample = 0;  // CPU time that one stands for
};
// In the unit that a comparison of such runs uses. Absent: the run was not sampled, or nobody knows what it
// did.
[[nodiscard]] Result<std::optional<SampleWork>> sample_work_of(RunQueries& queries, RunId run);

}  // namespace netperfd::core
