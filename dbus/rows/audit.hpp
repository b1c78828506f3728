// SPDX-License-Identifier: GPL-2.0-or-later
// The audit trail.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "dbus/rows/field.hpp"

namespace netperfd::rows {

// An action, or several that were alike: then `job`, `run` and `detail` are those of the last one.
struct AuditEntry {
  std::uint64_t entry = 0;  // a greater one began later
  std::optional<std::uint64_t> time_us, last_us;
  std::optional<std::uint64_t> count;
  std::optional<std::uint32_t> user;  // uid; absent: netperfd itself
  std::optional<std::string> action, outcome;
  std::optional<std::uint64_t> job, run;
  std::optional<std::string> detail;
};
template <>
inline constexpr auto kFields<AuditEntry> =
    std::tuple{field("entry", &AuditEntry::entry),     field("time_us", &AuditEntry::time_us),
               field("last_us", &AuditEntry::last_us), field("count", &AuditEntry::count),
               field("user", &AuditEntry::user),       field("action", &AuditEntry::action),
               field("outcome", &AuditEntry::outcome), field("job", &AuditEntry::job),
               field("run", &AuditEntry::run),         field("detail", &AuditEntry::detail)};
static_assert(kDescribed<AuditEntry>);

}  // namespace netperfd::rows
