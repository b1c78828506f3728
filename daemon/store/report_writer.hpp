// SPDX-License-Identifier: GPL-2.0-or-later
// What a run has from iperf3's document. Both calls belong into a transaction of the caller.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "daemon/core/ports/reread_store.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// The report's columns of the run, its sums, streams, intervals and flags. The run must not have any yet, but
// the first intervals, whose number is `early`.
[[nodiscard]] Status write_report(Connection& connection, RunId run, const WorkloadReport& report,
                                  const std::vector<QualityFlag>& flags, std::size_t early = 0);

// `first` is the position of the first one.
[[nodiscard]] Status write_intervals(Connection& connection, RunId run, std::span<const Interval> intervals,
                                     std::size_t first);

// Replaces all of this, and the rest of the reading. not_found if there is no such run that has ended.
[[nodiscard]] Status replace_reading(Connection& connection, RunId run, const core::RunReading& reading);

}  // namespace netperfd::store
