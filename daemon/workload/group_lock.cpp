// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/group_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace netperfd::workload {
namespace {

// Each cgroup has it since Linux 4.14, and netperfd has no other use for it.
constexpr const char* kLockFile = "/cgroup.max.depth";

bool is_gone(int error_number) {
  return error_number == ENOENT || error_number == ENODEV;  // ENODEV: it is being removed
}

// Only root can have made cgroups below one of a run.
bool remove_tree(const std::filesystem::path& group) {
  if (::rmdir(group.c_str()) == 0 || errno == ENOENT) return true;
  if (errno != EBUSY) return false;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(group, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    if (entry->is_directory(gone) && !remove_tree(entry->path())) return false;
  }
  return ::rmdir(group.c_str()) == 0 || errno == ENOENT;
}

}  // namespace

Result<std::optional<Fd>> lock_group(const std::string& path) {
  const std::string file = path + kLockFile;
  Fd held{::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW)};
  if (!held && is_gone(errno)) return std::nullopt;
  if (!held) return fail_errno(file, errno);
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(held.get(), F_SETLK, &lock) != 0) {
    if (errno == EAGAIN || errno == EACCES) return std::nullopt;
    return fail_errno("lock " + file, errno);
  }
  // Between opening and locking, the holder of the lock may have removed the cgroup, and somebody else may
  // have made another one of this name.
  struct stat opened{};
  struct stat named{};
  if (::fstat(held.get(), &opened) != 0 || ::stat(file.c_str(), &named) != 0) return std::nullopt;
  if (opened.st_dev != named.st_dev || opened.st_ino != named.st_ino) return std::nullopt;
  return held;
}

bool end_group(const std::string& path) {
  if (const Fd kill{::open((path + "/cgroup.kill").c_str(), O_WRONLY | O_CLOEXEC)}) {
    (void)!::write(kill.get(), "1", 1);
  }
  return remove_tree(path);
}

}  // namespace netperfd::workload
