// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/migrations.hpp"

#include <fmt/format.h>

#include "daemon/store/digests.hpp"

namespace netperfd::store {
namespace {

Status apply_one(const Migration& migration, Connection& connection) {
  auto transaction = Transaction::begin(connection, Durability::full);
  if (!transaction) return std::unexpected(transaction.error());
  if (auto done = connection.execute(migration.sql); !done) return done;
  connection.digest_plan().reset();
  // Tests have migrations that make no store.
  const auto is_store =
      connection.value<bool>("SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'run_digests')");
  if (!is_store) return std::unexpected(is_store.error());
  if (*is_store) {
    if (auto done = add_missing_digests(connection); !done) return done;
    connection.digest_plan().reset();
  }

  // A step may rebuild a table that others refer to, so references are checked here and not for each
  // statement.
  auto broken = connection.prepare("SELECT \"table\" FROM pragma_foreign_key_check");
  if (!broken) return std::unexpected(broken.error());
  auto found = broken->step();
  if (!found) return std::unexpected(found.error());
  if (*found) {
    std::string table;
    if (auto read = broken->read(table); !read) return read;
    return fail(ErrorKind::internal, fmt::format("it leaves rows of table {} that refer to nothing", table));
  }
  broken->rewind();

  if (auto done = connection.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                                 kApplicationId, migration.version));
      !done) {
    return done;
  }
  return transaction->commit();
}

}  // namespace

Status apply(std::span<const Migration> migrations, std::int64_t from, Connection& connection) {
  // SQLite silently ignores this pragma inside a transaction. With it on, a step that drops a table in order
  // to rebuild it would first delete the rows, and by ON DELETE CASCADE those of other tables too.
  const auto enforced = connection.value<bool>("PRAGMA foreign_keys");
  if (!enforced) return std::unexpected(enforced.error());
  if (*enforced) {
    return fail(ErrorKind::internal,
                fmt::format("{}: migrations need foreign keys switched off", connection.path()));
  }
  for (const auto& migration : migrations) {
    if (migration.version <= from) continue;
    if (auto done = apply_one(migration, connection); !done) {
      return fail(done.error().kind, fmt::format("{}: the migration {} failed and was undone: {}",
                                                 connection.path(), migration.name, done.error().message));
    }
  }
  return {};
}

}  // namespace netperfd::store
