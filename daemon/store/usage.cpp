// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/usage.hpp"

#include <algorithm>

namespace netperfd::store {
namespace {

// Within a transaction both pragmas give its own state.
Result<std::int64_t> used_pages(Connection& connection) {
  const auto pages = connection.value<std::int64_t>("PRAGMA page_count");
  if (!pages) return std::unexpected(pages.error());
  const auto free = connection.value<std::int64_t>("PRAGMA freelist_count");
  if (!free) return std::unexpected(free.error());
  return *pages - *free;
}

}  // namespace

Result<Growth> Growth::begin(Connection& connection) {
  const auto used = used_pages(connection);
  if (!used) return std::unexpected(used.error());
  return Growth{connection, *used};
}

Result<std::uint64_t> Growth::bytes() const {
  const auto used = used_pages(*connection_);
  if (!used) return std::unexpected(used.error());
  const auto page_size = connection_->value<std::int64_t>("PRAGMA page_size");
  if (!page_size) return std::unexpected(page_size.error());
  return static_cast<std::uint64_t>(std::max<std::int64_t>(*used - used_pages_, 0) * *page_size);
}

Result<core::UserUsage> read_usage(Connection& connection, uid_t owner, WallTime since, WallTime until) {
  // The times of an imported run are those of another machine.
  auto select = connection.prepare(
      "SELECT (SELECT stored_bytes FROM stored_by_owner WHERE owner_uid = ?1), "
      "(SELECT sum(max(runs.ended_us - max(runs.started_us, ?2), 0)) FROM runs JOIN jobs ON jobs.id = "
      "runs.job "
      "WHERE runs.ended_us > ?2 AND runs.ended_us <= ?3 AND jobs.owner_uid = ?1 AND jobs.workload <> "
      "'import' AND "
      "NOT EXISTS (SELECT 1 FROM flags WHERE flags.run = runs.id AND flags.code = 'from-bundle'))");
  if (!select) return std::unexpected(select.error());
  auto found = select->bind(owner, since, until).step();
  if (!found) return std::unexpected(found.error());
  core::UserUsage usage;
  if (!*found) return usage;
  if (auto read = select->read(usage.stored_bytes, usage.running); !read)
    return std::unexpected(read.error());
  return usage;
}

}  // namespace netperfd::store
