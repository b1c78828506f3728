// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/system/harness/database.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "daemon/base/fd.hpp"
#include "daemon/store/digests.hpp"
#include "daemon/store/sqlite.hpp"
#include "tests/system/harness/deadline.hpp"

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

void alter_database(const std::string& path, const std::string& sql) {
  auto connection = store::Connection::open(path, SQLITE_OPEN_READWRITE);
  if (!connection) throw std::runtime_error(connection.error().message);
  Status done = connection->execute("PRAGMA synchronous = OFF; BEGIN; " + sql +
                                    "; DELETE FROM run_digests; DELETE FROM job_digests; "
                                    "UPDATE audit SET digest = NULL");
  if (done) done = store::add_missing_digests(*connection);
  if (done) done = connection->execute("COMMIT");
  if (!done) throw std::runtime_error(done.error().message);
}

void damage_database(const std::string& path, const std::string& sql) {
  auto connection = store::Connection::open(path, SQLITE_OPEN_READWRITE);
  if (!connection) throw std::runtime_error(connection.error().message);
  if (auto done = connection->execute(sql); !done) throw std::runtime_error(done.error().message);
}

void wait_for_database(const std::string& path, const std::function<bool()>& condition) {
  wait_for_change(std::filesystem::path{path}.parent_path(), condition);
}

void wait_for_change(const std::string& folder, const std::function<bool()>& condition) {
  constexpr std::uint32_t kChanges = IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVE | IN_ATTRIB;
  const Fd changes{::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
  if (!changes || ::inotify_add_watch(changes.get(), folder.c_str(), kChanges) < 0) {
    throw std::system_error(errno, std::generic_category(), "inotify of " + folder);
  }
  const Deadline deadline;
  while (!condition()) {
    pollfd next{.fd = changes.get(), .events = POLLIN, .revents = 0};
    if (::poll(&next, 1, deadline.poll_timeout()) == 0) {
      throw std::runtime_error(folder + ": not as expected in time");
    }
    std::array<char, 4096> events{};
    while (::read(changes.get(), events.data(), events.size()) > 0) {
    }
  }
}

WriteLock::WriteLock(const std::string& path) : database_(open_database(path, SQLITE_OPEN_READWRITE)) {
  if (sqlite3_exec(database_.get(), "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) != SQLITE_OK) {
    throw std::runtime_error(fmt::format("{}: {}", path, sqlite3_errmsg(database_.get())));
  }
}

}  // namespace netperfd::system_test
