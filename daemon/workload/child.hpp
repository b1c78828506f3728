// SPDX-License-Identifier: GPL-2.0-or-later
// One process of a workload, from its launch until it is reaped.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/core/ports/program_units.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/workload/guard_fds.hpp"
#include "daemon/workload/job/programs.hpp"
#include "daemon/workload/launched_process.hpp"
#include "daemon/workload/launcher.hpp"

namespace netperfd::workload {

struct ChildSettings {
  std::string name;                         // the name in error texts: "iperf3", "local server"
  std::string launcher = "/proc/self/exe";  // a program that passes kLauncherFlag to run_launcher()
  std::size_t stdout_limit_bytes = std::size_t{64} << 20;  // if a limit is exceeded, the process is killed
  std::size_t stderr_limit_bytes = std::size_t{1} << 20;
  core::ProgramUnits* units = nullptr;  // for LaunchOrder::capabilities; must outlive the Child
};

struct ChildEnd {
  // Empty if the program ran and ended by itself. Otherwise one sentence: the launch step that failed, the
  // signal that killed it, or the limit that it exceeded.
  std::string failure;
  std::string cleanup_failure;  // likewise; whoever ended the program
  bool executed = false;        // false: the launcher ended before the program ran
  int signal_number = 0;        // the signal that killed it, 0 for an exit
  int exit_code = 0;
  ResourceUsage usage;          // of the program, without the launcher's share
  std::size_t left_behind = 0;  // as in ProcessEnd
};

// Called from the loop, never from inside a member function of Child.
struct ChildEvents {
  // Everything is ready, and the child waits for release(). Called at most once.
  std::function<void()> ready;
  // One whole line of its standard output without the line feed; may be empty if the owner reads only out().
  std::function<void(std::string_view line)> line;
  std::function<void(std::string_view line)> error_line;  // likewise, of its standard error
  // It has ended, but its output, and the cleanup of its unit, may not have. Called at most once.
  std::function<void()> exited;
  // The last call, made once: the process is reaped and its output is complete. The Child may be destroyed
  // inside it, and only there.
  std::function<void(const ChildEnd& end)> ended;
};

// Destroying it kills the process and reaps it. Must be created on the main thread: the kernel sends the
// death signal when the thread that spawned the process ends.
class Child {
 public:
  // Spawns the launcher for `order`; argv[0] may be a name without a slash, which is searched for in
  // kProgramPath. not_found if there is no such program, io if the system refuses; then nothing was started.
  [[nodiscard]] static Result<std::unique_ptr<Child>> start(EventLoop& loop, ChildSettings settings,
                                                            LaunchOrder order, ChildEvents events);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  // Lets a ready child execute its program. Call it once; it has no effect on a dead child.
  void release();
  // Has no effect on a dead process, and never hits another process (pidfd).
  void signal(int number) { process_->signal(number); }

  [[nodiscard]] pid_t pid() const { return process_->pid(); }
  [[nodiscard]] pid_t top() const { return process_->top(); }
  [[nodiscard]] bool has_exited() const { return exited_; }
  [[nodiscard]] bool in_unit() const { return !order_.capabilities.empty(); }
  // What the launcher opened for LaunchOrder::guarding; there from `ready` on.
  [[nodiscard]] GuardFds take_guard() { return std::exchange(guard_, {}); }
  // The output up to now, unmodified.
  [[nodiscard]] const std::string& out() const { return out_.bytes; }
  [[nodiscard]] const std::string& err() const { return err_.bytes; }
  // The same of a child that has ended, which does not keep them: they may be large.
  [[nodiscard]] std::string take_out() { return std::exchange(out_.bytes, {}); }
  [[nodiscard]] std::string take_err() { return std::exchange(err_.bytes, {}); }

 private:
  struct Output {
    const char* name = "";
    std::size_t limit_bytes = 0;
    Fd fd;
    std::string bytes;
    EventSource source;
    std::size_t delivered = 0;  // bytes already delivered as lines
    std::size_t scanned = 0;    // bytes known to contain no further line feed
  };

  Child(EventLoop& loop, ChildSettings settings, LaunchOrder order, ChildEvents events);
  [[nodiscard]] Result<LauncherEnds> open_ends();
  [[nodiscard]] Status watch();
  [[nodiscard]] Status watch(Output& output);

  void on_control();
  void on_output(Output& output);
  void on_process_ended(const ProcessEnd& end);
  void tell_exit();
  [[nodiscard]] bool read_report();  // reads one packet from the launcher; false if there are no more
  void deliver_lines(Output& output);
  static void close(Output& output);
  [[nodiscard]] std::string unnatural_end() const;
  void end_if_complete();

  EventLoop& loop_;
  ChildSettings settings_;
  LaunchOrder order_;
  ChildEvents events_;

  std::unique_ptr<LaunchedProcess> process_;
  Fd control_;
  Output out_, err_;

  GuardFds guard_;
  bool ready_ = false;
  bool released_ = false;
  bool launch_failed_ = false;
  bool exited_ = false;
  bool process_ended_ = false;
  ChildEnd end_;
  ResourceUsage launcher_usage_;
  EventSource control_source_, drain_timer_;
};

}  // namespace netperfd::workload
