// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <utility>

#include "daemon/trace/tracefs/foreign_tracers.hpp"
#include "daemon/trace/tracefs/journal.hpp"
#include "daemon/trace/tracefs/session.hpp"
#include "daemon/trace/tracefs/undo.hpp"

namespace netperfd::trace {
namespace {

Status undo_journal(Tracefs& tracefs, const SessionSettings& settings, Undone& report) {
  if (::access(settings.journal.c_str(), F_OK) != 0) return {};
  auto journal = Journal::open(settings.journal, settings.boot_id);
  if (!journal) return std::unexpected(journal.error());
  if (auto visible = check_visible(tracefs, *journal); !visible) return visible;
  if (journal->of_another_boot()) report.done.emplace_back("removed the journal of an earlier boot");
  if (journal->damaged_lines() > 0) {
    report.done.push_back(
        fmt::format("passed over {} damaged lines of {}", journal->damaged_lines(), journal->path()));
  }
  report.add(undo(tracefs, *journal, settings.proc));
  if (!journal->changes().empty()) return {};
  return journal->remove();
}

// Only removes the directory, which the kernel refuses while a file in it is open. A netperfd of another PID
// namespace may be alive although its pid does not exist here, so its instance must not be changed. The
// instance of a dead one can be removed even with its tracer on.
void sweep(Tracefs& tracefs, const std::string& directory, const std::string& proc, Undone& report) {
  const Status removed = tracefs.remove_directory(directory);
  if (removed) {
    report.done.push_back("removed " + directory);
  } else if (removed.error().kind == ErrorKind::busy) {
    const auto holders = holders_of(proc, directory);
    report.done.push_back(fmt::format("left {} alone: it is in use{}", directory,
                                      holders.empty() ? "" : fmt::format(" by {}", holders)));
  } else {
    report.failed.push_back(removed.error().message);
  }
}

void sweep_instances(Tracefs& tracefs, const SessionSettings& settings, Undone& report) {
  const auto instances = tracefs.list("instances");
  if (!instances) {
    if (instances.error().kind != ErrorKind::not_found) report.failed.push_back(instances.error().message);
    return;
  }
  for (const auto& instance : *instances) {
    const long owner = instance_owner(instance);
    // An instance with this process's own pid also belongs to a dead process: a live session of this process
    // would hold the journal's lock.
    if (owner == 0 || (owner != ::getpid() && is_alive(settings.proc, owner, settings.process))) continue;
    sweep(tracefs, "instances/" + instance, settings.proc, report);
  }
}

}  // namespace

Result<std::vector<std::string>> clean_up(Tracefs& tracefs, const SessionSettings& settings) {
  Undone report;
  if (auto status = undo_journal(tracefs, settings, report); !status) {
    const bool whole =
        status.error().kind == ErrorKind::busy || status.error().kind == ErrorKind::unsupported;
    if (whole) return std::unexpected(status.error());
    report.failed.push_back(status.error().message);
  }
  sweep_instances(tracefs, settings, report);
  if (report.failed.empty()) return std::move(report.done);
  return fail(ErrorKind::io, fmt::format("{}", fmt::join(report.failed, "\n")));
}

}  // namespace netperfd::trace
