// SPDX-License-Identifier: GPL-2.0-or-later
// What pages say of a run by its workload: each workload has a file of this folder and a line in table.cpp.
#pragma once

#include <string>

#include "client/rows/views.hpp"

namespace netperfctl {

struct WorkloadPage {
  // The result of a finished run in a few words.
  std::string (*answer)(const ShowView& view);
  // What made the traffic, and how much: "iperf3 3.12, TCP (cubic), 1 stream, 10 s".
  std::string (*what)(const RunView& run);
  // In place of figures, where the run has none.
  std::string (*nothing)(const RunView& run);
  // False if the run only observed the kernel, here or on the machine that an imported file comes from.
  bool (*makes_traffic)(const RunView& run);
  bool has_place = true;       // both ends are known, or the page says that they are not
  bool probes_alone = false;   // its intervals are those of latency
  bool until_stopped = false;  // somebody ends it
  bool can_start = true;       // its scenario can be measured again
};

// Of a workload that this client does not know, its word and whatever figures the run has. A run without the
// word is one of iperf3.
[[nodiscard]] const WorkloadPage& page_of(const RunView& run);

[[nodiscard]] inline bool is_trace_only(const RunView& run) {
  return !page_of(run).makes_traffic(run);
}

extern const WorkloadPage kCommandPage, kImportPage, kIperf3Page, kLatencyPage, kNetperfPage, kNonePage,
    kOtherPage, kSockperfPage;

}  // namespace netperfctl
