// SPDX-License-Identifier: GPL-2.0-or-later
// Ensures that only one process writes a database: the holder of the lock on PATH.lock.
//
// The lock is on a file of its own because SQLite uses POSIX locks on the database itself, and a process
// loses those when it closes any descriptor of that file. Readers such as sqlite3(1) do not take this lock.
// While the owner has the database open, the file is marked: its owner may execute it. If the next owner
// finds the mark, the previous owner did not close the database. A mark in the file's mode needs no space,
// which a full disk lacks. The file also holds the owner's process id, for people and for an older netperfd,
// whose mark it is. The file is never removed: otherwise two processes could lock two files of the same name.
#pragma once

#include <sys/types.h>

#include <string>

#include "daemon/base/error.hpp"
#include "daemon/base/process_lock.hpp"

namespace netperfd::store {

class OwnerLock {
 public:
  // busy if another process has the lock; no_space if there is none for the file.
  [[nodiscard]] static Result<OwnerLock> take(const std::string& database_path);

  // Whether the previous owner ended without closing the database.
  [[nodiscard]] bool found_unclosed() const { return found_unclosed_; }
  [[nodiscard]] Status mark_open();
  void mark_closed();
  // The owner has a file now that was checked.
  void forget_unclosed() { found_unclosed_ = false; }

 private:
  std::string path_;
  ProcessLock lock_;
  mode_t mode_ = 0;  // as it was found
  bool found_unclosed_ = false;
};

}  // namespace netperfd::store
