// SPDX-License-Identifier: GPL-2.0-or-later
// Takes the fingerprint of this host's environment.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "daemon/core/ports/fingerprint_source.hpp"
#include "daemon/counters/fact_sheet.hpp"

namespace netperfd::counters {

// Reads files, netlink and SIOCETHTOOL in the namespaces of the workload's processes. A separate thread
// enters them, so that the daemon's threads stay where they are.
class EnvironmentFingerprint final : public core::FingerprintSource {
 public:
  // `iperf3_version`: of the iperf3 that runs workloads; empty: unknown.
  explicit EnvironmentFingerprint(std::string iperf3_version, SystemRoots roots = {});

  // The first process is the client, a second one a local server. Devices are those on the path that starts
  // at the device of the route to the server. If the server is given by a host name, there are none.
  [[nodiscard]] Fingerprint take(const JobSpec& spec, const std::vector<pid_t>& workload) override;

 private:
  std::string iperf3_version_;
  SystemRoots roots_;
};

}  // namespace netperfd::counters
