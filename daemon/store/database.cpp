// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/database.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/base/process_lock.hpp"
#include "daemon/store/acceptance.hpp"
#include "daemon/store/backup.hpp"
#include "daemon/store/candidate.hpp"
#include "daemon/store/disk_space.hpp"

namespace netperfd::store {
namespace {

// A file that somebody copied here may belong to him, or be readable by everybody.
Status make_private(const Fd& file, const std::string& path) {
  constexpr mode_t kPermissions = 07777, kMost = 0640;
  struct stat about{};
  if (::fstat(file.get(), &about) != 0) return fail_errno(path, errno);
  const uid_t own = ::geteuid();
  if (about.st_uid != own && ::fchown(file.get(), own, ::getegid()) != 0) {
    return fail_errno(fmt::format("{}: take it over from uid {}", path, about.st_uid), errno);
  }
  const mode_t mode = about.st_mode & kPermissions;
  if ((mode & ~kMost) != 0 && ::fchmod(file.get(), mode & kMost) != 0) {
    return fail_errno(fmt::format("{}: take away permissions of others", path), errno);
  }
  return {};
}

// SQLite would make it readable by everybody. The -wal and -shm files take their mode from this file.
Status create_if_absent(const std::string& path) {
  const Fd file{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640)};
  if (!file) return fail_on_disk(path, errno);
  return make_private(file, path);
}

Status set_up(Connection& connection) {
  // The log and its index stay beside the closed database: a full disk has no room for new ones.
  int keep = 1;
  (void)sqlite3_file_control(connection.raw(), "main", SQLITE_FCNTL_PERSIST_WAL, &keep);
  // auto_vacuum must be set before the first table. It allows a deletion to return space to the disk.
  if (auto set = connection.execute("PRAGMA auto_vacuum = INCREMENTAL"); !set) return set;
  const auto mode = connection.value<std::string>("PRAGMA journal_mode = WAL");
  if (!mode) return std::unexpected(mode.error());
  if (*mode != "wal") {
    return fail(ErrorKind::unsupported,
                fmt::format("{}: its file system does not allow a write-ahead log (journal mode stays {})",
                            connection.path(), *mode));
  }
  // The size limit truncates the log after a run with very many intervals. Debian's SQLite overwrites what it
  // deletes by default: then a deletion needs as much space in the log as it frees, which a full disk lacks.
  return connection.execute(
      "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 1000; PRAGMA journal_size_limit = 16777216; "
      "PRAGMA secure_delete = FAST");
}

// The old file gets its second name before the candidate takes the first one.
Status put_in_place(const std::string& candidate, const std::string& path, const std::string& kept) {
  if (::link(path.c_str(), kept.c_str()) != 0) return fail_errno(kept, errno);
  if (std::rename(candidate.c_str(), path.c_str()) != 0) {
    const int error_number = errno;
    (void)::unlink(kept.c_str());
    return fail_errno(path, error_number);
  }
  auto synced = sync_folder_of(path);
  if (!synced) (void)std::rename(kept.c_str(), path.c_str());
  return synced;
}

Result<Connection> open_reader(const std::string& path) {
  if (is_log_without_database(path)) {
    return fail(ErrorKind::io, fmt::format("{}: the database is missing or was emptied, and is not opened, "
                                           "since SQLite would remove its write-ahead log",
                                           path));
  }
  auto connection = Connection::open(path, SQLITE_OPEN_READONLY);
  if (!connection) return std::unexpected(connection.error());
  if (auto set = connection->execute("PRAGMA busy_timeout = 5000; PRAGMA trusted_schema = OFF; "
                                     "PRAGMA temp_store = MEMORY; PRAGMA query_only = ON");
      !set) {
    return std::unexpected(set.error());
  }
  return connection;
}

// Whether the log or its index is missing and cannot be made: then no owner has the database open that could
// change it. After anything else, such as a lock, reading without locks would be wrong.
bool has_no_log_to_share(Connection& connection) {
  const auto identity = identify(connection);
  if (identity) return false;
  const int code = sqlite3_extended_errcode(connection.raw());
  return (code & 0xff) == SQLITE_CANTOPEN || code == SQLITE_READONLY_CANTINIT ||
         code == SQLITE_READONLY_DIRECTORY || identity.error().kind == ErrorKind::no_space;
}

Error only_readable(const std::string& path, const Error& why) {
  return {why.kind == ErrorKind::no_space ? ErrorKind::no_space : ErrorKind::io,
          fmt::format("{}: the database can only be read until its disk takes changes again: {}", path,
                      why.message)};
}

// Copies that a killed netperfd did not finish: they take space that may be missing.
void remove_unfinished(const std::string& path) {
  remove_candidate(candidate_of(path));
  const std::filesystem::path database{path};
  std::error_code failed;
  std::vector<std::filesystem::path> unfinished;
  for (const auto& entry : std::filesystem::directory_iterator{database.parent_path(), failed}) {
    const std::string name = entry.path().filename().string();
    const std::string own = database.filename().string();
    if ((name.starts_with(own + ".before-") || name.starts_with(own + ".replaced-")) &&
        name.ends_with(".partial"))
      unfinished.push_back(entry.path());
  }
  for (const auto& each : unfinished) std::filesystem::remove(each, failed);
}

// In place of SQLite's open(): SQLite opens the log of even a read-only connection for writing, and only
// reads it if that is refused.
int open_to_read(const char* path, int flags, int mode) {
  if ((flags & O_ACCMODE) != O_RDONLY) {
    errno = EACCES;
    return -1;
  }
  return ::open(path, flags, mode);
}

}  // namespace

