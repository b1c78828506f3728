// SPDX-License-Identifier: GPL-2.0-or-later
// The environment of a run.
#pragma once

#include <sys/types.h>

#include <vector>

#include "daemon/model/fingerprint.hpp"
#include "daemon/model/job_spec.hpp"

namespace netperfd::core {

class FingerprintSource {
 public:
  virtual ~FingerprintSource() = default;
  // The facts at this moment, without those of the group trace, which trace_facts() adds. `workload` as in
  // ActiveWorkload::pids(). Never fails: facts that cannot be learnt are in Fingerprint::unknown. Starts no
  // process.
  [[nodiscard]] virtual Fingerprint take(const JobSpec& spec, const std::vector<pid_t>& workload) = 0;
};

}  // namespace netperfd::core
