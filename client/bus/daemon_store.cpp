// SPDX-License-Identifier: GPL-2.0-or-later
// Daemon's calls about the store as a whole.
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "client/bus/daemon_bus.hpp"

namespace netperfctl {
namespace {

// netperfd gives these two hours.
constexpr std::chrono::hours kLongAnswer{3};

dbus::Row row_of(const OldJobRule& rule) {
  dbus::Row row;
  if (rule.scenario) row.emplace("scenario", *rule.scenario);
  if (rule.label) row.emplace("label", *rule.label);
  if (rule.age_s) row.emplace("age", *rule.age_s);
  if (rule.count) row.emplace("count", *rule.count);
  if (rule.bytes) row.emplace("size", *rule.bytes);
  return row;
}

// A store whose first pages are damaged cannot even be opened.
Failure failure_of_check(const sdbus::Error& error) {
  Failure failure = failure_of(error);
  if (error.getName() == dbus::error::kIo) failure.exit = Exit::damaged;
  return failure;
}

}  // namespace

Outcome<StoreView> Daemon::check_store() {
  const Bus::Patience patience{*bus_, kLongAnswer};
  return call([&] { return bus_->ask<RowOf<StoreView>>("CheckStore"); }, failure_of_check);
}

Outcome<OwnedFd> Daemon::open_backup() {
  return guarded_call(*bus_, [&] { return OwnedFd{bus_->OpenBackup().release()}; });
}

Outcome<RestoredView> Daemon::restore_store(const OwnedFd& file) {
  const Bus::Patience patience{*bus_, kLongAnswer};
  return guarded_call(
      *bus_, [&] { return bus_->ask<RowOf<RestoredView>>("RestoreStore", sdbus::UnixFd{file.get()}); },
      failure_of_job);
}

Outcome<std::vector<OldJobView>> Daemon::old_jobs(const OldJobRule& rule) {
  const Bus::Patience patience{*bus_};
  return call([&] { return bus_->list<OldJobView>("ListOldJobs", row_of(rule)); });
}

Outcome<void> Daemon::delete_job(std::uint64_t job) {
  return guarded_call(*bus_, [&] { (void)bus_->DeleteJob(job); });
}

}  // namespace netperfctl
