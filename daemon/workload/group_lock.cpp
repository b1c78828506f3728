// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/group_lock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "daemon/base/fd.hpp"

namespace netperfd::workload {
namespace {

// Each cgroup has it since Linux 4.14, and netperfd has no other use for it.
constexpr const char* kLockFile = "/cgroup.max.depth";

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

Result<std::optional<ProcessLock>> lock_group(const std::string& path) {
  const std::string file = path + kLockFile;
  auto lock = ProcessLock::take(file, O_RDWR, 0);
  if (lock) return std::move(*lock);
  const bool is_gone = ::access(file.c_str(), F_OK) != 0;
  if (is_gone || lock.error().kind == ErrorKind::busy) return std::nullopt;
  return std::unexpected(std::move(lock.error()));
}

bool end_group(const std::string& path) {
  if (const Fd kill{::open((path + "/cgroup.kill").c_str(), O_WRONLY | O_CLOEXEC)}) {
    (void)!::write(kill.get(), "1", 1);
  }
  return remove_tree(path);
}

}  // namespace netperfd::workload
