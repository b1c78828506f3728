// SPDX-License-Identifier: GPL-2.0-or-later
// Root's settings for the whole daemon: /etc/netperfd/netperfd.yaml.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/core/queue/quotas.hpp"
#include "daemon/core/retention/keep_rules.hpp"
#include "daemon/keys/schema.hpp"
#include "daemon/model/allowed_places.hpp"
#include "daemon/model/event_patterns.hpp"

namespace netperfd::config {

// Each member is one key of the file, with its default; etc/netperfd.yaml shows them all.
struct DaemonConfig {
  std::string scenarios_dir = "/etc/netperfd/scenarios.d";  // precedes the shipped ones
  std::string shipped_scenarios_dir = "/usr/share/netperfd/scenarios.d";
  std::string database = "/var/lib/netperfd/netperfd.db";
  std::uint64_t min_free_bytes = 64ULL << 20U;  // no run begins if the database's disk has less
  std::string iperf3_path = "iperf3";           // absolute, or a bare name for the fixed search path
  std::string echo_path = "netperfd-echo";      // likewise
  std::string switch_path = "/usr/share/netperfd/switch";  // which sets what a side sets on the machine
  std::string iperf3_user = "netperfd";                    // a name or a number, as is the group
  std::string readers_user = "netperfd-reader";
  std::string authorization_group = "netperfd";
  std::vector<std::string> trace_events = network_events();  // patterns that fits_event() takes
  AllowedPlaces allow;                                       // to members, in their own jobs
  std::uint32_t queue_limit = 64;                            // maximum number of waiting jobs
  core::UserLimits user_limits;                              // of each user but root
  std::uint32_t repeat_limit = 1'000;
  std::chrono::milliseconds timeout_limit = std::chrono::hours(24);  // maximum of a job's limits.timeout
  std::vector<core::KeepRule> keep;                                  // none: everything is kept
  std::string log_level = "info";                                    // debug, info, warning or error

  bool operator==(const DaemonConfig&) const = default;
};

enum class IfMissing { use_defaults, fail };

// invalid_argument with a line for each error in the file; io if it cannot be read. The default file may be
// missing, but one that the user named may not. An empty file means all defaults.
[[nodiscard]] Result<DaemonConfig> load_daemon_config(const std::string& path, IfMissing if_missing);
// The same of the file's text; errors call it `origin`.
[[nodiscard]] Result<DaemonConfig> parse_daemon_config(const std::string& text, const std::string& origin);

// The keys that differ between what the daemon began with and what a reload read, and that take effect only
// at its next start: runs under way depend on them.
[[nodiscard]] std::vector<std::string> keys_of_next_start(const DaemonConfig& began,
                                                          const DaemonConfig& read);

// Every key of the file without mappings, in the order of the file. The texts of keys that have a default
// leave it out: etc/netperfd.yaml has it.
[[nodiscard]] std::vector<keys::KeyRow> daemon_config_keys();

}  // namespace netperfd::config