Result<std::unique_ptr<Database>> Database::open_read_only(const std::string& path,
                                                           std::span<const Migration> migrations) {
  sqlite3_vfs* const files = sqlite3_vfs_find(nullptr);
  const auto call = reinterpret_cast<sqlite3_syscall_ptr>(&open_to_read);
  if (files == nullptr || files->xSetSystemCall(files, "open", call) != SQLITE_OK) {
    return fail(ErrorKind::internal, "this SQLite does not let its files be opened for reading only");
  }
  auto connection = open_reader(path);
  if (connection && has_no_log_to_share(*connection)) connection = Connection::open_unchanged(path);
  if (!connection) return std::unexpected(connection.error());
  // The transaction maps the index of the log, which reading needs.
  if (auto begun = connection->execute("BEGIN"); !begun) return std::unexpected(begun.error());
  const auto version = accepted_version(*connection, migrations);
  if (!version) return std::unexpected(version.error());
  return std::unique_ptr<Database>{new Database{std::nullopt, std::move(*connection)}};
}

Result<std::unique_ptr<Database>> Database::open_to_look(const std::string& path,
                                                         std::span<const Migration> migrations) {
  auto connection = open_reader(path);
  if (!connection) return std::unexpected(connection.error());
  const auto version = accepted_version(*connection, migrations);
  if (!version) return std::unexpected(version.error());
  if (*version < newest_of(migrations)) {
    return fail(ErrorKind::unsupported,
                fmt::format("{}: this database is of version {}, and netperfd brings it to version {} when "
                            "it starts: start netperfd once",
                            path, *version, newest_of(migrations)));
  }
  return std::unique_ptr<Database>{new Database{std::nullopt, std::move(*connection)}};
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path,
                                                 std::span<const Migration> migrations) {
  std::optional<OwnerLock> owned;
  Result<std::unique_ptr<Database>> opened;
  if (auto lock = OwnerLock::take(path)) {
    remove_unfinished(path);
    owned = std::move(*lock);
    Status created = expect_database_of_log(path);
    if (created) created = create_if_absent(path);
    opened = created ? open_with(*owned, path, migrations) : std::unexpected(created.error());
    // The reserve of the log is for changes, which need its index first.
    if (!opened && opened.error().kind == ErrorKind::no_space && release_log(path))
      opened = open_with(*owned, path, migrations);
  } else {
    opened = std::unexpected(std::move(lock.error()));
  }
  if (opened || (opened.error().kind != ErrorKind::no_space && !is_on_read_only_disk(path))) return opened;
  auto unchanged = open_unchanged(std::move(owned), path, migrations, opened.error());
  return unchanged ? std::move(unchanged) : std::move(opened);
}

