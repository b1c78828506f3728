// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstddef>
#include <cstdint>
#include <string>

#include "client/bus/daemon_bus.hpp"

namespace netperfctl {
namespace {

dbus::Row row_of(const AuditFilter& filter) {
  dbus::Row row;
  if (filter.user) row.emplace("user", *filter.user);
  if (filter.action) row.emplace("action", *filter.action);
  if (filter.outcome) row.emplace("outcome", *filter.outcome);
  if (filter.since_us) row.emplace("since", *filter.since_us);
  if (filter.until_us) row.emplace("until", *filter.until_us);
  return row;
}

}  // namespace

Outcome<AuditPage> Daemon::audit_log(const AuditFilter& filter, std::optional<std::size_t> limit) {
  return call([&] {
    constexpr std::size_t kMostEntries = 500;
    AuditPage page;
    page.more =
        add_pages(page.entries, limit, kMostEntries, [&](const std::string& cursor, std::uint32_t wanted) {
          return bus_->ask<RowsOf<AuditView>, std::string>("ListAuditLog", row_of(filter), cursor, wanted);
        });
    return page;
  });
}

}  // namespace netperfctl
