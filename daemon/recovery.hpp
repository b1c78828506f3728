// SPDX-License-Identifier: GPL-2.0-or-later
// Undoes changes to this machine that a crashed netperfd left behind.
#pragma once

#include <functional>
#include <string>

#include "daemon/base/event_loop.hpp"
#include "daemon/command/boot_journal_file.hpp"
#include "daemon/command/commands.hpp"
#include "daemon/command/side_journal_file.hpp"
#include "daemon/command/unit_programs.hpp"
#include "daemon/config/daemon_config.hpp"
#include "daemon/core/ports/machine_parts.hpp"
#include "daemon/trace/tracefs/session.hpp"
#include "daemon/trace/tracefs/tracefs.hpp"
#include "daemon/workload/program_settings.hpp"
#include "daemon/workload/run_group.hpp"

namespace netperfd {

// `netperfd --cleanup`: undoes changes in tracefs and the side of a design, and reports on standard output.
// Returns the exit code.
[[nodiscard]] Result<int> clean_up(const config::DaemonConfig& config);

// Runs at the start of the daemon and reports in the log. The store's lock guarantees that no other daemon
// uses these journals.
void put_tracefs_back(trace::Tracefs& tracefs, const trace::SessionSettings& settings);
// The error, which is in the log too: the machine is not back on its side.
[[nodiscard]] Status end_reboots(EventLoop& loop, command::Commands& commands, core::BootJournal& journal,
                                 const std::function<bool(JobId)>& is_live);
void put_side_back(EventLoop& loop, command::Commands& commands, command::SideJournalFile& journal,
                   const core::MachineParts& parts);

// Where each run's processes are kept together, so that none outlives the run. What a netperfd that died
// left there is ended.
[[nodiscard]] workload::GroupSite find_run_groups();
// Likewise its units of systemd, with their cleanups.
void end_left_units(command::UnitPrograms& units);
// What it left of the directories of commands, as their user.
void remove_left_directories(const workload::ProgramSettings& user);

// Both journals are next to the database.
[[nodiscard]] Result<command::SideJournalFile> open_side_journal(const config::DaemonConfig& config,
                                                                 const std::string& boot_id);
[[nodiscard]] command::BootJournalFile boot_journal(const config::DaemonConfig& config,
                                                    const std::string& boot_id);

}  // namespace netperfd
