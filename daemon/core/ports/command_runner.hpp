// SPDX-License-Identifier: GPL-2.0-or-later
// Runs the commands that switch the machine to a side of a design.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"

namespace netperfd::core {

struct CommandEnd {
  std::string error;  // empty: it ended with exit code 0; otherwise how it ended, with the last line it wrote
  std::string output = {};  // of a command that failed: the end of its output, in lines
  bool ran = true;          // false: its program could not be executed, so it has changed nothing
};

// A running command. Destroying it ends the command with all its processes; `done` is not called then.
class ActiveCommand {
 public:
  virtual ~ActiveCommand() = default;
};

class CommandRunner {
 public:
  virtual ~CommandRunner() = default;
  // Starts `argv` as root (outside the daemon's sandbox if systemd is PID 1) and ends it after `timeout`.
  // `done` is called once, from the loop, never inside this call; it may destroy the command. An error means
  // that nothing was started, or (internal) that it was and was ended at once.
  [[nodiscard]] virtual Result<std::unique_ptr<ActiveCommand>> start(
      const std::vector<std::string>& argv, std::chrono::milliseconds timeout,
      std::function<void(const CommandEnd&)> done) = 0;
};

}  // namespace netperfd::core
