// SPDX-License-Identifier: GPL-2.0-or-later
// Lists the runs of a selection page by page.
#pragma once

#include <cstdint>
#include <string>

#include "daemon/base/error.hpp"
#include "daemon/core/comparison/run_selection.hpp"
#include "daemon/core/ports/run_queries.hpp"

namespace netperfd::core {

inline constexpr std::uint32_t kListedRuns = 20'000;  // maximum number of runs in such a list

// At most `limit` of the selected runs, newest first; none is no error, nor is a number without a run.
// invalid_argument for a cursor of another list, or if more than kListedRuns match.
[[nodiscard]] Result<Page<RunRow>> list_selected(RunQueries& queries, const RunSelection& selection,
                                                 const std::string& cursor, std::uint32_t limit);

}  // namespace netperfd::core
