// SPDX-License-Identifier: GPL-2.0-or-later
// The processes of one run, and all that they start. They are told to end together, are forced after a while,
// and none is left when all_ended is called.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/workload/child.hpp"
#include "daemon/workload/program_settings.hpp"
#include "daemon/workload/run_group.hpp"

namespace netperfd::workload {

// How long a process has after SIGTERM, on which iperf3 writes its document.
inline constexpr std::chrono::seconds kForceAfter{2};
// How long the output of a run that was stopped may still be read.
inline constexpr std::chrono::seconds kReadAfterStop{5};

// Kept after its end for its output.
struct RunProcess {
  std::unique_ptr<Child> child;
  ChildEnd end;
  bool alive = false;
  bool told_to_end = false;  // by our SIGTERM
  bool forced = false;       // by our SIGKILL

  // False if another signal came before ours.
  [[nodiscard]] bool was_ended_by_us() const;
};

class RunProcesses {
 public:
  // all_ended is called once, from the loop, after the end of the last process.
  RunProcesses(EventLoop& loop, const ProgramSettings& settings, std::function<void()> all_ended);
  RunProcesses(const RunProcesses&) = delete;
  RunProcesses& operator=(const RunProcesses&) = delete;

  // Makes the cgroup of the run, where one can be made.
  [[nodiscard]] Status begin();
  // `process` must live as long as this object. Launcher, user, group, cgroup and units are set here.
  // `events.ended` is called when the members of `process` tell of its end.
  [[nodiscard]] Status launch(RunProcess& process, ChildSettings settings, LaunchOrder order,
                              ChildEvents events);
  void end();  // SIGTERM now, SIGKILL a while later
  // Unless they end by themselves before; `late` is called first.
  void end_after(std::chrono::milliseconds grace, std::function<void()> late);
  [[nodiscard]] bool ending() const { return ending_; }
  // Those that run now: all in the cgroup and in units; without a cgroup, those that were launched and their
  // children.
  [[nodiscard]] std::vector<pid_t> members() const;
  // The number of processes that had to be ended after those that were launched.
  [[nodiscard]] std::size_t left_behind() const { return left_behind_ + left_in_units_; }

 private:
  [[nodiscard]] bool any_alive() const;
  void force();
  void finish_if_ended();
  void end_descendants();

  EventLoop& loop_;
  ProgramSettings settings_;
  std::function<void()> all_ended_;
  std::optional<RunGroup> group_;  // absent: no cgroup can be made here
  std::vector<RunProcess*> processes_;
  std::size_t left_behind_ = 0;
  std::size_t left_in_units_ = 0;
  int ending_turns_ = 0;
  bool ending_ = false;
  EventSource timer_;  // for end(), end_after() or end_descendants()
};

}  // namespace netperfd::workload
