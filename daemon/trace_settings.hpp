// What the tracing rooms have to know of this machine and of this process.
#pragma once

#include <string>

#include "daemon/base/error.hpp"
#include "daemon/config/daemon_config.hpp"
#include "daemon/trace/catalogue_settings.hpp"
#include "daemon/trace/session.hpp"
#include "daemon/workload/iperf3_features.hpp"

namespace netperfd {

// Where tracefs is, or belongs where it is not mounted.
[[nodiscard]] std::string tracefs_root();

// Where files of the daemon's own are that outlive it.
[[nodiscard]] std::string beside_the_database(const config::DaemonConfig& config, const char* name);

// The journal lies beside the database: what a dead daemon left must be known to the next one.
[[nodiscard]] Result<trace::SessionSettings> session_settings(const config::DaemonConfig& config);

[[nodiscard]] trace::CatalogueSettings catalogue_settings(const config::DaemonConfig& config,
                                                          const trace::SessionSettings& session,
                                                          const workload::Iperf3Features& iperf3);

}  // namespace netperfd
