// SPDX-License-Identifier: GPL-2.0-or-later
// The scenarios that jobs are made of; daemon/config implements it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/design.hpp"
#include "daemon/model/job_spec.hpp"

namespace netperfd::core {

// A caller's changes to a scenario for one job.
struct JobOptions {
  std::vector<std::string> overrides;  // "workload.iperf3.streams=8"
  std::optional<std::string> label;
  std::optional<std::uint32_t> repeat;
  JobPurpose purpose = JobPurpose::measurement;
  // The job is not root's, so it measures only where `allow` of the configuration says, or where a scenario
  // that root installed does.
  bool limited = false;
};

struct ScenarioRow {
  std::string name;
  std::string description;
  std::string file;   // its path
  std::string error;  // empty, or the reason why it cannot be started
};

class ScenarioSource {
 public:
  virtual ~ScenarioSource() = default;
  [[nodiscard]] virtual std::vector<ScenarioRow>
  list() = 0;  // by name; invalid files are listed with their error
  [[nodiscard]] virtual Result<JobSpec> load(const std::string& name, const JobOptions& options) = 0;
  // access_denied, from any of the three, for the place of a job that is limited. `origin` is what error
  // texts call the file.
  [[nodiscard]] virtual Result<JobSpec> parse(const std::string& text, const std::string& origin,
                                              const JobOptions& options) = 0;
  // The text of a job that was accepted before, which may have commands if it was a scenario's.
  [[nodiscard]] virtual Result<JobSpec> reread(const std::string& text, const std::string& origin,
                                               const JobOptions& options) = 0;
};

}  // namespace netperfd::core
