// SPDX-License-Identifier: GPL-2.0-or-later
// An audit trail in memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/core/ports/audit_store.hpp"

namespace netperfd::core {

class FakeAuditStore final : public AuditStore {
 public:
  Result<std::int64_t> add(const AuditEntry& entry) override {
    if (refusal) return std::unexpected(*refusal);
    entries.push_back(entry);
    entries.back().id = static_cast<std::int64_t>(entries.size());
    return entries.back().id;
  }
  Status update(const AuditEntry& entry) override {
    if (refusal) return std::unexpected(*refusal);
    ++updates;
    entries.at(static_cast<std::size_t>(entry.id - 1)) = entry;
    return {};
  }
  // Filters by user; in one page.
  Result<Page<AuditEntry>> audit(const AuditFilter& filter, const std::string& cursor,
                                 std::uint32_t limit) override {
    ++pages;
    last_filter = filter;
    last_cursor = cursor;
    Page<AuditEntry> page;
    for (auto entry = entries.rbegin(); entry != entries.rend() && page.rows.size() < limit; ++entry) {
      if (!filter.uid || entry->uid == filter.uid) page.rows.push_back(*entry);
    }
    return page;
  }

  std::vector<AuditEntry> entries;  // oldest first
  int updates = 0;
  int pages = 0;  // that were asked for
  std::optional<Error> refusal;
  AuditFilter last_filter;
  std::string last_cursor;
};

}  // namespace netperfd::core
