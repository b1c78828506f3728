// SPDX-License-Identifier: GPL-2.0-or-later
// The tracing modules' settings for this machine and this process.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/config/daemon_config.hpp"
#include "daemon/trace/catalogue/catalogue_settings.hpp"
#include "daemon/trace/tracefs/session.hpp"
#include "daemon/workload/iperf3/features.hpp"
#include "daemon/workload/run_group.hpp"

namespace netperfd {

// The mount point of tracefs, or its standard place if it is not mounted.
[[nodiscard]] std::string tracefs_root();

// Path of a file that outlives the daemon.
[[nodiscard]] std::string beside_the_database(const config::DaemonConfig& config, const char* name);

// The journal is next to the database, so that the next daemon finds what a dead one left.
[[nodiscard]] Result<trace::SessionSettings> session_settings(const config::DaemonConfig& config);

[[nodiscard]] trace::CatalogueSettings catalogue_settings(const config::DaemonConfig& config,
                                                          const trace::SessionSettings& session,
                                                          const workload::Iperf3Features& iperf3,
                                                          const workload::GroupSite& groups,
                                                          std::function<std::vector<std::string>()> missing);

}  // namespace netperfd
