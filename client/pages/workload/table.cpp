// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <string_view>
#include <utility>

#include "client/pages/workload/workload.hpp"

namespace netperfctl {

const WorkloadPage& page_of(const RunView& run) {
  static constexpr std::pair<std::string_view, const WorkloadPage*> kPages[] = {
      {"command", &kCommandPage},   {"import", &kImportPage},   {"iperf3", &kIperf3Page},
      {"latency", &kLatencyPage},   {"netperf", &kNetperfPage}, {"none", &kNonePage},
      {"sockperf", &kSockperfPage},
  };
  if (!run.workload) return kIperf3Page;
  const auto* found =
      std::ranges::find(kPages, *run.workload, &std::pair<std::string_view, const WorkloadPage*>::first);
  return found == std::end(kPages) ? kOtherPage : *found->second;
}

}  // namespace netperfctl
