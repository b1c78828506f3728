// SPDX-License-Identifier: GPL-2.0-or-later
// What tests ask and change in a store past the store.
#include <fmt/format.h>
#include <sqlite3.h>

#include "daemon/base/fd.hpp"
#include "daemon/store/digests.hpp"
#include "daemon/store/migrations.hpp"
#include "daemon/store/sqlite.hpp"
#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {

std::vector<std::string> list_of(Connection& connection, const std::string& sql) {
  std::vector<std::string> values;
  auto select = must(connection.prepare(sql));
  while (must(select.step())) must(select.read(values.emplace_back()));
  return values;
}

void make_old_store(const std::string& path, std::int64_t version) {
  const auto sql = must(
      read_file(fmt::format("{}/store/version-{}.sql", NETPERFD_TEST_DATA, version), std::size_t{1} << 20U));
  auto connection = must(Connection::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
  must(connection.execute("PRAGMA foreign_keys = OFF; PRAGMA auto_vacuum = INCREMENTAL; BEGIN"));
  must(connection.execute(sql));
  must(connection.execute(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}; COMMIT", kApplicationId, version)));
}

void forge(const std::string& path, const std::string& sql) {
  auto connection = must(Connection::open(path, SQLITE_OPEN_READWRITE));
  must(connection.execute("PRAGMA synchronous = OFF"));
  must(connection.execute(sql));
  must(connection.execute("BEGIN"));
  must(
      connection.execute("DELETE FROM run_digests; DELETE FROM job_digests; UPDATE audit SET digest = NULL"));
  must(add_missing_digests(connection));
  must(connection.execute("COMMIT"));
}

void damage(const std::string& path, const std::string& sql) {
  auto connection = must(Connection::open(path, SQLITE_OPEN_READWRITE));
  sqlite3_db_config(connection.raw(), SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  must(connection.execute("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; " + sql));
}

std::string ask(const std::string& path, const std::string& sql) {
  auto connection = must(Connection::open(path, SQLITE_OPEN_READONLY));
  return must(connection.value<std::string>(sql));
}

}  // namespace netperfd::store
