// SPDX-License-Identifier: GPL-2.0-or-later
// The paths that the catalogue and the doctor read. Plain values, so that tests can use their own
// directories.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace netperfd::trace {

// Facts about the installed iperf3; the workload module finds them out.
struct Iperf3Facts {
  bool found = false;
  std::string version;       // "3.12"; empty if unknown
  bool json_stream = false;  // has --json-stream
  std::optional<bool> sctp;  // has --sctp; absent: unknown
};

struct CatalogueSettings {
  std::string proc = "/proc";
  std::string sys = "/sys";
  std::string boot = "/boot";        // config-RELEASE
  std::string root;                  // in front of /etc, /run and /usr; empty except in tests
  std::string netns = "/run/netns";  // named network namespaces
  std::string modules_root;          // "/lib/modules/RELEASE": modules.dep, modules.builtin
  std::string cache_file;            // for probe results since the boot; empty: nothing is kept
  std::string boot_id;               // /proc/sys/kernel/random/boot_id
  std::string kernel_release;        // as from uname -r
  std::string version;               // netperfd's
  std::string own_instance;          // SessionSettings::instance: it exists while a job traces
  std::string run_groups_missing;    // why a run has no cgroup of its own; empty: it has one
  Iperf3Facts iperf3;
  // Scenarios that cannot be measured because a program is missing: a clause each. Null: not known.
  std::function<std::vector<std::string>()> missing_programs;
  std::string echo;  // netperfd-echo: an absolute path, or a bare name that was not found
};

}  // namespace netperfd::trace
