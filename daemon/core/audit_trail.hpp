// SPDX-License-Identifier: GPL-2.0-or-later
// The audit trail: records who did what. Many actions that are alike become one entry, so that refused calls
// cost neither space nor time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "daemon/core/ports/audit_store.hpp"
#include "daemon/core/ports/clock.hpp"

namespace netperfd::core {

struct AuditEvent {
  std::optional<uid_t> uid;  // absent: netperfd itself
  std::string action;        // as in AuditEntry
  AuditOutcome outcome = AuditOutcome::allowed;
  std::optional<JobId> job = {};
  std::optional<RunId> run = {};
  std::string detail = {};
  std::uint64_t count = 1;  // of events that were alike
};

class AuditTrail {
 public:
  // Events that are alike are counted in one entry for this long.
  static constexpr std::chrono::hours kFoldedFor{1};
  // How often its count is written.
  static constexpr std::chrono::seconds kWritePeriod{60};
  static constexpr std::size_t kMostFolds = 1024;  // entries that still count
  static constexpr std::size_t kMostUnstored = 256;
  static constexpr std::size_t kLongestDetail = 300;  // bytes

  // Both must outlive this object.
  AuditTrail(AuditStore& store, Clock& clock) : store_(store), clock_(clock) {}
  AuditTrail(const AuditTrail&) = delete;
  AuditTrail& operator=(const AuditTrail&) = delete;
  ~AuditTrail() { write(); }

  // Another store comes: writes what it has counted, and begins new entries from now on.
  void let_go();

  // Stores it at once, or counts it. Alike are refusals and failures of one user's same action, and a user's
  // `read` of the same run and `mark` of the same job. If the disk refuses, the entry waits in
  // memory.
  void record(const AuditEvent& event);

  [[nodiscard]] Result<Page<AuditEntry>> entries(const AuditFilter& filter, const std::string& cursor,
                                                 std::uint32_t limit);

 private:
  using Key = std::tuple<std::optional<uid_t>, std::string, AuditOutcome, std::int64_t>;
  struct Fold {
    AuditEntry entry;
    bool changed = false;  // since it was written
  };

  [[nodiscard]] static std::optional<Key> key_of(const AuditEvent& event);
  [[nodiscard]] bool counted(const Key& key, const AuditEvent& event, const std::string& detail);
  // Returns its number; 0 if it waits.
  std::int64_t store(const AuditEntry& entry);
  void write();
  void write_unstored();
  void write_later();

  AuditStore& store_;
  Clock& clock_;
  std::map<Key, Fold> folds_;
  std::deque<AuditEntry> unstored_;
  std::uint64_t lost_ = 0;  // entries that neither the disk nor unstored_ had room for
  Timer writing_;
};

}  // namespace netperfd::core
