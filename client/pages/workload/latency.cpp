// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/latency_text.hpp"
#include "client/pages/workload/workload.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl {

const WorkloadPage kLatencyPage{
    .answer =
        [](const ShowView& view) {
          const std::string latency = show::latency_words(view.details.run);
          return latency.empty() ? "latency not known" : latency;
        },
    .what =
        [](const RunView& run) {
          return "probes of the latency alone" +
                 (run.duration_s ? ", " + format_seconds(*run.duration_s) : "");
        },
    .nothing = [](const RunView&) { return std::string{"latency not known"}; },
    .makes_traffic = [](const RunView&) { return true; },
    .probes_alone = true,
};

}  // namespace netperfctl
