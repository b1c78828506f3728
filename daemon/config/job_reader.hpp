// A YAML text and the options of one start, made into a JobSpec.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/config/scenario.hpp"
#include "daemon/core/ports.hpp"

namespace netperfd::config {

struct JobText {
  std::string text;
  std::string origin;                        // what errors call it
  std::optional<std::string> expected_name;  // of a scenario: its file's
  // Why the text may have no commands, which would run as root: a clause; empty where it may have them.
  std::string commands_refused = "this text is a caller's";
};

// The JobSpec's text is the given one with overrides, label and repeat of the options put in, but before a
// purpose other than measurement changed the job: text and purpose tell where the rest comes from.
[[nodiscard]] Result<JobSpec> read_job(const JobText& job, const core::JobOptions& options,
                                       const JobLimits& limits);

// Every key that a job may have, mappings left out; in the order of docs/scenarios.md.
[[nodiscard]] std::vector<std::string> job_keys();

}  // namespace netperfd::config
