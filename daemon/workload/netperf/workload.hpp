// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <memory>

#include "daemon/core/ports/workload.hpp"
#include "daemon/workload/site.hpp"

namespace netperfd::workload {

// Runs what the keys became: commands with figures.
[[nodiscard]] std::unique_ptr<core::Workload> make_netperf(const WorkloadSite& site);

}  // namespace netperfd::workload
