// SPDX-License-Identifier: GPL-2.0-or-later
// Reports the progress of runs to the journal and to systemd's status line: each fact once, with the run's
// number.
#pragma once

#include <string>

#include "daemon/core/ports/run_observer.hpp"

namespace netperfd {

class RunLog final : public core::RunObserver {
 public:
  void job_added(const core::JobStatus& job) override;
  void job_changed(const core::JobStatus& job) override;
  void run_interval(JobId, RunId, const Interval&) override {}
  void run_trace(JobId, RunId, const TraceProgress&) override {}
  void run_ended(const core::JobStatus& job, RunId run, RunState state, const std::string& error) override;
  void job_removed(JobId) override {}
  void left_sides_tried(JobId job, const Status& status) override;

 private:
  void tell_status(const std::string& status);

  std::string told_;  // last status sent to systemd, so that mere progress sends nothing
};

}  // namespace netperfd
