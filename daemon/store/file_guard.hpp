// SPDX-License-Identifier: GPL-2.0-or-later
// Notices that another program has replaced, removed or emptied the open database file. SQLite itself would
// go on in a file that has lost its name, and a commit there would be lost.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "daemon/base/error.hpp"

struct sqlite3;

namespace netperfd::store {

class FileGuard {
 public:
  // From now on `path` should name the file that it names now. Call it once SQLite has opened the file.
  explicit FileGuard(std::string path);

  // io, naming the path and what happened, while the path does not name the file, or the file does not begin
  // as a database does. Costs a few system calls.
  [[nodiscard]] Status check(sqlite3* connection);
  // Whether the path names another file, or none. Then SQLite's own files beside it are at the wrong place.
  [[nodiscard]] bool is_displaced() const;
  // Of a displaced file: renames its write-ahead log to `aside`, since SQLite would apply it to the file that
  // is there now. Returns whether it did; not if there is no log, or another file has its name.
  [[nodiscard]] bool put_log_aside(const std::string& aside) const;

 private:
  struct Identity {
    dev_t device = 0;
    ino_t inode = 0;

    bool operator==(const Identity&) const = default;
  };
  [[nodiscard]] static std::optional<Identity> identity_of(const std::string& path);

  std::string path_;
  std::optional<Identity> own_;
  std::optional<Identity> log_;  // of the last successful check
};

}  // namespace netperfd::store
