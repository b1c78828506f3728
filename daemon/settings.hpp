// SPDX-License-Identifier: GPL-2.0-or-later
// The daemon's configuration, resolved on this machine.
#pragma once

#include <sys/types.h>

#include "daemon/base/error.hpp"
#include "daemon/config/daemon_config.hpp"
#include "daemon/config/scenario.hpp"
#include "daemon/log/log.hpp"
#include "daemon/options.hpp"
#include "daemon/reading/reader.hpp"
#include "daemon/workload/program_settings.hpp"

namespace netperfd {

// Complete before any of it is applied.
struct Settings {
  config::DaemonConfig config;
  workload::ProgramSettings iperf3;
  reading::ReaderSettings readers;
  gid_t group = 0;
  log::Level level = log::Level::info;
};

[[nodiscard]] Result<config::DaemonConfig> load_config(const Options& options);
// Also looks up the configured users and the group; call it while there is only one thread.
[[nodiscard]] Result<Settings> load_settings(const Options& options);

// Root's directory of scenarios and the installation's.
[[nodiscard]] config::ScenarioDirectories scenario_directories(const config::DaemonConfig& config);

// `netperfd --check`: prints a line for each scenario; returns the exit code.
[[nodiscard]] int check_settings(const Settings& settings);

}  // namespace netperfd
