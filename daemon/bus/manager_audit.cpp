// The audit trail: ListAuditLog, and what the other methods record.
#include <algorithm>
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
  const std::string name = error.getName();
  const bool refused = name == dbus::error::kAccessDenied || name == dbus::error::kQuotaExceeded;
  deed.outcome = refused ? core::AuditOutcome::refused : core::AuditOutcome::failed;
  deed.detail = error.getMessage();
  ports_.audit.record(deed);
}

void ManagerObject::ListAuditLog(sdbus::Result<Dicts, std::string>&& result, Dict filter, std::string cursor,
                                 std::uint32_t limit) {
  constexpr std::uint32_t kAuditPageLimit = 500;
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    with_credentials(reply, [this, reply, cursor, limit, wanted = value_or_throw(parse_audit_filter(filter))](
                                const Credentials& caller, const std::string&) {
      core::AuditFilter visible = wanted;
      if (!may_measure(caller, settings_.group)) {
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
