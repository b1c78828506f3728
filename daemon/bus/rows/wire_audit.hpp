// SPDX-License-Identifier: GPL-2.0-or-later
// Entries of the audit trail, as the rows that dbus/org.netperfd1.Manager.xml documents.
#pragma once

#include "daemon/bus/rows/wire.hpp"
#include "daemon/core/ports/audit_store.hpp"

namespace netperfd::bus {

[[nodiscard]] Row audit_row(const core::AuditEntry& entry);

}  // namespace netperfd::bus
