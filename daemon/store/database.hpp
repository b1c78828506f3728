// SPDX-License-Identifier: GPL-2.0-or-later
// The database file, owned by the daemon: locked, verified to be ours, undamaged and at the newest version.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "daemon/store/migrations.hpp"
#include "daemon/store/owner_lock.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

class Database {
 public:
  // Creates the file (mode 0640) if it does not exist. Refuses a file, and leaves it untouched, with these
  // errors:
  //   busy              another process owns it
  //   invalid_argument  it belongs to another program
  //   unsupported       a newer netperfd has migrated it, or a development version made it
  //   io                it is damaged, or the system refuses, or it is missing while its log has content (see
  //                     expect_database_of_log())
  // A database that its disk does not let be changed, because it is full or mounted read-only, is opened to
  // be read. Each change tries again to own it, and fails with the reason: no_space or io. One that has to be
  // migrated is refused. An existing database that needs migrations is copied first, to PATH.before-vN, where
  // N is the newest version.
  [[nodiscard]] static Result<std::unique_ptr<Database>> open(const std::string& path,
                                                              std::span<const Migration> migrations);
  // Puts the file `candidate`, of the same directory, in the place of an open database, which keeps its own
  // file under the name `kept`. Whenever it is interrupted, one of them is whole under the database's name.
  // busy if another program reads the database. If the candidate cannot be opened, the old file is put back,
  // and `old` is an owner of it as before, or null if even that fails.
  [[nodiscard]] static Result<std::unique_ptr<Database>> replace(std::unique_ptr<Database>& old,
                                                                 const std::string& candidate,
                                                                 const std::string& kept,
                                                                 std::span<const Migration> migrations);
  // Opens it for reading in a process that will lose its privileges: without the lock, as it is at this
  // moment, and without a need to open any file later. Every descriptor only reads, also those of the log,
  // from then on in the whole process. The owner must have the database open.
  [[nodiscard]] static Result<std::unique_ptr<Database>> open_read_only(
      const std::string& path, std::span<const Migration> migrations);
  // Opens it for reading in a process that keeps its privileges, whether or not an owner has it open. It
  // must be at the newest version: unsupported otherwise.
  [[nodiscard]] static Result<std::unique_ptr<Database>> open_to_look(const std::string& path,
                                                                      std::span<const Migration> migrations);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  [[nodiscard]] Connection& connection() { return connection_; }
  // io, naming the path, while another program has replaced, removed or emptied the file or its log; for good
  // once SQLite has found damage in it.
  [[nodiscard]] Status check();
  // For the end of the owner: if the file was replaced or removed, saves its content as
  // PATH.replaced-SECONDS, and keeps its log from being applied to the file that is there now. If the log was
  // replaced, renames what is there to PATH-wal.replaced-SECONDS. Returns in words what was saved; empty if
  // there was no need. Change nothing afterwards.
  [[nodiscard]] std::string rescue();
  // Allocates so much of the log, as reserve_log(); also when it is closed, for the next owner.
  void reserve(std::uint64_t bytes);
  // Of a database that can only be read: owns it from now on, or says why that is still so. Otherwise nothing
  // is to be done.
  [[nodiscard]] Status take_up();
  [[nodiscard]] bool is_read_only() const { return connection_.refuses_changes(); }
  // Path of the copy made before a migration, otherwise empty.
  [[nodiscard]] const std::string& copy_path() const { return copy_path_; }
  // Whether the previous owner ended without closing it; it was checked then.
  [[nodiscard]] bool was_unclosed() const { return lock_ && lock_->found_unclosed(); }

 private:
  Database(std::optional<OwnerLock> lock, Connection connection)
      : lock_(std::move(lock)), connection_(std::move(connection)) {}
  [[nodiscard]] static Result<std::unique_ptr<Database>> open_with(OwnerLock& lock, const std::string& path,
                                                                   std::span<const Migration> migrations);
  [[nodiscard]] static Result<std::unique_ptr<Database>> open_unchanged(std::optional<OwnerLock> lock,
                                                                        const std::string& path,
                                                                        std::span<const Migration> migrations,
                                                                        const Error& why);
  [[nodiscard]] Status prepare(std::span<const Migration> migrations);
  [[nodiscard]] Status empty_log();

  std::optional<OwnerLock> lock_;  // absent: only to read
  Connection connection_;
  std::span<const Migration> migrations_;  // of one that can only be read
  std::string copy_path_;
  std::uint64_t reserve_ = 0;
  bool open_ = false;
};

}  // namespace netperfd::store
