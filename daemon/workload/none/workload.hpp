// SPDX-License-Identifier: GPL-2.0-or-later
// The Workload port without any processes: somebody else makes the traffic until stop() is called.
#pragma once

#include <memory>

#include "daemon/base/error.hpp"
#include "daemon/core/ports/clock.hpp"
#include "daemon/core/ports/workload.hpp"
#include "daemon/workload/site.hpp"

namespace netperfd::workload {

class NoneWorkload final : public core::Workload {
 public:
  // `clock` must outlive this object and all results of prepare().
  explicit NoneWorkload(core::Clock& clock) : clock_(clock) {}

  [[nodiscard]] Status check(const JobSpec& /*spec*/) override { return {}; }
  [[nodiscard]] std::vector<std::string> missing(const JobSpec& /*spec*/) override { return {}; }
  [[nodiscard]] Result<std::unique_ptr<core::ActiveWorkload>> prepare(
      const JobSpec& spec, core::WorkloadListener& listener) override;

 private:
  core::Clock& clock_;
};

[[nodiscard]] std::unique_ptr<core::Workload> make_none(const WorkloadSite& site);

}  // namespace netperfd::workload
