// SPDX-License-Identifier: GPL-2.0-or-later
// The figures that the workload or the scenario of a run brings.
#pragma once

#include <string>

#include "client/rows/views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl::show {

// "12.5 requests per second"
[[nodiscard]] std::string figure_words(const NamedFigureView& figure);
// The run's figure in a list; empty if it has none.
[[nodiscard]] std::string figure_words(const RunView& run);
// A table of them on the page of the run; empty if there are none.
[[nodiscard]] std::string figures_part(const Screen& screen, const ShowView& view);
// The same where the caller asked for the list alone.
[[nodiscard]] std::string figures_list(const Screen& screen, const ShowView& view);

}  // namespace netperfctl::show
