// SPDX-License-Identifier: GPL-2.0-or-later
// A launcher in a unit of systemd, as unit_launcher.hpp describes it.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "daemon/base/event_loop.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/core/ports/program_units.hpp"
#include "daemon/workload/launched_process.hpp"

namespace netperfd::workload {

class UnitProcess final : public LaunchedProcess {
 public:
  // `launcher`: ChildSettings::launcher. `units` must outlive this object.
  UnitProcess(EventLoop& loop, core::ProgramUnits& units, std::string launcher, LaunchOrder order);

  [[nodiscard]] Status start(const LauncherEnds& ends, const Fd& control, Ended ended) override;
  void signal(int number) override;
  // The program, from LaunchStep::ready on; -1 before.
  [[nodiscard]] pid_t pid() const override { return program_; }
  // The unit's main process, whose descendants are all that is in the unit; -1 before it is known.
  [[nodiscard]] pid_t top() const override { return launcher_pid_; }
  void on_report(const LaunchReport& report, pid_t sender) override;
  // systemd closes its copy of the launcher's socket when the unit has ended.
  void on_control_closed() override;

 private:
  void wait_for_unit();
  void give(const core::UnitEnd& unit);

  EventLoop& loop_;
  core::ProgramUnits& units_;
  std::string launcher_;
  LaunchOrder order_;
  Ended ended_;
  std::unique_ptr<core::ActiveUnit> unit_;
  pid_t launcher_pid_ = -1;
  pid_t program_ = -1;
  Fd pidfd_;  // of the program
  bool reported_ = false;
  int ended_by_ = 0;  // the signal for which systemd was asked to end it
  ProcessEnd end_;
  EventSource patience_;
};

}  // namespace netperfd::workload
