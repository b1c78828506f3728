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
#include "daemon/model/run_record.hpp"
#include "daemon/workload/guard_fds.hpp"
#include "daemon/workload/launcher.hpp"

namespace netperfd::workload {

struct ChildSettings {
  std::string name;                         // the name in error texts: "iperf3", "local server"
  std::string launcher = "/proc/self/exe";  // a program that passes kLauncherFlag to run_launcher()
  std::size_t stdout_limit_bytes = std::size_t{64} << 20;  // if a limit is exceeded, the process is killed
  std::size_t stderr_limit_bytes = std::size_t{1} << 20;
};

struct ChildEnd {
  // Empty if the program ran and ended by itself. Otherwise one sentence: the launch step that failed, the
  // signal that killed it, or the limit that it exceeded.
  std::string failure;
  bool executed = false;  // false: the launcher ended before the program ran
  int signal_number = 0;  // the signal that killed it, 0 for an exit
  int exit_code = 0;
  ResourceUsage usage;  // of the program, without the launcher's share
};

// Called from the loop, never from inside a member function of Child.
struct ChildEvents {
  // Everything is ready, and the child waits for release(). Called at most once.
  std::function<void()> ready;
  // One whole line of its standard output without the line feed; may be empty if the owner reads only out().
  std::function<void(std::string_view line)> line;
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
  void signal(int number);

  [[nodiscard]] pid_t pid() const { return pid_; }
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
  };
  struct FarEnds;  // the three descriptors passed to the launcher

  Child(EventLoop& loop, ChildSettings settings, LaunchOrder order, ChildEvents events);
  [[nodiscard]] Result<FarEnds> open_ends();
  [[nodiscard]] Status spawn(const FarEnds& ends);
  [[nodiscard]] Status watch();
  [[nodiscard]] Status watch(Output& output);

  void on_control();
  void on_output(Output& output);
  void on_exit();
  [[nodiscard]] bool read_report();  // reads one packet from the launcher; false if there are no more
  void deliver_lines();
  static void close(Output& output);
  [[nodiscard]] std::string unnatural_end() const;
  void end_if_complete();

  EventLoop& loop_;
  ChildSettings settings_;
  LaunchOrder order_;
  ChildEvents events_;

  pid_t pid_ = -1;
  Fd pidfd_;
  Fd control_;
  Output out_, err_;
  std::size_t lines_delivered_ = 0;  // bytes of out_ already delivered as lines
  std::size_t lines_scanned_ = 0;    // bytes of out_ known to contain no further line feed

  GuardFds guard_;
  bool ready_ = false;
  bool released_ = false;
  bool reaped_ = false;
  ChildEnd end_;
  ResourceUsage launcher_usage_;
  EventSource control_source_, exit_source_, drain_timer_;
};

inline constexpr std::string_view kProgramPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// The absolute path of `program`: the argument itself if it has a slash, otherwise the first executable of
// that name in kProgramPath. The daemon's own PATH is ignored.
[[nodiscard]] Result<std::string> find_program(const std::string& program);

}  // namespace netperfd::workload
