// SPDX-License-Identifier: GPL-2.0-or-later
// The audit trail: ListAuditLog, and what the other methods record.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "daemon/bus/errors.hpp"
#include "daemon/bus/manager_object.hpp"
#include "daemon/bus/options.hpp"
#include "daemon/bus/wire.hpp"
#include "daemon/bus/wire_audit.hpp"
#include "dbus/names.hpp"

namespace netperfd::bus {

void ManagerObject::record_failure(core::Deed deed, const sdbus::Error& error) {
  const std::string& name = error.getName();
  const bool refused = name == dbus::error::kAccessDenied || name == dbus::error::kQuotaExceeded;
  deed.outcome = refused ? core::AuditOutcome::refused : core::AuditOutcome::failed;
  deed.detail = error.getMessage();
  ports_.audit.record(deed);
}

void ManagerObject::refuse_recorded(const core::Deed& deed, const Status& status) {
  if (status) return;
  const sdbus::Error error = to_dbus(status.error());
  record_failure(deed, error);
  throw error;
}

void ManagerObject::ListAuditLog(sdbus::Result<Dicts, std::string>&& result, Dict filter, std::string cursor,
                                 std::uint32_t limit) {
  constexpr std::uint32_t kAuditPageLimit = 500;
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    const auto wanted = value_or_throw(parse_audit_filter(filter));
    with_caller(reply, [this, reply, cursor, limit, wanted](const Caller& caller) {
      core::AuditFilter visible = wanted;
      if (!ports_.authorization.is_member(caller)) {
        // Who is refused does not learn whether there are entries of others.
        if (wanted.uid.value_or(caller.uid) != caller.uid) {
          throw to_dbus(
              Error{ErrorKind::access_denied,
                    fmt::format("uid {} may only read its own entries of the audit log", caller.uid)});
        }
        visible.uid = caller.uid;
      }
      const WirePage page = fitting_page(
          page_limit(limit, kAuditPageLimit),
          [&](std::uint32_t rows) { return ports_.audit.entries(visible, cursor, rows); }, audit_row);
      reply->ok(page.rows, page.next);
    });
  });
}

}  // namespace netperfd::bus
