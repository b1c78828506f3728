// SPDX-License-Identifier: GPL-2.0-or-later
// One process that will confine itself, from its start to its reaped end.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/base/foreign_fd.hpp"

namespace netperfd::confined {

// The destructor kills the process, and reaps it only if it has ended by then: even SIGKILL does not end a
// process that waits for a file system in user space. Create it on the main thread: the kernel sends the
// death signal when the thread that spawned the process ends.
class Process {
 public:
  // It will become `uid`. Both descriptors, its standard input and output, are the process's alone
  // afterwards. Never waits for the file `in`, which may be a user's.
  [[nodiscard]] static Result<Process> start(const std::string& program, std::vector<std::string> argv,
                                             uid_t uid, ForeignFd in, Fd out);
  Process(Process&& other) noexcept;
  Process& operator=(Process&&) = delete;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  // Readable once it has ended.
  [[nodiscard]] const Fd& pidfd() const { return pidfd_; }
  void kill();
  void limit_files(std::uint64_t bytes);  // that it writes, until it confines itself

  struct End {
    bool ended = false;  // false: it still runs
    int exit_code = 0;
    int signal_number = 0;  // 0: it ended by itself
  };
  [[nodiscard]] End reap();  // of one that was reaped already: ended

 private:
  Process(pid_t pid, uid_t uid) : pid_(pid), uid_(uid) {}
  pid_t pid_ = -1;  // -1: reaped
  uid_t uid_;
  Fd pidfd_;
};

}  // namespace netperfd::confined
