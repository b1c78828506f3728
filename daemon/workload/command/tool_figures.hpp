// SPDX-License-Identifier: GPL-2.0-or-later
// Figures of programs that netperfd knows, read as their imported texts are.
#pragma once

#include "daemon/base/error.hpp"
#include "daemon/core/ports/figure_reading.hpp"
#include "daemon/model/command_spec.hpp"

namespace netperfd::workload {

// The value of the figure with this name and unit. not_found with a sentence if the text has no result, is
// not of what was asked for, or lacks the figure.
[[nodiscard]] Result<double> by_tool(const DeclaredFigure& figure, const core::FigureText& text);

}  // namespace netperfd::workload
