// SPDX-License-Identifier: GPL-2.0-or-later
// Who did what: what the store keeps of it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/core/ports/run_queries.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::core {

enum class AuditOutcome { allowed, refused, failed };
[[nodiscard]] constexpr std::string_view to_string(AuditOutcome outcome) {
  switch (outcome) {
    case AuditOutcome::allowed:
      return "allowed";
    case AuditOutcome::refused:
      return "refused";
    case AuditOutcome::failed:
      break;
  }
  return "failed";
}
[[nodiscard]] constexpr bool parse_word(std::string_view text, AuditOutcome& outcome) {
  for (const auto each : {AuditOutcome::allowed, AuditOutcome::refused, AuditOutcome::failed}) {
    if (text != to_string(each)) continue;
    outcome = each;
    return true;
  }
  return false;
}

// An action, or several that were alike.
struct AuditEntry {
  std::int64_t id = 0;  // given by the store; a greater one began later
  WallTime first, last;
  std::uint64_t count = 1;
  std::optional<uid_t> uid;  // absent: netperfd itself, or a caller who had left
  // A word: start, stop, delete, import, mark, read, reload, reread, keep, or call for a refused one.
  std::string action;
  AuditOutcome outcome = AuditOutcome::allowed;
  std::optional<JobId> job;  // this, run and detail are those of the last action
  std::optional<RunId> run;
  std::string detail;  // why it was refused or failed, or what it was about

  bool operator==(const AuditEntry&) const = default;
};

struct AuditFilter {
  std::optional<uid_t> uid = {};
  std::optional<std::string> action = {};
  std::optional<AuditOutcome> outcome = {};
  std::optional<WallTime> since = {}, until = {};  // of the first moment; since inclusive, until exclusive
};

class AuditStore {
 public:
  virtual ~AuditStore() = default;
  // Returns its number. The oldest entries are removed if there are too many: of one user, of refusals and
  // failures, and in all. So neither refused calls nor a busy user can push out what others did.
  [[nodiscard]] virtual Result<std::int64_t> add(const AuditEntry& entry) = 0;
  // Replaces `last`, `count`, `job`, `run` and `detail` of the entry with this number, if it still exists.
  [[nodiscard]] virtual Status update(const AuditEntry& entry) = 0;
  // Newest first.
  [[nodiscard]] virtual Result<Page<AuditEntry>> audit(const AuditFilter& filter, const std::string& cursor,
                                                       std::uint32_t limit) = 0;
};

}  // namespace netperfd::core
