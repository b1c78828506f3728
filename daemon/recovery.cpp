// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/recovery.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "daemon/command/bring_back.hpp"
#include "daemon/core/sides/sides.hpp"
#include "daemon/counters/machine_parts.hpp"
#include "daemon/log/log.hpp"
#include "daemon/trace_settings.hpp"
#include "daemon/workload/command/work_directory.hpp"
#include "daemon/workload/left_groups.hpp"
#include "daemon/workload/orphans.hpp"

namespace netperfd {
namespace {

std::string side_journal(const config::DaemonConfig& config) {
  return config.database + ".side";
}

Status clean_up_tracefs(const trace::SessionSettings& settings) {
  const auto tracefs = trace::make_real_tracefs(tracefs_root());
  const auto done = trace::clean_up(*tracefs, settings);
  if (!done) return std::unexpected(done.error());
  for (const std::string& line : *done) fmt::print("{}\n", line);
  return {};
}

void clean_up_groups() {
  const workload::GroupSite site = workload::find_group_site();
  if (site.directory.empty()) return;
  if (const auto groups = workload::remove_left_groups(site.directory); groups > 0) {
    fmt::print("ended what was left in the cgroups of {} run(s)\n", groups);
  }
}

Status clean_up_side(const config::DaemonConfig& config, const std::string& boot_id) {
  if (::access(side_journal(config).c_str(), F_OK) != 0) return {};
  auto journal = open_side_journal(config, boot_id);
  if (!journal) return std::unexpected(std::move(journal.error()));
  auto loop = EventLoop::create();
  if (!loop) return std::unexpected(std::move(loop.error()));
  auto owner = journal->owner();
  if (!owner) return std::unexpected(std::move(owner.error()));
  if (auto ended = command::UnitPrograms(*loop, *owner).end_those_of_others(); !ended)
    fmt::print("programs of runs may be left: {}\n", ended.error().message);
  const auto commands = command::make_commands(*loop, *std::move(owner));
  const counters::KernelMachineParts parts;
  const auto done = command::bring_back(*loop, *commands, *journal, parts, core::kCommandTimeout);
  if (!done) return std::unexpected(done.error());
  if (!done->empty()) fmt::print("{}\n", *done);
  return {};
}

}  // namespace

// Uses only the database's path: it must work even if the configured users no longer exist.
Result<int> clean_up(const config::DaemonConfig& config) {
  const auto settings = session_settings(config);
  if (!settings) return std::unexpected(settings.error());
  clean_up_groups();
  const Status tracefs = clean_up_tracefs(*settings);
  // Done even if cleaning up tracefs failed.
  const Status side = clean_up_side(config, settings->boot_id);
  if (!tracefs && !side) {
    return fail(tracefs.error().kind,
                fmt::format("{}\nnetperfd: {}", tracefs.error().message, side.error().message));
  }
  if (!tracefs) return std::unexpected(tracefs.error());
  if (!side) return std::unexpected(side.error());
  return EXIT_SUCCESS;
}

void put_tracefs_back(trace::Tracefs& tracefs, const trace::SessionSettings& settings) {
  const auto done = trace::clean_up(tracefs, settings);
  if (!done) {
    log::error(fmt::format("tracefs is not as it was before: {}", done.error().message));
    return;
  }
  for (const std::string& line : *done) log::warn(fmt::format("tracefs put back: {}", line));
}

void put_side_back(EventLoop& loop, command::Commands& commands, command::SideJournalFile& journal,
                   const core::MachineParts& parts) {
  const auto done = command::bring_back(loop, commands, journal, parts, core::kCommandTimeout);
  if (!done) {
    log::error(fmt::format("the machine is not as it was before: {}; `netperfctl doctor` says more",
                           done.error().message));
  } else if (!done->empty()) {
    log::warn(*done);
  }
}

Status end_reboots(EventLoop& loop, command::Commands& commands, core::BootJournal& journal,
                   const std::function<bool(JobId)>& is_live) {
  const auto done = command::end_reboots(loop, commands, journal, is_live, core::kCommandTimeout);
  if (!done) {
    log::error(done.error().message);
    return std::unexpected(done.error());
  }
  if (!done->empty()) log::info(*done);
  return {};
}

Result<command::SideJournalFile> open_side_journal(const config::DaemonConfig& config,
                                                   const std::string& boot_id) {
  return command::SideJournalFile::open(side_journal(config), boot_id);
}

command::BootJournalFile boot_journal(const config::DaemonConfig& config, const std::string& boot_id) {
  return {config.database + ".boots", boot_id};
}

void end_left_units(command::UnitPrograms& units) {
  if (auto ended = units.end_those_of_others(); !ended)
    log::error(fmt::format("programs of a netperfd that died may be left: {}", ended.error().message));
}

void remove_left_directories(const workload::ProgramSettings& user) {
  if (const auto removed = workload::remove_left_directories(user.uid, user.gid); removed > 0)
    log::warn(fmt::format("removed the directories of {} run(s) of a netperfd that died", removed));
}

workload::GroupSite find_run_groups() {
  auto site = workload::find_group_site();
  if (!site.directory.empty()) {
    if (const auto groups = workload::remove_left_groups(site.directory); groups > 0) {
      log::warn(
          fmt::format("ended what was left in the cgroups of {} run(s) of a netperfd that died", groups));
    }
    return site;
  }
  if (const auto adopts = workload::adopt_orphans(); !adopts) site.missing += "; " + adopts.error().message;
  log::info(fmt::format("runs have no cgroup of their own: {}", site.missing));
  return site;
}

}  // namespace netperfd
