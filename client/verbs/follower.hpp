// SPDX-License-Identifier: GPL-2.0-or-later
// Follows one job of ours to its end on behalf of `start`, `plan` and `selftest`.
#pragma once

#include <chrono>
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
  // `job` was read of it after that; if it has only its number, netperfd does not hold the job any more.
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
  // If nothing is heard of a job for so long, netperfd is asked: a signal may have been lost.
  static constexpr std::chrono::seconds kQuiet{10};

  void say_run_end(std::uint64_t run);
  void interrupted();
  [[nodiscard]] bool all_runs_ended() const;
  // Asks netperfd what became of the job: a signal only wakes this object up. `removed`: netperfd, or the
  // job, is about to leave.
  void look(bool removed = false);
  void look_later();
  void finish(StartView view);
  void give_up(const Failure& failure);

  Loop& loop_;
  bool tied_;
  bool each_run_;
  std::FILE* lines_;
  Daemon* daemon_ = nullptr;  // while following
  std::optional<LiveLine> line_;
  LiveArea area_;
  std::set<std::uint64_t> said_;  // runs whose end has been reported
  LiveLine::Time heard_;          // when netperfd said something of the job last
  Loop::Source later_;
  std::chrono::milliseconds soon_{
      500};  // until the last question; doubles with each once all runs have ended
  bool said_that_it_waits_ = false;
  bool canceling_ = false;
  std::optional<StartView> over_;
  std::optional<Failure> failure_;
};

}  // namespace netperfctl
