// SPDX-License-Identifier: GPL-2.0-or-later
// How the launcher of a Child is started and signalled, and how its end is learnt.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/workload/launcher.hpp"

namespace netperfd::workload {

// What connects a launcher with the daemon. Each is a copy that no descriptor of a program can hit.
struct LauncherEnds {
  Fd out;
  Fd err;
  Fd control;
};

struct ProcessEnd {
  std::string failure;          // a clause; empty: the rest is known
  std::string cleanup_failure;  // likewise
  int signal_number = 0;
  int exit_code = 0;
  ResourceUsage usage;          // with the launcher's share
  std::size_t left_behind = 0;  // processes that were ended after it, if it ran in a unit
};

// Destroying it ends the process.
class LaunchedProcess {
 public:
  using Ended = std::function<void(const ProcessEnd&)>;

  LaunchedProcess() = default;
  LaunchedProcess(const LaunchedProcess&) = delete;
  LaunchedProcess& operator=(const LaunchedProcess&) = delete;
  virtual ~LaunchedProcess() = default;

  // `control` is the daemon's end of the launcher's socket. `ended` is called once, from the loop. After an
  // error nothing runs when this object is destroyed.
  [[nodiscard]] virtual Status start(const LauncherEnds& ends, const Fd& control, Ended ended) = 0;
  // Has no effect on a dead process, and never hits another one.
  virtual void signal(int number) = 0;
  [[nodiscard]] virtual pid_t pid() const = 0;
  // An ancestor of all that the program starts, or the program itself.
  [[nodiscard]] virtual pid_t top() const { return pid(); }
  // What comes through the control socket. `sender`: 0 if it is not known.
  virtual void on_report(const LaunchReport& /*report*/, pid_t /*sender*/) {}
  virtual void on_control_closed() {}
};

}  // namespace netperfd::workload
