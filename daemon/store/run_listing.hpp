// SPDX-License-Identifier: GPL-2.0-or-later
// The queries behind RunQueries::runs() and selected_runs(), kept separate so that a test can ask SQLite for
// their plans.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "daemon/core/ports/run_queries.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

inline constexpr RunId kNewest = std::numeric_limits<RunId>::max();

struct RunListing {
  std::string sql;  // its rows are run ids, newest first
  std::vector<Value> parameters;
};

// Runs that are being removed.
enum class Hidden { no, too };

// At most `rows` runs that pass `filter` and are older than the run `before` (which may be deleted by now).
[[nodiscard]] RunListing list_runs(const core::RunFilter& filter, RunId before, std::uint32_t rows,
                                   Hidden hidden = Hidden::no);

// At most `rows` runs that pass `filter` and lie within one of `ranges`, which must not be empty. It uses
// no index.
[[nodiscard]] RunListing list_runs_in(const std::vector<core::RunRange>& ranges,
                                      const core::RunFilter& filter, std::uint32_t rows,
                                      Hidden hidden = Hidden::no);

}  // namespace netperfd::store
