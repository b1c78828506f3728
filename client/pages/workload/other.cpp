// SPDX-License-Identifier: GPL-2.0-or-later
// A workload that only a later netperfd has.
#include "client/pages/named_figures_text.hpp"
#include "client/pages/workload/traffic_words.hpp"
#include "client/pages/workload/workload.hpp"

namespace netperfctl {

const WorkloadPage kOtherPage{
    .answer =
        [](const ShowView& view) {
          return received_words(view, view.figures.empty() ? "what was measured is not known"
                                                           : show::figure_words(view.figures.front()));
        },
    .what = [](const RunView& run) { return traffic_words(run, *run.workload); },
    .nothing = [](const RunView& run) { return "measured by " + *run.workload; },
    .makes_traffic = [](const RunView&) { return true; },
    .has_place = false,
};

}  // namespace netperfctl
