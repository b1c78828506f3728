// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/named_figures_text.hpp"
#include "client/pages/workload/traffic_words.hpp"
#include "client/pages/workload/workload.hpp"

namespace netperfctl {

const WorkloadPage kIperf3Page{
    .answer =
        [](const ShowView& view) {
          return received_words(
              view, view.figures.empty() ? "throughput not known" : show::figure_words(view.figures.front()));
        },
    .what = [](const RunView& run) { return traffic_words(run, iperf3_words(run)); },
    .nothing = [](const RunView&) { return std::string{"throughput not known"}; },
    .makes_traffic = [](const RunView&) { return true; },
};

}  // namespace netperfctl
