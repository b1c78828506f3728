// SPDX-License-Identifier: GPL-2.0-or-later
// Switches the machine back to its original side after a daemon was killed in the middle of a design.
#pragma once

#include <chrono>
#include <string>

#include "daemon/base/event_loop.hpp"
#include "daemon/command/commands.hpp"
#include "daemon/command/side_journal_file.hpp"

namespace netperfd::command {

// Runs the loop until that is done, for at most about `timeout`. Returns a sentence on what was done, empty
// if there was nothing to do. If the command fails, the note is kept and the next start tries again.
[[nodiscard]] Result<std::string> bring_back(EventLoop& loop, Commands& commands, SideJournalFile& journal,
                                             std::chrono::milliseconds timeout);

}  // namespace netperfd::command
