// After a daemon that was killed in the middle of a design: the machine back to the side that it was on.
#pragma once

#include <chrono>
#include <string>

#include "daemon/base/event_loop.hpp"
#include "daemon/command/commands.hpp"
#include "daemon/command/side_journal_file.hpp"

namespace netperfd::command {

// Turns the loop until that is done, at most for about `timeout`; what was done in a sentence, empty where
// there was nothing. The note is kept where the command fails: the next start tries again.
[[nodiscard]] Result<std::string> bring_back(EventLoop& loop, Commands& commands, SideJournalFile& journal,
                                             std::chrono::milliseconds timeout);

}  // namespace netperfd::command
