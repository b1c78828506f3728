// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/netperf/workload.hpp"

#include "daemon/workload/command/workload.hpp"

namespace netperfd::workload {

std::unique_ptr<core::Workload> make_netperf(const WorkloadSite& site) {
  return make_command(site);
}

}  // namespace netperfd::workload
