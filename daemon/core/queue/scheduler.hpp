// SPDX-License-Identifier: GPL-2.0-or-later
// The queue of jobs: one run at a time on this host, all runs of a job in a row, jobs in the order of their
// acceptance.
//
// If a job's design has commands, each run waits until the machine is on the run's side. The next job waits
// until the machine is back on its original side.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/core/ports/clock.hpp"
#include "daemon/core/ports/run_observer.hpp"
#include "daemon/core/ports/run_store.hpp"
#include "daemon/core/queue/quotas.hpp"
#include "daemon/core/queue/run_pace.hpp"
#include "daemon/core/run/function_choice.hpp"
#include "daemon/core/run/run_controller.hpp"
#include "daemon/core/sides/boot_switch.hpp"
#include "daemon/core/sides/sides.hpp"

namespace netperfd::core {

// A job of the last daemon: its runs that have ended, then those to come, of which there is one at least.
struct ResumedJob {
  JobId id = 0;
  uid_t owner = 0;
  JobSpec spec;
  std::vector<StoredRun> runs;
  bool held = false;                               // as hold() left it
  std::optional<JobBudget> budget = std::nullopt;  // absent: it was not chosen yet
};

class Scheduler final : private RunListener {
 public:
  // An ended job is still shown for this long, so that a late client can read how it ended.
  static constexpr std::chrono::seconds kLinger{60};
  // Maximum number of such jobs: beyond it the oldest is removed early.
  static constexpr std::ptrdiff_t kLingerLimit = 64;
  // How often the progress of a run is reported: rarely, since each report wakes the host that is being
  // measured.
  static constexpr std::chrono::seconds kProgressPeriod{1};

  using SeedSource = std::function<std::uint64_t()>;
  // From the system's randomness; 32 bits, which a person can read out and every JSON reader keeps.
  [[nodiscard]] static std::uint64_t random_seed();

  // `queue_limit`: maximum number of live jobs. `draw_seed`: for designs without a seed. The ports must
  // outlive the scheduler.
  Scheduler(RunPorts ports, std::uint32_t queue_limit, SeedSource draw_seed = random_seed);

  // Must outlive the scheduler or the last job, whichever ends first.
  void add_observer(RunObserver& observer) { observers_.push_back(&observer); }
  void set_queue_limit(std::uint32_t limit) { queue_limit_ = limit; }
  // They hold for new jobs and for the next runs of accepted ones.
  void set_user_limits(const UserLimits& limits) { quotas_.set_limits(limits); }

  // Stores the job and queues it; nothing starts inside this call. busy if the queue is full (not for root)
  // or the daemon is stopping; quota_exceeded if the owner has too much already; the error of Tracer::check
  // if the job requires its trace.
  [[nodiscard]] Result<JobId> submit(JobSpec spec, uid_t owner);
  // Queues a job that was accepted before, behind the others; the limit of the queue does not matter. If its
  // first run cannot even be prepared, the others are canceled: what it needs may be gone since a reboot.
  void resume(ResumedJob resumed);
  // Whether the user may store more: quota_exceeded or the store's error.
  [[nodiscard]] Status check_stored(uid_t user) { return quotas_.check_stored(user); }
  // Cancels the job's runs that have not ended, with `reason`; returns before that is done. Switching the
  // machine back to its original side is not cut short.
  [[nodiscard]] Status stop(JobId job, const std::string& reason);
  // Holds a job that reboots the machine: no reboot begins until it is let go on. Errors: not_found;
  // invalid_argument if it does not reboot the machine; not_running if it has ended, or reboots already; the
  // store's, if only this daemon knows of it.
  [[nodiscard]] Status hold(JobId job, bool held);
  // Writes a caller's line into the trace of the job's run. Errors: not_found, not_running if nothing of the
  // job is being traced, io.
  [[nodiscard]] Status mark(JobId job, const std::string& text);
  // Refuses new jobs, interrupts the run under way with `reason`, and calls `done` once the machine is as it
  // was before. Runs to come stay pending in the store, for resume(). Call it only once.
  void shut_down(const std::string& reason, std::function<void()> done);

  // Whether no job has begun: waiting ones may begin in the next turn.
  [[nodiscard]] bool is_idle() const;
  [[nodiscard]] std::vector<JobStatus> jobs() const;  // live and lingering, by number
  [[nodiscard]] std::optional<JobStatus> job(JobId job) const;

