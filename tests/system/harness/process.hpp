// One process that a test starts, from its argv to its reaped end.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/fd.hpp"
#include "tests/system/harness/deadline.hpp"

namespace netperfd::system_test {

struct User {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;  // supplementary
};

struct Command {
  std::vector<std::string> argv;         // argv[0] as execvp takes it
  std::vector<std::string> environment;  // NAME=VALUE, beside PATH and the sanitizers' own
  std::optional<User> user;              // absent: root, as the test
  std::string netns;                     // a name under /run/netns; empty: the test's own
  std::string stderr_file;               // appended to; empty: captured
};

struct Exit {
  int code = -1;          // -1: killed by `signal_number`
  int signal_number = 0;  // 0: it exited
  bool operator==(const Exit&) const = default;
};

// Killed and reaped with this object; killed by the kernel when the test program dies before that.
class Process {
 public:
  explicit Process(Command command);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  // All of these throw where the deadline passes first; what was captured is in the exception's text.
  const Exit& wait(const Deadline& deadline = Deadline{});
  // Until standard output or standard error holds `text`.
  void wait_for_output(std::string_view text, const Deadline& deadline = Deadline{});
  // Whether it has ended when `deadline` passes, without an exception.
  [[nodiscard]] bool ends_before(const Deadline& deadline);

  void signal(int number) const;
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] int pidfd() const { return pidfd_.get(); }
  [[nodiscard]] const std::string& out() const { return out_.bytes; }
  [[nodiscard]] const std::string& err() const { return err_.bytes; }

 private:
  struct Output {
    Fd fd;
    std::string bytes;
  };

  // Reads both outputs until `done` or the deadline; what `done` says then.
  bool pump(const Deadline& deadline, const std::function<bool()>& done);
  static void drain(Output& output);
  void reap();
  [[nodiscard]] std::string story() const;

  std::string name_;
  pid_t pid_ = -1;
  Fd pidfd_;
  Output out_, err_;
  std::optional<Exit> exit_;
};

// What a finished command left behind.
struct Outcome {
  int code = 0;  // of the exit; 128 + n where signal n killed it
  std::string out;
  std::string err;
};

[[nodiscard]] Outcome run(Command command);
// The same, where anything but an exit code of 0 is an exception.
void must_run(std::vector<std::string> argv);

}  // namespace netperfd::system_test
