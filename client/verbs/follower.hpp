// SPDX-License-Identifier: GPL-2.0-or-later
// Follows one job of ours to its end on behalf of `start`, `plan` and `selftest`.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <set>
#include <string>

#include "client/bus/daemon.hpp"
#include "client/pages/live_line.hpp"
#include "client/terminal/live_area.hpp"
#include "client/terminal/terminal.hpp"

namespace netperfctl {

// A whole job from the daemon's store, its runs oldest first.
[[nodiscard]] Outcome<StartView> fetch_start_view(Daemon& daemon, std::uint64_t job);

// The exit code of a job: that of `start` and `wait`. `error` is what a live job says beside its runs.
[[nodiscard]] Exit exit_of_job(const JobView& job, const std::string& state, const std::string& error);

// The result of following.
struct Followed {
  Exit exit = Exit::ok;           // of `start`
  std::optional<StartView> view;  // the ended job; absent if it was left before its end
};

class Follower final : public JobListener {
 public:
  // Borrows the loop. `tied`: the job ends with this process, however that ends. Lines go to stdout if its
  // output is for people, else to stderr. The live line always goes to stderr. `each_run`: prints the end of
  // each run, and the live line.
  Follower(Loop& loop, Format format, bool tied, bool each_run = true);

  // Runs the loop until the job is over, left or lost. `daemon` has been told to call this listener, and
  // `job` was read of it after that.
  [[nodiscard]] Outcome<Followed> follow(Daemon& daemon, const LiveJobView& job);

  void job_added(const LiveJobView&) override {}
  void job_changed(const LiveJobView& job) override;
  void job_removed(std::uint64_t job) override;
  void interval(std::uint64_t job, std::uint64_t run, const IntervalView& interval) override;
  void trace_progress(std::uint64_t job, std::uint64_t run, const TraceProgressView& progress) override;
  void run_ended(std::uint64_t job, std::uint64_t run, const std::string& state,
                 const std::string& error) override;
  void run_deleted(std::uint64_t, std::uint64_t) override {}
  void without_intervals(const std::string& reason) override;
  void lost(const Failure& failure) override;

 private:
  void say_run_end(std::uint64_t run);
  void interrupted();
  void finish();
  void give_up(const Failure& failure);

  Loop& loop_;
  bool tied_;
  bool each_run_;
  std::FILE* lines_;
  Daemon* daemon_ = nullptr;  // while following
  std::optional<LiveLine> line_;
  LiveArea area_;
  std::set<std::uint64_t> said_;  // runs whose end has been reported
  bool canceling_ = false;
  std::optional<StartView> over_;
  std::optional<Failure> failure_;
};

}  // namespace netperfctl
