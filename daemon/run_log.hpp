// Tells the journal and systemd's status line what the runs do: each fact once, with the run's number.
#pragma once

#include <string>

#include "daemon/core/ports.hpp"

namespace netperfd {

class RunLog final : public core::RunObserver {
 public:
  void job_added(const core::JobStatus& job) override;
  void job_changed(const core::JobStatus& job) override;
  void run_interval(JobId, RunId, const Interval&) override {}
  void run_trace(JobId, RunId, const core::TraceProgress&) override {}
  void run_ended(const core::JobStatus& job, RunId run, RunState state, const std::string& error) override;
  void job_removed(JobId) override {}

 private:
  void tell_status(const std::string& status);

  std::string told_;  // to systemd, so that progress alone sends nothing
};

}  // namespace netperfd
