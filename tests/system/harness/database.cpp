#include "tests/system/harness/database.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace netperfd::system_test {
namespace {

Connection open_database(const std::string& path, int flags) {
  sqlite3* opened = nullptr;
  const int result = sqlite3_open_v2(path.c_str(), &opened, flags, nullptr);
  Connection database{opened};
  if (result != SQLITE_OK) throw std::runtime_error(fmt::format("{}: {}", path, sqlite3_errstr(result)));
  constexpr int kBusyMs = 5000;
  sqlite3_busy_timeout(opened, kBusyMs);
  return database;
}

}  // namespace

Database::Database(const std::string& path) : database_(open_database(path, SQLITE_OPEN_READONLY)) {}

std::vector<Database::Row> Database::rows(const std::string& sql) const {
  std::vector<Row> found;
  const auto keep = [](void* all, int columns, char** values, char** /*names*/) {
    Row row;
    for (int i = 0; i < columns; ++i) row.emplace_back(values[i] != nullptr ? values[i] : "NULL");
    static_cast<std::vector<Row>*>(all)->push_back(std::move(row));
    return 0;
  };
  if (sqlite3_exec(database_.get(), sql.c_str(), keep, &found, nullptr) != SQLITE_OK) {
    throw std::runtime_error(fmt::format("{}: {}", sql, sqlite3_errmsg(database_.get())));
  }
  return found;
}

std::string Database::value(const std::string& sql) const {
  const auto found = rows(sql);
  if (found.size() != 1 || found.front().size() != 1) {
    throw std::runtime_error(fmt::format("{}: {} rows instead of one value", sql, found.size()));
  }
  return found.front().front();
}

std::int64_t Database::number(const std::string& sql) const {
  return std::stoll(value(sql));
}

double Database::real(const std::string& sql) const {
  return std::stod(value(sql));
}

std::vector<Database::Row> Database::everything_of(std::uint64_t run) const {
  auto all = rows(fmt::format("SELECT * FROM runs WHERE id = {}", run));
  for (const char* table : {"sums", "streams", "intervals", "flags"}) {
    for (Row& row : rows(fmt::format("SELECT * FROM {} WHERE run = {} ORDER BY position", table, run))) {
      all.push_back(std::move(row));
    }
  }
  for (Row& row : rows(
           fmt::format("SELECT name, size, hex(content) FROM documents WHERE run = {} ORDER BY name", run))) {
    all.push_back(std::move(row));
  }
  return all;
}

WriteLock::WriteLock(const std::string& path) : database_(open_database(path, SQLITE_OPEN_READWRITE)) {
  if (sqlite3_exec(database_.get(), "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) != SQLITE_OK) {
    throw std::runtime_error(fmt::format("{}: {}", path, sqlite3_errmsg(database_.get())));
  }
}

}  // namespace netperfd::system_test
