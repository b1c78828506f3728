// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/audit_log.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "daemon/store/columns.hpp"
#include "daemon/store/digests.hpp"
#include "daemon/store/paging.hpp"

namespace netperfd::store {
namespace {

constexpr std::uint32_t kAuditPage = 500;
constexpr const char* kAuditColumns = "first_us, last_us, count, uid, action, outcome, job, run, detail";

auto audit_members(auto& entry) {
  return std::tie(entry.first, entry.last, entry.count, entry.uid, entry.action, entry.outcome, entry.job,
                  entry.run, entry.detail);
}

// The other entries stay readable. It is shown to whoever may have asked for it.
void replace_damaged(core::AuditEntry& entry, const core::AuditFilter& filter) {
  const std::int64_t id = entry.id;
  entry = {};
  entry.id = id;
  entry.uid = filter.uid;
  entry.action = "damaged";
  entry.outcome = core::AuditOutcome::failed;
  entry.detail = "what this entry said is damaged: netperfctl db check";
}

}  // namespace

Status insert_entry(Connection& connection, const core::AuditEntry& entry) {
  auto insert = connection.prepare(insert_into("audit", kAuditColumns));
  if (!insert) return std::unexpected(insert.error());
  if (auto done = insert->bind(audit_members(entry)).run(); !done) return done;
  return write_entry_digest(connection, connection.last_insert_id());
}

Result<std::int64_t> AuditLog::add(const core::AuditEntry& entry) {
  auto transaction = Transaction::begin(connection_, Durability::normal);
  if (!transaction) return std::unexpected(transaction.error());
  if (auto done = insert_entry(connection_, entry); !done) return std::unexpected(done.error());
  const auto id = connection_.last_insert_id();
  if (added_ % caps_.slack == 0) {
    if (auto pruned = prune(); !pruned) return std::unexpected(pruned.error());
  }
  if (auto done = transaction->commit(); !done) return std::unexpected(done.error());
  ++added_;
  return id;
}

Status AuditLog::prune() {
  if (auto done = keep_newest("outcome <> 'allowed'", caps_.not_allowed); !done) return done;
  auto select = connection_.prepare(
      "SELECT uid FROM audit WHERE typeof(uid) = 'integer' GROUP BY uid HAVING count(*) > ?");
  if (!select) return std::unexpected(select.error());
  select->bind(caps_.of_a_user);
  std::vector<uid_t> busy;
  for (;;) {
    auto more = select->step();
    if (!more) return std::unexpected(more.error());
    if (!*more) break;
    if (auto read = select->read(busy.emplace_back()); !read) return read;
  }
  for (const uid_t uid : busy) {
    if (auto done = keep_newest(fmt::format("uid = {}", uid), caps_.of_a_user); !done) return done;
  }
  return keep_newest("true", caps_.all);
}

Status AuditLog::keep_newest(const std::string& condition, std::int64_t most) {
  return connection_.execute(
      fmt::format("DELETE FROM audit WHERE {0} AND id <= (SELECT id FROM audit WHERE {0} ORDER BY id DESC "
                  "LIMIT 1 OFFSET {1})",
                  condition, most));
}

Status AuditLog::update(const core::AuditEntry& entry) {
  auto transaction = Transaction::begin(connection_, Durability::normal);
  if (!transaction) return std::unexpected(transaction.error());
  const auto intact = is_intact_entry(connection_, entry.id);
  if (!intact) return std::unexpected(intact.error());
  auto update = connection_.prepare(
      "UPDATE audit SET last_us = ?, count = ?, job = ?, run = ?, detail = ? WHERE id = ?");
  if (!update) return std::unexpected(update.error());
  auto done = update->bind(entry.last, entry.count, entry.job, entry.run, entry.detail, entry.id).run();
  if (done && *intact) done = write_entry_digest(connection_, entry.id);
  if (!done) return done;
  return transaction->commit();
}

Result<core::Page<core::AuditEntry>> AuditLog::read(const core::AuditFilter& filter,
                                                    const std::string& cursor, std::uint32_t limit) {
  constexpr char kListing = 'a';
  const auto before = parse_cursor(cursor, kListing, std::numeric_limits<std::int64_t>::max());
  if (!before) return std::unexpected(before.error());
  std::string sql = fmt::format("SELECT id, {}, digest FROM audit WHERE id < ?", kAuditColumns);
  std::vector<Value> parameters{*before};
  const auto where = [&](const char* condition, Value value) {
    sql += fmt::format(" AND {} ?", condition);
    parameters.push_back(std::move(value));
  };
  if (filter.uid) where("uid =", std::int64_t{*filter.uid});
  if (filter.action) where("action =", *filter.action);
  if (filter.outcome) where("outcome =", std::string{to_string(*filter.outcome)});
  if (filter.since) where("first_us >=", std::int64_t{filter.since->time_since_epoch().count()});
  if (filter.until) where("first_us <", std::int64_t{filter.until->time_since_epoch().count()});
  const std::uint32_t size = page_size(limit, kAuditPage);
  sql += fmt::format(" ORDER BY id DESC LIMIT {}", size + 1);
  auto select = connection_.prepare(sql);
  if (!select) return std::unexpected(select.error());
  select->bind(parameters);
  return read_page<core::AuditEntry>(
      *select, kListing, size, [&](core::AuditEntry& entry) -> Result<std::int64_t> {
        std::optional<std::int64_t> digest;
        auto members = std::tuple_cat(std::tie(entry.id), audit_members(entry), std::tie(digest));
        const auto read = select->read(members);
        if (!read && read.error().kind != ErrorKind::io) return std::unexpected(read.error());
        const auto now = digest_of_entry(connection_, entry.id);
        if (!now) return std::unexpected(now.error());
        if (!read || digest != *now) replace_damaged(entry, filter);
        return entry.id;
      });
}

}  // namespace netperfd::store
