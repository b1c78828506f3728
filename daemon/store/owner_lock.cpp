// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/owner_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <tuple>

namespace netperfd::store {

Result<OwnerLock> OwnerLock::take(const std::string& database_path) {
  OwnerLock lock;
  lock.path_ = database_path + ".lock";
  lock.file_.reset(::open(lock.path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640));
  if (!lock.file_) return fail_errno(lock.path_, errno);

  const bool taken = ::flock(lock.file_.get(), LOCK_EX | LOCK_NB) == 0;
  const int flock_error = errno;
  std::array<char, 16> owner{};
  const ssize_t size = ::pread(lock.file_.get(), owner.data(), owner.size(), 0);
  if (size < 0) return fail_errno(lock.path_, errno);
  lock.found_unclosed_ = size > 0;
  if (taken) return lock;

  if (flock_error != EWOULDBLOCK) return fail_errno(lock.path_, flock_error);
  return fail(ErrorKind::busy,
              fmt::format("{}: process {} has this database open; only one netperfd may own it",
                          database_path, std::string_view{owner.data(), static_cast<std::size_t>(size)}));
}

Status OwnerLock::mark_open() {
  const auto owner = std::to_string(::getpid());
  // On disk before the first write to the database: it must survive a loss of power.
  if (::ftruncate(file_.get(), 0) != 0 ||
      ::pwrite(file_.get(), owner.data(), owner.size(), 0) != static_cast<ssize_t>(owner.size()) ||
      ::fsync(file_.get()) != 0) {
    return fail_errno(path_, errno);
  }
  return {};
}

void OwnerLock::mark_closed() {
  // If this fails, the next start makes one unnecessary check.
  std::ignore = ::ftruncate(file_.get(), 0);
}

}  // namespace netperfd::store
