// SPDX-License-Identifier: GPL-2.0-or-later
// How much the runs of a job may take, and how much there is for them.
#include "daemon/store/disk_space.hpp"
#include "daemon/store/sqlite_store.hpp"
#include "daemon/store/store_parts.hpp"

namespace netperfd::store {

// Not of imported runs, whose size is that of another machine's.
Result<std::optional<std::uint64_t>> SqliteStore::bytes_of_run(const std::string& scenario, uid_t owner) {
  auto select = parts_->database->connection().prepare(
      "SELECT avg(r.stored_bytes) FROM runs r WHERE r.state = 'finished' AND r.job = (SELECT j.id FROM jobs "
      "j "
      "WHERE j.name = ? AND j.owner_uid = ? AND j.workload <> 'import' AND EXISTS (SELECT 1 FROM runs f "
      "WHERE f.job = j.id AND f.state = 'finished' AND NOT EXISTS (SELECT 1 FROM flags WHERE "
      "flags.run = f.id AND flags.code = 'from-bundle')) ORDER BY j.id DESC LIMIT 1)");
  if (!select) return std::unexpected(select.error());
  auto found = select->bind(scenario, owner).step();
  if (!found) return std::unexpected(found.error());
  std::optional<double> mean;
  if (*found) {
    if (auto read = select->read(mean); !read) return std::unexpected(read.error());
  }
  if (!mean || *mean < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*mean);
}

std::optional<std::uint64_t> SqliteStore::room() {
  auto& connection = parts_->database->connection();
  const auto free = free_space(connection.path());
  if (!free || *free < parts_->min_free_bytes) return std::nullopt;
  // Pages of the file that nothing uses are filled before it grows.
  const auto unused = connection.value<std::uint64_t>(
      "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size");
  return *free - parts_->min_free_bytes + unused.value_or(0);
}

}  // namespace netperfd::store
