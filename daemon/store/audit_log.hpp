// SPDX-License-Identifier: GPL-2.0-or-later
// The table of the audit trail; core::AuditStore documents the calls.
#pragma once

#include <cstdint>
#include <string>

#include "daemon/core/ports/audit_store.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// Maximum numbers of entries. They may be exceeded by `slack`, so that not every entry costs a count.
struct AuditCaps {
  std::int64_t all = 100'000;
  std::int64_t of_a_user = 20'000;
  std::int64_t not_allowed = 10'000;  // refused or failed
  std::int64_t slack = 100;
};

// Adds an entry within a transaction of the caller; the next AuditLog::add() removes what is too much.
[[nodiscard]] Status insert_entry(Connection& connection, const core::AuditEntry& entry);

class AuditLog {
 public:
  explicit AuditLog(Connection& connection, AuditCaps caps = {}) : connection_(connection), caps_(caps) {}

  [[nodiscard]] Result<std::int64_t> add(const core::AuditEntry& entry);
  [[nodiscard]] Status update(const core::AuditEntry& entry);
  [[nodiscard]] Result<core::Page<core::AuditEntry>> read(const core::AuditFilter& filter,
                                                          const std::string& cursor, std::uint32_t limit);

 private:
  [[nodiscard]] Status prune();
  // Removes the oldest entries that fulfil `condition` beyond `most`.
  [[nodiscard]] Status keep_newest(const std::string& condition, std::int64_t most);

  Connection& connection_;
  AuditCaps caps_;
  std::int64_t added_ = 0;  // since the last prune()
};

}  // namespace netperfd::store
