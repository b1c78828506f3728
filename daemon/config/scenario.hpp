// SPDX-License-Identifier: GPL-2.0-or-later
// Reads jobs from YAML: the scenarios that root installed, and texts that callers send.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemon/core/ports/scenario_source.hpp"
#include "daemon/model/allowed_places.hpp"

namespace netperfd::config {

// Limits of this daemon, which no job can exceed.
struct JobLimits {
  std::uint32_t repeat = 1'000;
  std::chrono::milliseconds timeout = std::chrono::hours(24);
  AllowedPlaces allow = {};  // for jobs that are limited (JobOptions)
};

struct JobText;

// A sentence why somebody other than `owner` may change the file or directory of `status`; empty if nobody
// may.
[[nodiscard]] std::string changeable(const struct stat& status, const std::string& path, uid_t owner);

// Reads the files anew at each call, so that an edited scenario needs no reload.
//
// If several directories have a file of one name, the file of the first of them is the scenario, even if it
// cannot be started.
//
// A design's commands run as root. They are accepted only if `owner` owns the directory and the file, nobody
// else may write to them, and the file is not a symbolic link. Otherwise they are an error that says how to
// fix it.
//
// A job that is limited measures where `limits.allow` says. A scenario that nobody but `owner` can change is
// allowed to measure where it says, also with overrides of other keys, and so is a text of its name with the
// same ends.
//
// Errors of load() and parse(): not_found if the name has no file, io if a file cannot be read, otherwise
// invalid_argument with one line for each error in the job.
class ScenarioDirectories final : public core::ScenarioSource {
 public:
  ScenarioDirectories(std::vector<std::string> directories, JobLimits limits, uid_t owner = 0);

  [[nodiscard]] std::vector<core::ScenarioRow> list() override;
  [[nodiscard]] Result<JobSpec> load(const std::string& name, const core::JobOptions& options) override;
  [[nodiscard]] Result<JobSpec> parse(const std::string& text, const std::string& origin,
                                      const core::JobOptions& options) override;
  [[nodiscard]] Result<JobSpec> reread(const std::string& text, const std::string& origin,
                                       const core::JobOptions& options) override;

 private:
  [[nodiscard]] Result<JobSpec> read(const JobText& job, const core::JobOptions& options) const;
  [[nodiscard]] std::optional<JobSpec> installed_of(const JobSpec& spec) const;
  // Of all scenarios, by name: the directory of each.
  [[nodiscard]] std::map<std::string, std::string> found() const;
  // The first directory that has a file of this name, or whose files cannot be known.
  [[nodiscard]] std::optional<std::string> directory_of(const std::string& name) const;

  std::vector<std::string> directories_;
  JobLimits limits_;
  uid_t owner_;
};

}  // namespace netperfd::config
