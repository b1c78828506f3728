// Who may write a database: one process, the holder of the lock on PATH.lock.
//
// The lock is on a file of its own because SQLite uses POSIX locks on the database itself, which a process
// loses with the first close of any descriptor of that file. Readers such as sqlite3(1) do not ask for this
// lock. While the owner has the database open, the file holds its process id; found by the next owner, that
// says that this one did not close it. The file stays: removing it could let two processes lock two files of
// one name.
#pragma once

#include <string>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"

namespace netperfd::store {

class OwnerLock {
 public:
  // busy where another process has it.
  [[nodiscard]] static Result<OwnerLock> take(const std::string& database_path);

  // Whether the owner before ended without closing the database.
  [[nodiscard]] bool found_unclosed() const { return found_unclosed_; }
  [[nodiscard]] Status mark_open();
  void mark_closed();

 private:
  std::string path_;
  Fd file_;
  bool found_unclosed_ = false;
};

}  // namespace netperfd::store
