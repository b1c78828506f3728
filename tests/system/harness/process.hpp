// SPDX-License-Identifier: GPL-2.0-or-later
// One process started by a test, from its argv until it is reaped.
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
  std::vector<std::string> argv;         // argv[0] as for execvp
  std::vector<std::string> environment;  // NAME=VALUE, in addition to PATH and the sanitizers' variables
  std::optional<User> user;              // absent: root, like the test
  std::string netns;                     // a name under /run/netns; empty: the test's own namespace
  std::string stderr_file;               // appended to; empty: standard error is captured
};

struct Exit {
  int code = -1;          // -1: killed by `signal_number`
  int signal_number = 0;  // 0: it exited
  bool operator==(const Exit&) const = default;
};

// Killed and reaped with this object; the kernel kills it if the test program dies earlier.
class Process {
 public:
  explicit Process(Command command);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  // All of these throw if the deadline passes first; the exception's text contains the captured output.
  const Exit& wait(const Deadline& deadline = Deadline{});
  // Waits until standard output or standard error contains `text`.
  void wait_for_output(std::string_view text, const Deadline& deadline = Deadline{});
  // Whether it ends before `deadline`; does not throw.
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

  // Reads both outputs until `done` returns true or the deadline passes; returns the last result of `done`.
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

// The result of a finished command.
struct Outcome {
  int code = 0;  // the exit code; 128 + n if signal n killed it
  std::string out;
  std::string err;
};

[[nodiscard]] Outcome run(Command command);
// The same, but throws for anything but an exit code of 0.
void must_run(std::vector<std::string> argv);

}  // namespace netperfd::system_test
