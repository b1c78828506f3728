// SPDX-License-Identifier: GPL-2.0-or-later
// The figures that jobs declare, and their values in runs; core::RunQueries documents the calls.
#pragma once

#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/model/figure.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

[[nodiscard]] Status insert_figures(Connection& connection, JobId job,
                                    const std::vector<FigureChoice>& figures);
// unsupported if this version does not know one of them, as it may be in a bundle.
[[nodiscard]] Result<std::vector<FigureChoice>> read_figures_of(Connection& connection, JobId job);
[[nodiscard]] Status read_figure_values(Connection& connection, const std::vector<Figure>& figures,
                                        std::vector<analysis::ComparedRun>& runs);

}  // namespace netperfd::store
