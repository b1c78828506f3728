// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the figures of a scenario in what its commands wrote. Whoever they talk to has a say in that, so call
// it in a confined process.
#pragma once

#include <vector>

#include "daemon/core/ports/figure_reading.hpp"
#include "daemon/model/command_spec.hpp"

namespace netperfd::workload {

// The values in the order of the figures. not_found if one of them is missing or no finite number, with its
// name, where it was looked for and what is there.
[[nodiscard]] core::FigureReading::Values read_command_figures(const std::vector<DeclaredFigure>& figures,
                                                               const std::vector<core::FigureText>& texts);

}  // namespace netperfd::workload
