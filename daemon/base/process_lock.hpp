// SPDX-License-Identifier: GPL-2.0-or-later
// A locked file. The lock belongs to this process alone and ends with it: a lock of flock() would belong to
// the open file too, which a spawned process shares until it executes its program, even after this process
// was killed.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/base/own_files.hpp"

namespace netperfd {

// This process gives up its lock if it closes any other descriptor of the file. So open the file by its path
// nowhere else; take() itself does not open a file that this process has locked. Those that callers pass stay
// open (see own_files.hpp).
class ProcessLock {
 public:
  // Opens the file, with O_CREAT for example, and locks it: the one that is at the path then. A file that is
  // opened only for reading, as on a file system that is mounted so, is not locked. Errors:
  //   busy      a process, perhaps this one, has the lock: `holder`, unless that is null
  //   no_space  there is no space or no inode for a new file
  //   io        anything else
  [[nodiscard]] static Result<ProcessLock> take(const std::string& path, int flags, mode_t mode,
                                                pid_t* holder = nullptr);
  ProcessLock() = default;
  ProcessLock(ProcessLock&& other) noexcept
      : own_(std::exchange(other.own_, std::nullopt)),
        file_(std::move(other.file_)),
        device_(other.device_),
        inode_(std::exchange(other.inode_, 0)) {}
  ProcessLock& operator=(ProcessLock&& other) noexcept;
  ProcessLock(const ProcessLock&) = delete;
  ProcessLock& operator=(const ProcessLock&) = delete;
  ~ProcessLock() { give_up(); }

  [[nodiscard]] const Fd& file() const { return file_; }

 private:
  void give_up();

  std::optional<OwnFile> own_;
  Fd file_;
  dev_t device_ = 0;
  ino_t inode_ = 0;  // 0: not locked
};

// Whether the file is there and its file system is mounted read-only.
[[nodiscard]] bool is_on_read_only_disk(const std::string& path);

}  // namespace netperfd
