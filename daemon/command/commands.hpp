// SPDX-License-Identifier: GPL-2.0-or-later
// Runs the commands of designs. If systemd is PID 1, they run as its units, outside the daemon's sandbox.
// Otherwise they run as children of the daemon.
#pragma once

#include <memory>
#include <string>

#include "daemon/base/event_loop.hpp"
#include "daemon/core/ports/command_runner.hpp"

namespace netperfd::command {

class Commands : public core::CommandRunner {
 public:
  // Ends commands that a dead daemon of this owner left running, as far as they can be found. Waits for
  // systemd's answers, so call it only while the daemon starts.
  [[nodiscard]] virtual Status end_those_of_others() = 0;
};

// `owner`: SideJournalFile::owner(). The loop must outlive the result, and the result the commands that it
// starts.
[[nodiscard]] std::unique_ptr<Commands> make_commands(EventLoop& loop, std::string owner);

}  // namespace netperfd::command
