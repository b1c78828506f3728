// SPDX-License-Identifier: GPL-2.0-or-later
// Runs of sockperf, and what others measured with it.
#include "client/pages/workload/traffic_words.hpp"
#include "client/pages/workload/workload.hpp"

namespace netperfctl {

const WorkloadPage kSockperfPage{
    .answer =
        [](const ShowView& view) {
          return figures_in_words(view, {"half_round_trip.p50", "round_trip.p50", "half_round_trip.p99",
                                         "round_trip.p99", "bandwidth", "message_rate"});
        },
    .what = [](const RunView& run) { return traffic_words(run, "sockperf"); },
    .nothing = [](const RunView&) { return std::string{"measured by sockperf"}; },
    .makes_traffic = [](const RunView&) { return true; },
    .has_place = false,  // a text that was imported has none
};

}  // namespace netperfctl
