// SPDX-License-Identifier: GPL-2.0-or-later
// What the page of a sweep's comparison says, in whatever format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/pages/lines.hpp"
#include "client/rows/comparison_views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl::sweeping {

// With printable() texts, as all that follows needs it.
[[nodiscard]] SweepView printable_view(SweepView view);

// The scenario, both sides, the points, the blocks of each, the job.
[[nodiscard]] std::vector<std::string> title_parts(const SweepView& view);
// "Is B (bbr) better than A (cubic), at each of 9 points?"
[[nodiscard]] std::string question(const SweepView& view);
// The values of each axis.
[[nodiscard]] Lines swept(const SweepView& view);
// How many points have which verdict, and what the intervals mean together.
[[nodiscard]] Lines verdict(const SweepView& view);

// A table of all points for each figure. If the screen is too narrow, a mail has no column cut.
[[nodiscard]] std::vector<Grid> tables(const SweepView& view, bool whole_names);
// "better", "leans worse", "inconclusive"
[[nodiscard]] std::string verdict_word(const SweepFigureView& row);
// "+4.1 %, +2.2 to +6.0 %, p 0.004", as far as it is known.
[[nodiscard]] std::string effect_words(const SweepFigureView& row);

// The points without figures, and why.
[[nodiscard]] Lines without_figures(const SweepView& view);
[[nodiscard]] Lines trends(const SweepView& view);
// The caveats of the other points.
[[nodiscard]] Lines evidence(const SweepView& view);
// The command that shows the page of one point: the first that is worse, or else that is no equivalence.
[[nodiscard]] std::string command_of_point(const SweepView& view);

}  // namespace netperfctl::sweeping
