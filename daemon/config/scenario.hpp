// Jobs from YAML: the scenarios that root installed, and texts that callers send.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "daemon/core/ports.hpp"

namespace netperfd::config {

// What this daemon allows a job, whatever the job says.
struct JobLimits {
  std::uint32_t repeat = 1'000;
  std::chrono::milliseconds timeout = std::chrono::hours(24);
};

// Reads the files anew at each call, so that an edited scenario needs no reload.
//
// A design's commands run as root. They count where the directory and the file, which may be no symbolic
// link, are `owner`'s and nobody else may write them; elsewhere they are an error that says how to mend it.
//
// Errors of load() and parse(): not_found for a name without a file, io for a file that cannot be read,
// otherwise invalid_argument with all that is wrong with the job, a line each.
class ScenarioDirectory final : public core::ScenarioSource {
 public:
  ScenarioDirectory(std::string directory, JobLimits limits, uid_t owner = 0);

  [[nodiscard]] std::vector<core::ScenarioRow> list() override;
  [[nodiscard]] Result<JobSpec> load(const std::string& name, const core::JobOptions& options) override;
  [[nodiscard]] Result<JobSpec> parse(const std::string& text, const std::string& origin,
                                      const core::JobOptions& options) override;

 private:
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::string path_of(const std::string& name) const;

  std::string directory_;
  JobLimits limits_;
  uid_t owner_;
};

}  // namespace netperfd::config
