// SPDX-License-Identifier: GPL-2.0-or-later
// The figures of runs that a workload or a scenario brings: the table run_figures.
#pragma once

#include <vector>

#include "daemon/model/named_figure.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// internal if problem_of() finds one: whoever reads a workload's output leaves such figures out.
[[nodiscard]] Status write_named_figures(Connection& connection, RunId run,
                                         const std::vector<NamedFigure>& figures);
// For statements that read several runs: the columns, and a row of them.
inline constexpr const char* kNamedFigureColumns = "name, unit, better, value";
[[nodiscard]] NamedFigure read_named_figure(RowReader& row);
// Those that the job judges first and in its order, then the others by name. not_found if there is no such
// run.
[[nodiscard]] Result<std::vector<NamedFigure>> read_named_figures(Connection& connection, RunId run);

}  // namespace netperfd::store
