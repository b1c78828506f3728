// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/owner_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <tuple>

namespace netperfd::store {
namespace {

std::unexpected<Error> is_owned(const std::string& database_path, std::string_view owner) {
  return fail(ErrorKind::busy,
              fmt::format("{}: process {} has this database open; only one netperfd may own it",
                          database_path, owner));
}

// An older netperfd holds a lock of flock(). A shared one keeps it out, and no later netperfd: so it does no
// harm if a spawned process keeps it.
bool is_held_by_older_netperfd(const Fd& file) {
  return ::flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace

Result<OwnerLock> OwnerLock::take(const std::string& database_path) {
  OwnerLock lock;
  lock.path_ = database_path + ".lock";
  pid_t holder = 0;
  auto taken = ProcessLock::take(lock.path_, O_RDWR | O_CREAT, 0640, &holder);
  if (!taken && taken.error().kind == ErrorKind::busy) return is_owned(database_path, std::to_string(holder));
  if (!taken) return std::unexpected(std::move(taken.error()));
  lock.lock_ = std::move(*taken);
  const Fd& file = lock.lock_.file();
  struct stat about{};
  std::array<char, 16> owner{};
  const ssize_t size = ::pread(file.get(), owner.data(), owner.size(), 0);
  if (size < 0 || ::fstat(file.get(), &about) != 0) return fail_errno(lock.path_, errno);
  lock.mode_ = about.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
  lock.found_unclosed_ = size > 0 || (lock.mode_ & S_IXUSR) != 0;
  if (!is_held_by_older_netperfd(file)) return lock;
  return is_owned(database_path, {owner.data(), static_cast<std::size_t>(size)});
}

// On disk before the first write to the database: it must survive a loss of power.
Status OwnerLock::mark_open() {
  const int file = lock_.file().get();
  const bool marked = ::fchmod(file, mode_ | S_IXUSR) == 0 && ::fsync(file) == 0;
  const auto owner = std::to_string(::getpid());
  const bool written = ::ftruncate(file, 0) == 0 &&
                       ::pwrite(file, owner.data(), owner.size(), 0) == static_cast<ssize_t>(owner.size()) &&
                       (marked || ::fsync(file) == 0);
  if (marked || written) return {};
  return fail_errno(path_, errno);
}

void OwnerLock::mark_closed() {
  // If this fails, the next start makes one unnecessary check.
  std::ignore = ::ftruncate(lock_.file().get(), 0);
  std::ignore = ::fchmod(lock_.file().get(), mode_ & ~static_cast<mode_t>(S_IXUSR));
}

}  // namespace netperfd::store
