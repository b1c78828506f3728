// SPDX-License-Identifier: GPL-2.0-or-later
// The Workload port for programs that netperfd knows only from a scenario.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/core/ports/figure_reading.hpp"
#include "daemon/core/ports/workload.hpp"
#include "daemon/workload/program_settings.hpp"
#include "daemon/workload/site.hpp"

namespace netperfd::workload {

class CommandWorkload final : public core::Workload {
 public:
  // `settings` without its path: the user, the launcher and the cgroups. `loop` and `figures` must outlive
  // this object and all results of prepare().
  CommandWorkload(EventLoop& loop, core::FigureReading& figures, ProgramSettings settings);

  // unsupported if it needs units of systemd, and there are none.
  [[nodiscard]] Status check(const JobSpec& spec) override;
  [[nodiscard]] std::vector<std::string> missing(const JobSpec& spec) override;
  // not_found, with the package that has it, if a program is not there; likewise a network namespace.
  [[nodiscard]] Result<std::unique_ptr<core::ActiveWorkload>> prepare(
      const JobSpec& spec, core::WorkloadListener& listener) override;

 private:
  EventLoop& loop_;
  core::FigureReading& figures_;
  ProgramSettings settings_;
};

[[nodiscard]] std::unique_ptr<core::Workload> make_command(const WorkloadSite& site);

}  // namespace netperfd::workload
