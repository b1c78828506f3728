// One process of a workload, from the order to its reaped end.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/workload/launcher.hpp"

namespace netperfd::workload {

struct ChildSettings {
  std::string name;                         // what error texts call it: "iperf3", "local server"
  std::string launcher = "/proc/self/exe";  // a program that hands kLauncherFlag to run_launcher()
  std::size_t stdout_limit_bytes = std::size_t{64} << 20;  // beyond a limit it is killed
  std::size_t stderr_limit_bytes = std::size_t{1} << 20;
};

struct ChildEnd {
  // Empty where the program ran and ended in its own way; otherwise one sentence: the launch step that
  // failed, the signal that killed it, the limit it broke.
  std::string failure;
  bool executed = false;  // the program itself ran; false: the launcher ended before it
  int signal_number = 0;  // that killed it, 0 for an exit
  int exit_code = 0;
  ResourceUsage usage;  // of the program, without the launcher's part
};

// Called on the loop, never from inside a member function of Child.
struct ChildEvents {
  // Everything is in place; it waits for release(). At most once.
  std::function<void()> ready;
  // One whole line of its standard output without the line feed; may be empty for who reads only out().
  std::function<void(std::string_view line)> line;
  // The last call, once: it is reaped and its output is complete. The Child may be destroyed inside it, and
  // only there.
  std::function<void(const ChildEnd& end)> ended;
};

// Destroying it kills the process and reaps it. To be made on the main thread: the kernel sends the death
// signal when the thread that spawned ends.
class Child {
 public:
  // Spawns the launcher for `order`; argv[0] may be a name without slash, sought in kProgramPath. not_found
  // where there is no such program, io where the system refuses; then nothing was started.
  [[nodiscard]] static Result<std::unique_ptr<Child>> start(EventLoop& loop, ChildSettings settings,
                                                            LaunchOrder order, ChildEvents events);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  // Lets a ready child become its program. Once; without effect on one that is dead.
  void release();
  // Without effect on a dead process, and never sent to another one (pidfd).
  void signal(int number);

  [[nodiscard]] pid_t pid() const { return pid_; }
  // What it has written so far, kept as it came.
  [[nodiscard]] const std::string& out() const { return out_.bytes; }
  [[nodiscard]] const std::string& err() const { return err_.bytes; }

 private:
  struct Output {
    const char* name = "";
    std::size_t limit_bytes = 0;
    Fd fd;
    std::string bytes;
    EventSource source;
  };
  struct FarEnds;  // the three descriptors that the launcher gets

  Child(EventLoop& loop, ChildSettings settings, LaunchOrder order, ChildEvents events);
  [[nodiscard]] Result<FarEnds> open_ends();
  [[nodiscard]] Status spawn(const FarEnds& ends);
  [[nodiscard]] Status watch();
  [[nodiscard]] Status watch(Output& output);

  void on_control();
  void on_output(Output& output);
  void on_exit();
  [[nodiscard]] bool read_report();  // one packet of the launcher; false where there is none (more)
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
  std::size_t lines_delivered_ = 0;  // bytes of out_ already given as lines
  std::size_t lines_scanned_ = 0;    // bytes of out_ known to hold no further line feed

  bool ready_ = false;
  bool released_ = false;
  bool reaped_ = false;
  ChildEnd end_;
  ResourceUsage launcher_usage_;
  EventSource control_source_, exit_source_, drain_timer_;
};

inline constexpr std::string_view kProgramPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// The absolute path of `program`: itself where it has a slash, otherwise the first executable of that name in
// kProgramPath. The daemon's own PATH has no say.
[[nodiscard]] Result<std::string> find_program(const std::string& program);

}  // namespace netperfd::workload
