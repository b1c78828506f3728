// SPDX-License-Identifier: GPL-2.0-or-later
// A job from its acceptance until netperfd forgets it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/core/ports/clock.hpp"
#include "daemon/core/ports/run_observer.hpp"
#include "daemon/core/ports/run_store.hpp"
#include "daemon/core/queue/run_pace.hpp"
#include "daemon/model/budget.hpp"

namespace netperfd::core {

class JobExecution;

// A job of the last daemon: its runs that have ended, then those to come, of which there is one at least.
struct ResumedJob {
  JobId id = 0;
  uid_t owner = 0;
  JobSpec spec;
  std::vector<StoredRun> runs;
  bool held = false;                               // as Scheduler::hold() left it
  std::optional<JobBudget> budget = std::nullopt;  // absent: it was not chosen yet
};

struct LiveJob {
  // What became of the job's runs so far. The later ones outweigh the earlier ones.
  enum class Outcome { finished, run_failed, run_canceled, given_up };

  LiveJob();
  LiveJob(LiveJob&& from) noexcept;
  LiveJob& operator=(LiveJob&& from) noexcept;
  ~LiveJob();

  // What is now under way: the next run, with all that comes before it.
  void begin_run(std::chrono::microseconds now);
  // The next run has ended.
  void count_run(RunState state, const std::string& error, std::chrono::microseconds now);
  // The machine is not back on its original side.
  void add_side_error(const std::string& error);
  void set_end_state();

  [[nodiscard]] const Slot& next_slot() const { return status.slots.at(status.runs_ended); }
  // Whether the functions that the job's budget allows are still to be chosen.
  [[nodiscard]] bool needs_count() const;
  [[nodiscard]] bool is_first_since_restart() const {
    return status.resumed && status.runs_ended == ended_before;
  }
  // Whether the run that ended last was the first one of its side, or of the whole job. The points of a sweep
  // are measured each for itself, so there only the job's first run counts.
  [[nodiscard]] bool has_ended_first_of_side() const;
  [[nodiscard]] bool reboots() const { return spec.design && spec.design->reboots; }

  JobSpec spec;
  JobStatus status;
  Outcome outcome = Outcome::finished;  // given_up: a run got no space, or a command of its design failed
  std::uint64_t round = 0;              // in which its owner has a turn with it: JobQueue::add()
  std::uint32_t ended_before = 0;       // runs that had ended when it was resumed
  // When the first run after them began, with the switch to its side, and when the latest run ended since
  // the job was resumed; both as Clock::since_boot().
  std::optional<std::chrono::microseconds> began, last_ended;
  // A run waited in vain for its server. Until one has met it, none waits, so that one outage costs one
  // wait.
  bool server_missed = false;
  bool budget_chosen = false;  // by now or by an earlier daemon
  std::string stop_reason;     // empty: no stop was requested
  bool held = false;
  bool left_tried = false;  // what earlier jobs left was tried to be brought back before it
  bool decided = false;     // its comparison is: the runs to come are not needed
  std::optional<std::chrono::microseconds> boot_time;  // of earlier boots: from the request to the first run
  RunPace pace;
  std::chrono::microseconds between_runs{0};  // of the scenario's last job
  std::unique_ptr<JobExecution> execution;    // of the front job, from its first turn on
  Timer linger;
};

[[nodiscard]] LiveJob new_job(JobSpec spec, uid_t owner, std::vector<RunId> runs, std::vector<Slot> slots);
[[nodiscard]] LiveJob resumed_job(ResumedJob resumed);

}  // namespace netperfd::core
