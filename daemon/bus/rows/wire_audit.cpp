// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/rows/wire_audit.hpp"

#include <string>

#include "daemon/bus/rows/row_maker.hpp"
#include "dbus/rows/audit.hpp"

namespace netperfd::bus {

Row audit_row(const core::AuditEntry& entry) {
  const auto microseconds = [](WallTime time) {
    return static_cast<std::uint64_t>(time.time_since_epoch().count());
  };
  rows::AuditEntry row;
  row.entry = static_cast<std::uint64_t>(entry.id);
  row.time_us = microseconds(entry.first);
  row.last_us = microseconds(entry.last);
  row.count = entry.count;
  row.user = entry.uid;
  row.action = entry.action;
  row.outcome = std::string{to_string(entry.outcome)};
  if (entry.job) row.job = static_cast<std::uint64_t>(*entry.job);
  if (entry.run) row.run = static_cast<std::uint64_t>(*entry.run);
  if (!entry.detail.empty()) row.detail = entry.detail;
  return to_wire(row);
}

}  // namespace netperfd::bus
