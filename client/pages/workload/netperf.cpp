// SPDX-License-Identifier: GPL-2.0-or-later
// Runs of netperf, and what others measured with it.
#include "client/pages/workload/traffic_words.hpp"
#include "client/pages/workload/workload.hpp"

namespace netperfctl {

const WorkloadPage kNetperfPage{
    .answer =
        [](const ShowView& view) {
          return figures_in_words(view, {"transactions", "throughput", "round_trip.p99"});
        },
    .what = [](const RunView& run) { return traffic_words(run, "netperf"); },
    .nothing = [](const RunView&) { return std::string{"measured by netperf"}; },
    .makes_traffic = [](const RunView&) { return true; },
    .has_place = false,  // a text that was imported has none
};

}  // namespace netperfctl
