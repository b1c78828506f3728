// SPDX-License-Identifier: GPL-2.0-or-later
// Notices that another program has replaced, removed or emptied the open database file or its write-ahead
// log. SQLite itself would go on in a file that has lost its name, and a commit there would be lost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/own_files.hpp"

struct sqlite3;

namespace netperfd::store {

class FileGuard {
 public:
  // From now on `path` should name the file that it names now, and so should its log. Call it once SQLite has
  // opened both. They and the index of the log are own files as long as the guard lives: let it outlive the
  // connection.
  explicit FileGuard(std::string path);

  // io, naming the path and what happened, while a path does not name its file, or a file does not have what
  // SQLite has written to it. Costs a few system calls. If the log has lost its name, what it has is put into
  // the database, unless a transaction is under way.
  [[nodiscard]] Status check(sqlite3* connection);
  // Whether the path names another file, or none. Then SQLite's own files beside it are at the wrong place.
  [[nodiscard]] bool is_displaced() const;
  // Of a displaced file: renames its write-ahead log to `aside`, since SQLite would apply it to the file that
  // is there now. Returns whether it did; not if there is no log, or another file has its name.
  [[nodiscard]] bool put_log_aside(const std::string& aside) const;
  // Of a file that has its name: if the last check() found a log there that is not what SQLite has written,
  // renames it to `aside`, since SQLite would apply it to the database. Returns whether it did.
  [[nodiscard]] bool put_strange_log_aside(const std::string& aside) const;

 private:
  [[nodiscard]] Status check_log(sqlite3* connection);

  std::string path_;
  std::optional<FileId> own_, log_;
  std::vector<OwnFile> own_files_;
  bool lost_log_ = false;
};

// Whether the log has content, but the database is missing or empty. SQLite removes such a log when it opens
// the database.
[[nodiscard]] bool is_log_without_database(const std::string& path);
// For the owner, before SQLite opens the files: io if that is so, or if the database does not even begin as
// one, with what to do. The log is renamed to PATH-wal.kept, and the database is refused until somebody has
// put a whole one there or moved the log away.
[[nodiscard]] Status expect_database_of_log(const std::string& path);

}  // namespace netperfd::store
