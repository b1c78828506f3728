// SPDX-License-Identifier: GPL-2.0-or-later
// Intervals that are stored before the record of their run (core::RunStore::add_intervals). Each call belongs
// into a transaction of the caller.
#pragma once

#include <cstddef>
#include <string>

#include "daemon/base/error.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

[[nodiscard]] Result<std::size_t> count_early_intervals(Connection& connection, RunId run);

// How many of the `stored` ones are the record's: all or none. Removes them if it has fewer, as when the end
// of a run is stored without its record.
[[nodiscard]] Result<std::size_t> take_early_intervals(Connection& connection, const RunRecord& record,
                                                       std::size_t stored);

// Removes those of the runs that meet the condition, whose records will not come. stored_bytes of these runs
// is the caller's to correct.
[[nodiscard]] Status remove_early_intervals(Connection& connection, const std::string& runs_where);

}  // namespace netperfd::store
