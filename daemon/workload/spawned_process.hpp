// SPDX-License-Identifier: GPL-2.0-or-later
// A launcher that is a child of the daemon: it becomes the program, and dies with the daemon.
#pragma once

#include <sys/types.h>

#include <string>

#include "daemon/base/event_loop.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/workload/launched_process.hpp"

namespace netperfd::workload {

// Must be started on the main thread: the kernel sends the death signal when the thread that spawned the
// process ends.
class SpawnedProcess final : public LaunchedProcess {
 public:
  // `name`: in error texts. `launcher`: ChildSettings::launcher.
  SpawnedProcess(EventLoop& loop, std::string name, std::string launcher, LaunchOrder order);
  // Whoever has the other end of the control socket closes it first: without a pidfd, only this ends the
  // launcher.
  ~SpawnedProcess() override;

  [[nodiscard]] Status start(const LauncherEnds& ends, const Fd& control, Ended ended) override;
  void signal(int number) override;
  [[nodiscard]] pid_t pid() const override { return pid_; }

 private:
  void on_exit();

  EventLoop& loop_;
  std::string name_;
  std::string launcher_;
  LaunchOrder order_;
  Ended ended_;
  pid_t pid_ = -1;
  Fd pidfd_;
  bool reaped_ = false;
  EventSource exit_source_;
};

}  // namespace netperfd::workload
