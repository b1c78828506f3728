// What root decides for the whole daemon: /etc/netperfd/netperfd.yaml.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"

namespace netperfd::config {

// Each member is one key of the file, with its default; etc/netperfd.yaml shows them all.
struct DaemonConfig {
  std::string scenarios_dir = "/etc/netperfd/scenarios.d";
  std::string database = "/var/lib/netperfd/netperfd.db";
  std::uint64_t min_free_bytes = 64ULL << 20U;  // with less on the database's disk no job is accepted
  std::string iperf3_path = "iperf3";           // absolute, or a bare name for the fixed search path
  std::string iperf3_user = "netperfd";         // a name or a number, as is the group
  std::string authorization_group = "netperfd";
  std::uint32_t queue_limit = 64;  // jobs that wait
  std::uint32_t repeat_limit = 1'000;
  std::chrono::milliseconds timeout_limit = std::chrono::hours(24);  // the longest limits.timeout of a job
  std::string log_level = "info";                                    // debug, info, warning or error

  bool operator==(const DaemonConfig&) const = default;
};

enum class IfMissing { use_defaults, fail };

// invalid_argument with a line for each error of the file; io where it cannot be read. The default file may
// be missing, one that somebody named may not. An empty file is all defaults.
[[nodiscard]] Result<DaemonConfig> load_daemon_config(const std::string& path, IfMissing if_missing);

// Every key of the file, mappings left out; in its order.
[[nodiscard]] std::vector<std::string> daemon_config_keys();

}  // namespace netperfd::config
