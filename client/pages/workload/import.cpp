// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/workload/traffic_words.hpp"
#include "client/pages/workload/workload.hpp"

namespace netperfctl {
namespace {

// Of the files of a run, those of a tool name a protocol; a trace does not.
bool has_document(const RunView& run) {
  return run.protocol.has_value();
}

const WorkloadPage& shown_as(const RunView& run) {
  return has_document(run) ? kIperf3Page : kNonePage;
}

}  // namespace

const WorkloadPage kImportPage{
    .answer = [](const ShowView& view) { return shown_as(view.details.run).answer(view); },
    .what =
        [](const RunView& run) {
          return has_document(run) ? traffic_words(run, iperf3_words(run), "imported from a file")
                                   : "none: the trace was imported from a file";
        },
    .nothing = [](const RunView& run) { return shown_as(run).nothing(run); },
    .makes_traffic = has_document,
    .can_start = false,
};

}  // namespace netperfctl
