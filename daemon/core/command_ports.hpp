// The ports of a design's commands: the runner, and the journal that remembers the machine's state before
// them.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::core {

// ---- CommandRunner: runs the commands that switch the machine to a side of a design -----------------------

struct CommandEnd {
  std::string error;  // empty: it ended with exit code 0; otherwise how it ended, with the end of its output
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
  // that nothing was started.
  [[nodiscard]] virtual Result<std::unique_ptr<ActiveCommand>> start(
      const std::vector<std::string>& argv, std::chrono::milliseconds timeout,
      std::function<void(const CommandEnd&)> done) = 0;
};

// ---- SideJournal: the undo note, for a daemon that is killed between a switch and its undoing -------------

struct SideNote {
  JobId job = 0;
  std::string side;                // the name of the variant that the machine was on
  std::vector<std::string> apply;  // the command that switches back to it
};

class SideJournal {
 public:
  virtual ~SideJournal() = default;
  // On disk when it returns. Refused (busy) if an older note of this boot was not cleared: it is still the
  // only way back.
  [[nodiscard]] virtual Status write(const SideNote& note) = 0;
  // Called when the machine is on that side again.
  [[nodiscard]] virtual Status clear() = 0;
};

}  // namespace netperfd::core
