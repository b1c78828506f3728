// SPDX-License-Identifier: GPL-2.0-or-later
// Samples of what the CPUs do during a run.
#pragma once

#include <sys/types.h>

#include <memory>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/sample_profile.hpp"

namespace netperfd::core {

// The sampling of one run. Destroying it ends the sampling.
class ActiveSampling {
 public:
  virtual ~ActiveSampling() = default;
  // The workload was released just now, or has told just now that its test begins: earlier samples do not
  // count.
  virtual void released() = 0;
  // The workload has ended: later samples do not count. Quick.
  virtual void stop() = 0;
  // After stop(); the last call.
  [[nodiscard]] virtual SampleProfile finish() = 0;
};

class Sampler {
 public:
  virtual ~Sampler() = default;
  // An error says why no job can be sampled at this rate here; nothing is begun.
  [[nodiscard]] virtual Status check(const SampleSpec& spec) = 0;
  // Begins to sample. `workload` as in ActiveWorkload::pids(). Never null: if the kernel refuses, the profile
  // says why (SampleProfile::skipped).
  [[nodiscard]] virtual std::unique_ptr<ActiveSampling> open(const SampleSpec& spec,
                                                             const std::vector<pid_t>& workload) = 0;
};

}  // namespace netperfd::core
