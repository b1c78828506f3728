// Runs the commands of designs: as units of systemd where that is PID 1, so that they are outside of the
// daemon's sandbox; else as children of the daemon.
#pragma once

#include <memory>

#include "daemon/base/event_loop.hpp"
#include "daemon/core/command_ports.hpp"

namespace netperfd::command {

class Commands : public core::CommandRunner {
 public:
  // Ends what a daemon that died has left running, as far as that can be known. Waits for systemd's answers:
  // for the start of the daemon.
  [[nodiscard]] virtual Status end_those_of_others() = 0;
};

// The loop must outlive it, and it the commands that it starts.
[[nodiscard]] std::unique_ptr<Commands> make_commands(EventLoop& loop);

}  // namespace netperfd::command
