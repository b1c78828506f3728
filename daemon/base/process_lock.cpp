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
  return files;
}

std::unexpected<Error> is_held(const std::string& path, pid_t by, pid_t* holder) {
  if (holder != nullptr) *holder = by;
  return fail(ErrorKind::busy, fmt::format("{}: process {} has locked it", path, by));
}

}  // namespace

Result<ProcessLock> ProcessLock::take(const std::string& path, int flags, mode_t mode, pid_t* holder) {
  const std::scoped_lock guard(held_mutex);
  struct stat about{};
  if (::stat(path.c_str(), &about) == 0 && held().contains({about.st_dev, about.st_ino}))
    return is_held(path, ::getpid(), holder);
  ProcessLock lock;
  lock.file_.reset(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, mode));
  if (!lock.file_ || ::fstat(lock.file_.get(), &about) != 0) return fail_on_disk(path, errno);
  if ((flags & O_ACCMODE) == O_RDONLY) return lock;
  for (;;) {
    struct flock whole{};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    if (::fcntl(lock.file_.get(), F_SETLK, &whole) == 0) break;
    if (errno != EAGAIN && errno != EACCES) return fail_on_disk(path, errno);
    if (::fcntl(lock.file_.get(), F_GETLK, &whole) != 0) return fail_on_disk(path, errno);
    if (whole.l_type != F_UNLCK) return is_held(path, whole.l_pid, holder);
  }
  lock.device_ = about.st_dev;
  lock.inode_ = about.st_ino;
  held().emplace(lock.device_, lock.inode_);
  return lock;
}

ProcessLock& ProcessLock::operator=(ProcessLock&& other) noexcept {
  give_up();
  file_ = std::move(other.file_);
  device_ = other.device_;
  inode_ = std::exchange(other.inode_, 0);
  return *this;
}

void ProcessLock::give_up() {
  if (inode_ == 0) return file_.reset();
  const std::scoped_lock guard(held_mutex);
  file_.reset();
  held().erase({device_, inode_});
  inode_ = 0;
}

bool is_on_read_only_disk(const std::string& path) {
  return ::access(path.c_str(), W_OK) != 0 && errno == EROFS;
}

}  // namespace netperfd
