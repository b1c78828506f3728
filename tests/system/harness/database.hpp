// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace netperfd::system_test {

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
using Connection = std::unique_ptr<sqlite3, CloseDatabase>;

// A second reader of the daemon's database, like a person with sqlite3; it cannot write.
class Database {
 public:
  explicit Database(const std::string& path);

  using Row = std::vector<std::string>;  // NULL is "NULL"
  [[nodiscard]] std::vector<Row> rows(const std::string& sql) const;
  // The result of a query with exactly one row of one column.
  [[nodiscard]] std::string value(const std::string& sql) const;
  [[nodiscard]] std::int64_t number(const std::string& sql) const;
  [[nodiscard]] double real(const std::string& sql) const;
  // All stored data of the run, to be compared with a later state.
  [[nodiscard]] std::vector<Row> everything_of(std::uint64_t run) const;

 private:
  Connection database_;
};

// Changes rows as a store would have stored them: with their digests. Nobody else may have the database open.
void alter_database(const std::string& path, const std::string& sql);

// Changes rows as bytes that change on the disk would.
void damage_database(const std::string& path, const std::string& sql);

// Waits until the database, which somebody else writes, fulfils the condition; throws when the deadline
// passes.
void wait_for_database(const std::string& path, const std::function<bool()>& condition);
// The same of the files in a folder.
void wait_for_change(const std::string& folder, const std::function<bool()>& condition);

// While it lives, nobody else can write to the database.
class WriteLock {
 public:
  explicit WriteLock(const std::string& path);

 private:
  Connection database_;
};

}  // namespace netperfd::system_test
