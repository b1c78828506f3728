// SPDX-License-Identifier: GPL-2.0-or-later
// What a design left to the next daemon: switches the machine back to its original side after a daemon was
// killed, and says where the last reboot of a design has brought it.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "daemon/base/event_loop.hpp"
#include "daemon/command/commands.hpp"
#include "daemon/command/side_journal_file.hpp"
#include "daemon/core/ports/boot_journal.hpp"
#include "daemon/core/ports/machine_parts.hpp"

namespace netperfd::command {

// Runs the loop until that is done, for at most about `timeout`: systemd limits the start of the daemon.
// Returns sentences on what was done, empty if there was nothing to do. If a command fails or the time is
// over, the note is kept and is tried again before the next job, unless what it needs is gone.
[[nodiscard]] Result<std::string> bring_back(EventLoop& loop, Commands& commands, SideJournalFile& journal,
                                             const core::MachineParts& parts,
                                             std::chrono::milliseconds timeout);

// Clears the note of a design that reboots, unless its job is live. If the design has ended with a reboot
// back to the original side, its check is run; an error says that the machine is elsewhere. Returns as above.
[[nodiscard]] Result<std::string> end_reboots(EventLoop& loop, Commands& commands, core::BootJournal& journal,
                                              const std::function<bool(JobId)>& is_live,
                                              std::chrono::milliseconds timeout);

}  // namespace netperfd::command
