// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/base/process_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <set>

namespace netperfd {
namespace {

std::mutex held_mutex;

// The files that this process has locked, by device and inode. Use it with held_mutex.
std::set<std::pair<dev_t, ino_t>>& held() {
  static std::set<std::pair<dev_t, ino_t>> files;
  static pid_t owner = ::getpid();
  // A process that was forked has a copy, but none of the locks.
  if (std::exchange(owner, ::getpid()) != ::getpid()) files.clear();
  return files;
}

std::unexpected<Error> is_held(const std::string& path, pid_t by, pid_t* holder) {
  if (holder != nullptr) *holder = by;
  return fail(ErrorKind::busy, fmt::format("{}: process {} has locked it", path, by));
}

Status lock_file(const Fd& file, const std::string& path, pid_t* holder) {
  for (;;) {
    struct flock whole{};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    if (::fcntl(file.get(), F_SETLK, &whole) == 0) return {};
    if (errno != EAGAIN && errno != EACCES) return fail_on_disk(path, errno);
    if (::fcntl(file.get(), F_GETLK, &whole) != 0) return fail_on_disk(path, errno);
    if (whole.l_type != F_UNLCK) return is_held(path, whole.l_pid, holder);
  }
}

}  // namespace

Result<ProcessLock> ProcessLock::take(const std::string& path, int flags, mode_t mode, pid_t* holder) {
  const std::scoped_lock guard(held_mutex);
  for (;;) {
    struct stat named{};
    if (::stat(path.c_str(), &named) == 0 && held().contains({named.st_dev, named.st_ino}))
      return is_held(path, ::getpid(), holder);
    ProcessLock lock;
    struct stat opened{};
    lock.file_.reset(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, mode));
    if (!lock.file_ || ::fstat(lock.file_.get(), &opened) != 0) return fail_on_disk(path, errno);
    if ((flags & O_ACCMODE) == O_RDONLY) return lock;
    if (Status locked = lock_file(lock.file_, path, holder); !locked)
      return std::unexpected(std::move(locked.error()));
    // Between opening and locking, whoever had the lock may have removed the file, and somebody else may have
    // made another one.
    if (::stat(path.c_str(), &named) != 0) {
      if (errno != ENOENT) return fail_on_disk(path, errno);
    } else if (opened.st_dev == named.st_dev && opened.st_ino == named.st_ino) {
      lock.device_ = opened.st_dev;
      lock.inode_ = opened.st_ino;
      held().emplace(lock.device_, lock.inode_);
      lock.own_.emplace(FileId{lock.device_, lock.inode_});
      return lock;
    }
  }
}

ProcessLock& ProcessLock::operator=(ProcessLock&& other) noexcept {
  give_up();
  file_ = std::move(other.file_);
  own_ = std::exchange(other.own_, std::nullopt);
  device_ = other.device_;
  inode_ = std::exchange(other.inode_, 0);
  return *this;
}

void ProcessLock::give_up() {
  if (inode_ == 0) return file_.reset();
  const std::scoped_lock guard(held_mutex);
  file_.reset();
  own_.reset();
  held().erase({device_, inode_});
  inode_ = 0;
}

bool is_on_read_only_disk(const std::string& path) {
  return ::access(path.c_str(), W_OK) != 0 && errno == EROFS;
}

}  // namespace netperfd
