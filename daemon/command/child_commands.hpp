// Commands as children of the daemon: in its sandbox, each in a process group of its own.
#pragma once

#include <sys/types.h>

#include <list>

#include "daemon/base/fd.hpp"
#include "daemon/command/commands.hpp"

namespace netperfd::command {

// A process that left its group outlives its command; one that is killed and does not end, because the kernel
// does not let it, is reaped when it does.
class ChildCommands final : public Commands {
 public:
  explicit ChildCommands(EventLoop& loop) : loop_(loop) {}
  ChildCommands(const ChildCommands&) = delete;
  ChildCommands& operator=(const ChildCommands&) = delete;

  [[nodiscard]] Result<std::unique_ptr<core::ActiveCommand>> start(
      const std::vector<std::string>& argv, std::chrono::milliseconds timeout,
      std::function<void(const core::CommandEnd&)> done) override;
  // Nothing is known of them.
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
