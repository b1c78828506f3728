// SPDX-License-Identifier: GPL-2.0-or-later
// Programs that netperfd knows only from a scenario.
#include "client/pages/named_figures_text.hpp"
#include "client/pages/workload/workload.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl {

const WorkloadPage kCommandPage{
    .answer =
        [](const ShowView& view) {
          return view.figures.empty() ? std::string{"what was measured is not known"}
                                      : show::figure_words(view.figures.front());
        },
    .what =
        [](const RunView& run) {
          return "commands of the scenario" + (run.duration_s ? ", " + format_seconds(*run.duration_s) : "");
        },
    .nothing = [](const RunView&) { return std::string{"its own figures"}; },
    .makes_traffic = [](const RunView&) { return true; },
    .has_place = false,  // but if it has a server
};

}  // namespace netperfctl
