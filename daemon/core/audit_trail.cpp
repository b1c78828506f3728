// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/audit_trail.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace netperfd::core {
namespace {

// The first line, without a character of which it would hold only a part.
std::string shortened(const std::string& text) {
  constexpr auto kIsInside = [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; };
  std::size_t end = std::min(text.find('\n'), text.size());
  if (end > AuditTrail::kLongestDetail) {
    end = AuditTrail::kLongestDetail;
    while (end > 0 && kIsInside(text[end])) --end;
  }
  return text.substr(0, end);
}

// Also if the clock was set back since.
bool is_complete(const AuditEntry& entry, WallTime now) {
  return now < entry.first || now - entry.first >= AuditTrail::kFoldedFor;
}

}  // namespace

std::optional<AuditTrail::Key> AuditTrail::key_of(const AuditEvent& event) {
  if (event.outcome != AuditOutcome::allowed) return Key{event.uid, event.action, event.outcome, 0};
  if (event.action == "read") return Key{event.uid, event.action, event.outcome, event.run.value_or(0)};
  if (event.action == "mark") return Key{event.uid, event.action, event.outcome, event.job.value_or(0)};
  return std::nullopt;
}

bool AuditTrail::counted(const Key& key, const AuditEvent& event, const std::string& detail) {
  const auto found = folds_.find(key);
  if (found == folds_.end()) return false;
  AuditEntry& entry = found->second.entry;
  if (is_complete(entry, clock_.now())) {
    write();  // its last count; if it could be stored, the fold is gone already
    if (const auto left = folds_.find(key); left != folds_.end()) {
      if (left->second.changed) ++lost_;
      folds_.erase(left);
    }
    return false;
  }
  entry.count += event.count;
  entry.last = clock_.now();
  entry.job = event.job;
  entry.run = event.run;
  entry.detail = detail;
  found->second.changed = true;
  write_later();
  return true;
}

void AuditTrail::record(const AuditEvent& event) {
  std::string detail = shortened(event.detail);
  const auto key = key_of(event);
  if (key && counted(*key, event, detail)) return;
  const WallTime now = clock_.now();
  AuditEntry entry{.id = 0,
                   .first = now,
                   .last = now,
                   .count = event.count,
                   .uid = event.uid,
                   .action = event.action,
                   .outcome = event.outcome,
                   .job = event.job,
                   .run = event.run,
                   .detail = std::move(detail)};
  entry.id = store(entry);
  if (!key || entry.id == 0) return;
  if (folds_.size() >= kMostFolds) let_go();
  folds_.emplace(*key, Fold{std::move(entry), false});
}

std::int64_t AuditTrail::store(const AuditEntry& entry) {
  write_unstored();
  if (unstored_.empty()) {
    if (const auto stored = store_.add(entry)) return *stored;
  }
  if (unstored_.size() < kMostUnstored) {
    unstored_.push_back(entry);
  } else {
    ++lost_;
  }
  write_later();
  return 0;
}

void AuditTrail::write_unstored() {
  for (; !unstored_.empty(); unstored_.pop_front()) {
    if (!store_.add(unstored_.front())) return;
  }
  if (lost_ == 0) return;
  const WallTime now = clock_.now();
  const AuditEntry gap{.id = 0,
                       .first = now,
                       .last = now,
                       .count = lost_,
                       .uid = std::nullopt,
                       .action = "audit",
                       .outcome = AuditOutcome::failed,
                       .job = std::nullopt,
                       .run = std::nullopt,
                       .detail = "entries that could not be stored are lost"};
  if (store_.add(gap)) lost_ = 0;
}

void AuditTrail::write() {
  writing_.reset();
  write_unstored();
  if (!unstored_.empty()) return write_later();
  for (auto& [key, fold] : folds_) {
    if (!fold.changed) continue;
    if (!store_.update(fold.entry)) return write_later();
    fold.changed = false;
  }
  std::erase_if(folds_,
                [now = clock_.now()](const auto& each) { return is_complete(each.second.entry, now); });
}

void AuditTrail::let_go() {
  write();
  lost_ += static_cast<std::uint64_t>(
      std::ranges::count_if(folds_, [](const auto& each) { return each.second.changed; }));
  folds_.clear();
}

void AuditTrail::write_later() {
  if (!writing_) writing_ = clock_.after(kWritePeriod, [this] { write(); });
}

Result<Page<AuditEntry>> AuditTrail::entries(const AuditFilter& filter, const std::string& cursor,
                                             std::uint32_t limit) {
  write();
  return store_.audit(filter, cursor, limit);
}

}  // namespace netperfd::core
