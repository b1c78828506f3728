// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "daemon/counters/machine_facts.hpp"

namespace netperfd::counters {
namespace {

struct Directory {
  const char* name;                           // below /proc/sys
  std::array<std::string_view, 12> prefixes;  // of the relevant files; empty: all
};

constexpr std::array<Directory, 3> kDirectories{{
    {"net/core", {}},
    {"net/ipv4",
     {"tcp_", "udp_", "ip_forward", "ip_no_pmtu", "ip_early_demux", "ip_default_ttl", "fib_multipath",
      "fwmark_reflect"}},
    {"net/bridge", {"bridge-nf-call"}},
}};

constexpr std::array<const char*, 8> kKernelKeys{
    "kernel/numa_balancing",     "kernel/nmi_watchdog",        "kernel/sched_autogroup_enabled",
    "kernel/timer_migration",    "kernel/sched_rt_runtime_us", "kernel/sched_schedstats",
    "kernel/sched_energy_aware", "kernel/bpf_stats_enabled"};

constexpr std::array<std::string_view, 9> kNoFacts{
    "netdev_rss_key",    // random at boot
    "tcp_fastopen_key",  // a secret
    "tcp_mem",
    "udp_mem",                           // computed at boot from the free memory
    "tcp_available_congestion_control",  // grows when a module is loaded, which is a fact of its own
    "tcp_allowed_congestion_control",
    "tcp_available_ulp",
    "tcp_ehash_entries",  // negative: refers to the host namespace's table
    "udp_hash_entries"};

bool counts(const Directory& directory, std::string_view name) {
  if (std::ranges::find(kNoFacts, name) != kNoFacts.end()) return false;
  if (directory.prefixes.front().empty()) return true;
  return std::ranges::any_of(directory.prefixes, [&](std::string_view prefix) {
    return !prefix.empty() && name.starts_with(prefix);
  });
}

void add_key(const std::string& proc, std::string path, const std::string& at, FactSheet& sheet) {
  const std::string file = fmt::format("{}/sys/{}", proc, path);
  std::ranges::replace(path, '/', '.');
  const auto text = read_text(file);
  if (text) {
    sheet.add("sysctl:" + path, "value" + at, *text);
  } else if (text.error() != ENOENT && text.error() != EISDIR) {
    sheet.add_unknown("sysctl:" + path, "value" + at, text.error());
  }
}

}  // namespace

void add_sysctl_facts(const std::string& proc, const std::string& netns, bool host, FactSheet& sheet) {
  const std::string at = netns.empty() ? "" : "@" + netns;
  for (const Directory& directory : kDirectories) {
    for (const std::string& name : names_in(fmt::format("{}/sys/{}", proc, directory.name))) {
      if (counts(directory, name)) add_key(proc, fmt::format("{}/{}", directory.name, name), at, sheet);
    }
  }
  if (!host) return;
  for (const char* key : kKernelKeys) add_key(proc, key, "", sheet);
}

}  // namespace netperfd::counters
