// What a netperfd that died had changed on this machine, and not put back.
#pragma once

#include <string>

#include "daemon/base/event_loop.hpp"
#include "daemon/command/commands.hpp"
#include "daemon/command/side_journal_file.hpp"
#include "daemon/config/daemon_config.hpp"
#include "daemon/trace/session.hpp"
#include "daemon/trace/tracefs.hpp"

namespace netperfd {

// `netperfd --cleanup`: tracefs and the side of a design, told on standard output. The exit code.
[[nodiscard]] Result<int> clean_up(const config::DaemonConfig& config);

// At the start of the daemon, told in the log. The store's lock says that no other daemon lives with these
// journals.
void put_tracefs_back(trace::Tracefs& tracefs, const trace::SessionSettings& settings);
void put_side_back(EventLoop& loop, command::Commands& commands, command::SideJournalFile& journal);

// The journal of sides lies beside the database, too.
[[nodiscard]] Result<command::SideJournalFile> open_side_journal(const config::DaemonConfig& config,
                                                                 const std::string& boot_id);

}  // namespace netperfd
