// SPDX-License-Identifier: GPL-2.0-or-later
// Passes each job to its workload.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "daemon/core/ports/workload.hpp"
#include "daemon/workload/site.hpp"

namespace netperfd::workload {

class Workloads final : public core::Workload {
 public:
  // All of them. This object must outlive all results of prepare().
  explicit Workloads(const WorkloadSite& site);

  // This and prepare(): unsupported if there is no workload of this name.
  [[nodiscard]] Status check(const JobSpec& spec) override;
  [[nodiscard]] std::vector<std::string> missing(const JobSpec& spec) override;
  [[nodiscard]] Result<std::unique_ptr<core::ActiveWorkload>> prepare(
      const JobSpec& spec, core::WorkloadListener& listener) override;

 private:
  std::map<std::string, std::unique_ptr<core::Workload>, std::less<>> by_name_;
};

}  // namespace netperfd::workload