Result<std::unique_ptr<Database>> Database::open_unchanged(std::optional<OwnerLock> lock,
                                                           const std::string& path,
                                                           std::span<const Migration> migrations,
                                                           const Error& why) {
  auto connection = Connection::open_unchanged(path);
  if (!connection) return std::unexpected(connection.error());
  const auto version = accepted_version(*connection, migrations);
  if (!version) return std::unexpected(version.error());
  if (*version < newest_of(migrations)) return std::unexpected(why);
  if (lock && lock->found_unclosed()) {
    if (auto checked = check_integrity(*connection); !checked) return std::unexpected(checked.error());
  }
  connection->refuse_changes(only_readable(path, why));
  std::unique_ptr<Database> database{new Database{std::move(lock), std::move(*connection)}};
  database->migrations_ = migrations;
  return database;
}

Status Database::take_up() {
  if (!is_read_only()) return {};
  const std::string path = connection_.path();
  if (!lock_) {
    auto lock = OwnerLock::take(path);
    if (!lock) return std::unexpected(only_readable(path, lock.error()));
    lock_ = std::move(*lock);
  }
  auto owned = open_with(*lock_, path, migrations_);
  if (!owned) {
    connection_.refuse_changes(only_readable(path, owned.error()));
    return connection_.check_file();
  }
  Database& fresh = **owned;
  lock_ = std::move(fresh.lock_);
  connection_.go_on_as(std::move(fresh.connection_));
  open_ = std::exchange(fresh.open_, false);
  reserve(reserve_);
  return {};
}

void Database::reserve(std::uint64_t bytes) {
  reserve_ = bytes;
  if (!is_read_only()) reserve_log(connection_.path(), bytes);
}

// Takes the lock only if it succeeds.
Result<std::unique_ptr<Database>> Database::open_with(OwnerLock& lock, const std::string& path,
                                                      std::span<const Migration> migrations) {
  auto connection = Connection::open(path, SQLITE_OPEN_READWRITE);
  if (!connection) return std::unexpected(connection.error());
  std::unique_ptr<Database> database{new Database{std::move(lock), std::move(*connection)}};
  auto prepared = database->prepare(migrations);
  if (prepared) return database;
  const std::string damage = database->connection().damage();
  auto refused =
      damage.empty() ? std::unexpected(prepared.error()) : refuse_damaged(database->connection(), damage);
  database->open_ = false;
  lock = std::move(*database->lock_);
  return refused;
}

// Afterwards the file alone has everything. Another reader of the log would go on using it with the next
// file.
Status Database::empty_log() {
  if (auto set = connection_.execute("PRAGMA busy_timeout = 0"); !set) return set;
  const auto busy = connection_.value<std::int64_t>("PRAGMA wal_checkpoint(TRUNCATE)");
  if (auto set = connection_.execute("PRAGMA busy_timeout = 5000"); !set) return set;
  if (!busy) return std::unexpected(busy.error());
  if (*busy == 0) return {};
  return fail(ErrorKind::busy,
              fmt::format("{}: another program reads the database, or a query or a backup does: "
                          "try again when it has ended",
                          connection_.path()));
}

Result<std::unique_ptr<Database>> Database::replace(std::unique_ptr<Database>& old,
                                                    const std::string& candidate, const std::string& kept,
                                                    std::span<const Migration> migrations) {
  if (auto own = old->connection_.check_file(); !own) return std::unexpected(own.error());
  if (auto emptied = old->empty_log(); !emptied) return std::unexpected(emptied.error());
  const std::string path = old->connection_.path();
  // The old connection closes with its file under another name, so SQLite leaves the log of the new one
  // alone.
  for (const char* beside : {"-wal", "-shm"}) (void)::unlink((path + beside).c_str());
  if (auto put = put_in_place(candidate, path, kept); !put) {
    // Without the names of its log, the old connection must not write any more.
    OwnerLock lock = std::move(*old->lock_);
    old->open_ = false;
    old.reset();
    auto again = open_with(lock, path, migrations);
    if (again) old = std::move(*again);
    return std::unexpected(put.error());
  }
  OwnerLock lock = std::move(*old->lock_);
  old->open_ = false;
  old.reset();
  lock.forget_unclosed();
  auto opened = open_with(lock, path, migrations);
  if (opened) return opened;
  if (std::rename(kept.c_str(), path.c_str()) == 0) {
    auto again = open_with(lock, path, migrations);
    if (again) old = std::move(*again);
  }
  return opened;
}

