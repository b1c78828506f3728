// Takes the fingerprint of this host's environment.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "daemon/core/ports.hpp"
#include "daemon/counters/fact_sheet.hpp"

namespace netperfd::counters {

// Reads files, netlink and SIOCETHTOOL in the namespaces of the workload's processes, which a thread of its
// own enters: what it leaves behind there is nothing.
class EnvironmentFingerprint final : public core::FingerprintSource {
 public:
  // `iperf3_version`: of the iperf3 that runs workloads; empty: not known.
  explicit EnvironmentFingerprint(std::string iperf3_version, SystemRoots roots = {});

  // The first process is the client, a second one a local server. Devices are those on the way from the one
  // that the route to the server leaves by; of a server that is named by a host name none can be told.
  [[nodiscard]] Fingerprint take(const JobSpec& spec, const std::vector<pid_t>& workload) override;

 private:
  std::string iperf3_version_;
  SystemRoots roots_;
};

}  // namespace netperfd::counters
