// SPDX-License-Identifier: GPL-2.0-or-later
// What one workload adds to jobs: its keys, its rules and its traits. This and daemon/workload/NAME/job are
// a room of their own, without processes, so that whatever reads a job may use it.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "daemon/keys/schema.hpp"
#include "daemon/model/job_spec.hpp"

namespace netperfd::workload {

// The values that the keys of one workload fill.
class JobKeys {
 public:
  virtual ~JobKeys() = default;
  // Bound to this object.
  [[nodiscard]] virtual std::vector<keys::Key> keys() = 0;
  // Moves into `spec` what they filled. All other keys of the job were read before, and `spec.workload` is
  // the one that the job chose.
  virtual void finish(const keys::YamlNode& root, JobSpec& spec, keys::Complaints& complaints) = 0;
};

struct JobPart {
  WorkloadTraits traits;
  std::string_view meaning;                // for who left the workload out
  std::vector<std::string_view> timed_by;  // the keys that traits.planned_duration depends on
  std::unique_ptr<JobKeys> (*make_keys)() = nullptr;
};

}  // namespace netperfd::workload
