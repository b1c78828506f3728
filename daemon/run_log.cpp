// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/run_log.hpp"

#include <fmt/format.h>
#include <systemd/sd-daemon.h>

#include "daemon/log/log.hpp"

namespace netperfd {

void RunLog::job_added(const core::JobStatus& job) {
  log::info(fmt::format("{} {}{}{}, {} run(s), {} ended, from uid {}", job.resumed ? "resumed" : "accepted",
                        job.scenario, job.label.empty() ? "" : " label ", job.label, job.runs.size(),
                        job.runs_ended, job.owner),
            {.job = job.id, .run = {}});
}

void RunLog::job_changed(const core::JobStatus& job) {
  if (job.current_run) {
    tell_status(fmt::format("run {} of job {} ({}): {}", *job.current_run, job.id, job.scenario,
                            to_string(job.run_state)));
  } else if (core::has_ended(job.state)) {
    const log::About about{.job = job.id, .run = {}};
    log::info(
        fmt::format("{}: {} of {} runs finished", to_string(job.state), job.runs_finished, job.runs.size()),
        about);
    if (!job.side_error.empty()) log::error(job.side_error, about);
    tell_status("idle");
  }
}

void RunLog::run_ended(const core::JobStatus& job, RunId run, RunState state, const std::string& error) {
  const log::About about{.job = job.id, .run = run};
  if (state == RunState::failed) {
    log::warn(fmt::format("failed: {}", error), about);
  } else {
    log::info(fmt::format("{}{}{}", to_string(state), error.empty() ? "" : ": ", error), about);
  }
}

void RunLog::left_sides_tried(JobId job, const Status& status) {
  const log::About about{.job = job, .run = {}};
  if (status) {
    log::info("before it, what earlier jobs left changed on the machine was brought back", about);
  } else {
    log::error(fmt::format("before it: {}", status.error().message), about);
  }
}

void RunLog::tell_status(const std::string& status) {
  if (status == told_) return;
  told_ = status;
  (void)sd_notifyf(0, "STATUS=%s", status.c_str());
}

}  // namespace netperfd
