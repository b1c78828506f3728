// SPDX-License-Identifier: GPL-2.0-or-later
// Runs commands as children of the daemon: inside its sandbox, each in a process group of its own.
#pragma once

#include <sys/types.h>

#include <list>

#include "daemon/base/fd.hpp"
#include "daemon/command/commands.hpp"

namespace netperfd::command {

// A process that left its group outlives its command. A killed child that the kernel does not let end is
// reaped when it ends.
class ChildCommands final : public Commands {
 public:
  explicit ChildCommands(EventLoop& loop) : loop_(loop) {}
  ChildCommands(const ChildCommands&) = delete;
  ChildCommands& operator=(const ChildCommands&) = delete;

  [[nodiscard]] Result<std::unique_ptr<core::ActiveCommand>> start(
      const std::vector<std::string>& argv, std::chrono::milliseconds timeout,
      std::function<void(const core::CommandEnd&)> done) override;
  // Children of an earlier daemon are unknown.
  [[nodiscard]] Status end_those_of_others() override { return {}; }

 private:
  class Child;
  struct Killed {
    pid_t pid;
    Fd pidfd;
    EventSource ended;
  };
  void reap_later(pid_t pid, Fd pidfd);

  EventLoop& loop_;
  std::list<Killed> killed_;
};

}  // namespace netperfd::command