Status Database::prepare(std::span<const Migration> migrations) {
  if (auto set = connection_.execute("PRAGMA busy_timeout = 5000; PRAGMA trusted_schema = OFF"); !set)
    return set;
  const auto identity = identify(connection_);
  if (!identity) return std::unexpected(identity.error());
  if (auto accepted = accept(*identity, connection_.path(), migrations); !accepted) return accepted;

  const std::int64_t newest = newest_of(migrations);
  const bool migrates = identity->version < newest && !identity->empty;
  if (migrates) {
    if (auto room = expect_room_to_migrate(connection_, identity->version, newest); !room) return room;
  }
  if (lock_->found_unclosed()) {
    if (auto checked = check_integrity(connection_); !checked) return checked;
  }
  if (auto marked = lock_->mark_open(); !marked) return marked;
  open_ = true;

  if (auto set = set_up(connection_); !set) return set;
  if (identity->version < newest) {
    if (migrates) {
      auto target = fmt::format("{}.before-v{}", connection_.path(), newest);
      if (auto copied = copy_database(connection_, target); !copied) return copied;
      copy_path_ = std::move(target);
    }
    if (auto set = connection_.execute("PRAGMA foreign_keys = OFF"); !set) return set;
    if (auto applied = apply(migrations, identity->version, connection_); !applied) return applied;
  }
  // What SQLite puts aside during a change stays in memory: the disk for temporary files may be full too.
  if (auto set = connection_.execute("PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY"); !set)
    return set;
  // SQLite opens the log of a file that had none, such as a restored one, when it reads.
  if (auto read = connection_.value<std::int64_t>("PRAGMA schema_version"); !read)
    return std::unexpected(std::move(read.error()));
  connection_.guard_file();
  return {};
}

Status Database::check() {
  if (auto own = connection_.check_file(); !own) return own;
  if (connection_.damage().empty()) return {};
  return fail(ErrorKind::io,
              fmt::format("{}: the database is damaged ({}), so no run begins; restart netperfd to have it "
                          "checked, then restore a copy or move it away",
                          connection_.path(), connection_.damage()));
}

std::string Database::rescue() {
  if (!open_ || connection_.guard() == nullptr || check()) return "";
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::string ending =
      fmt::format(".replaced-{}", std::chrono::floor<std::chrono::seconds>(now).count());
  if (const std::string log = connection_.path() + "-wal";
      connection_.guard()->put_strange_log_aside(log + ending)) {
    return fmt::format("{}: what was there is not what netperfd has written; it is in {}", log, log + ending);
  }
  if (!connection_.guard()->is_displaced()) return "";
  const std::string copy = connection_.path() + ending;
  const auto copied = copy_database(connection_, copy);
  std::string saved = copied ? fmt::format("the database as it was is in {}", copy)
                             : fmt::format("the database could not be saved: {}", copied.error().message);
  // SQLite leaves the log where it is, and would apply it to the file that is there now.
  const std::string log = copy + ".log";
  if (connection_.guard()->put_log_aside(log)) saved += fmt::format("; its write-ahead log is in {}", log);
  return fmt::format("{}: {}", connection_.path(), saved);
}

Database::~Database() {
  // A file that is not as it should be stays marked as open, so that the next owner checks it.
  const bool fine = !open_ || check().has_value();
  if (!open_ || !connection_.close() || !fine) return;
  reserve_log(connection_.path(), reserve_);
  lock_->mark_closed();
}

}  // namespace netperfd::store
