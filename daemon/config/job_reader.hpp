// SPDX-License-Identifier: GPL-2.0-or-later
// Makes a JobSpec from a YAML text and the options of one start.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/config/scenario.hpp"
#include "daemon/core/ports/scenario_source.hpp"
#include "daemon/keys/schema.hpp"

namespace netperfd::config {

struct JobText {
  std::string text;
  std::string origin;                        // what errors call it
  std::optional<std::string> expected_name;  // for a scenario: the name of its file
  // A clause that says why the text may have no commands, which would run as root; empty if it may have them.
  std::string commands_refused = "this text is a caller's";
};

// The JobSpec's text is the given one with the overrides, label and repeat of the options put in. Changes
// that a purpose other than measurement makes are not in it: they follow from the text and the purpose.
[[nodiscard]] Result<JobSpec> read_job(const JobText& job, const core::JobOptions& options,
                                       const JobLimits& limits);

// Every key that a job may have, without mappings, in the order of docs/scenarios.md.
[[nodiscard]] std::vector<keys::KeyRow> job_keys();

}  // namespace netperfd::config