 private:
  // What became of the job's runs so far. The later ones outweigh the earlier ones.
  enum class Outcome { finished, run_failed, run_canceled, given_up };
  struct Job {
    JobSpec spec;
    JobStatus status;
    Outcome outcome = Outcome::finished;  // given_up: a run got no space, or a command of its design failed
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
    std::optional<std::chrono::microseconds>
        boot_time;  // of earlier boots: from the request to the first run
    RunPace pace;
    std::chrono::microseconds between_runs{0};  // of the scenario's last job
    Timer linger;
  };

  void run_changed() override;
  void run_interval(const Interval& interval) override;
  void run_trace(const TraceProgress& progress) override;
  void run_ended(RunState state, const std::string& error) override;

  [[nodiscard]] static Outcome outcome_of(RunState state);
  [[nodiscard]] static JobState end_state(Outcome outcome);
  [[nodiscard]] Status check_trace(const JobSpec& spec);
  [[nodiscard]] Status check_sample(const JobSpec& spec);
  // not_found, or not_running if it has ended.
  [[nodiscard]] Result<Job*> find_not_ended(JobId id);
  [[nodiscard]] bool is_full() const;
  [[nodiscard]] Quotas::Live live_of(uid_t user) const;
  // Whether the next run of the front job may begin; if not, the job ends.
  [[nodiscard]] bool may_go_on(Job& job);
  void schedule_turn();
  void start_next_run();
  void cancel_stopped_jobs();
  void bring_side(Job& job);
  // Whether the functions that the job's budget allows are still to be chosen.
  [[nodiscard]] static bool needs_count(const Job& job);
  void choose_functions(Job& job);
  [[nodiscard]] Status keep_choice(Job& job, const FunctionChoice& choice);
  // Ends the step of the front job that is not a run.
  void give_up_step();
  void make_sides(Job& job);
  void side_reached(const Status& status);
  void start_run(Job& job);
  // Fails the current run and cancels the rest. `why` completes "not measured, since run 7".
  void give_up(Job& job, const std::string& error, std::string_view why);
  void count_ended_run(Job& job, RunId run, RunState state, const std::string& error);
  void cancel_pending_runs(Job& job, const std::string& reason);
  void leave_job(Job& job);  // all of its runs have ended; the job may be forgotten on return
  void end_job(Job& job);    // the job may be forgotten on return
  void forget(JobId id);
  void suspend();  // nothing is under way any more: switches the machine back
  static void report_side(Job& job, const Error& error);
  void add(JobId id, Job job);
  [[nodiscard]] static bool is_first_since_restart(const Job& job);
  void tick();
  void announce(Job& job);
  // Announces the waiting jobs, whose places in the queue and expected ends have changed.
  void announce_waiting();
  [[nodiscard]] JobStatus status_of(const Job& job) const;
  [[nodiscard]] double progress_of(const Job& job) const;
  // From the end of the run before it to its own end: by the ended runs of this job, otherwise as planned.
  [[nodiscard]] std::optional<std::chrono::microseconds> run_time(const Job& job, std::size_t run) const;
  // How long the job takes from counted_from() on; absent if nobody knows.
  [[nodiscard]] std::optional<std::chrono::microseconds> time_left(const Job& job) const;
  [[nodiscard]] std::optional<std::chrono::microseconds> time_left_with_boots(const Job& job) const;
  // When what time_left() counts began.
  [[nodiscard]] WallTime counted_from(const Job& job, WallTime now) const;
  [[nodiscard]] bool is_rebooting(const Job& job) const {
    return boots_ != nullptr && queue_.front() == job.status.id;
  }
  [[nodiscard]] std::optional<WallTime> expected_end(const Job& job) const;
  [[nodiscard]] Job& current_job() { return jobs_.at(queue_.front()); }
  [[nodiscard]] bool is_busy() const { return run_ || choice_ || (sides_ && sides_->busy()); }

  RunPorts ports_;
  std::uint32_t queue_limit_;
  Quotas quotas_;
  SeedSource draw_seed_;
  std::vector<RunObserver*> observers_;
  std::map<JobId, Job> jobs_;
  std::deque<JobId> queue_;                 // jobs with runs left; the front one is under way
  std::unique_ptr<Sides> sides_;            // of the front job, from its first run on, if it has commands
  BootSwitch* boots_ = nullptr;             // the same object, if it reboots
  std::unique_ptr<FunctionChoice> choice_;  // while the functions of the front job are chosen
  std::unique_ptr<RunController> run_;      // of the front job
  Timer turn_;
  Timer progress_;
  std::function<void()> shut_down_done_;
};

}  // namespace netperfd::core
