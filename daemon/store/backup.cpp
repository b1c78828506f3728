// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/backup.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "daemon/base/fd.hpp"

namespace netperfd::store {
namespace {

struct Finish {
  void operator()(sqlite3_backup* backup) const { sqlite3_backup_finish(backup); }
};

Status copy_pages(Connection& from, const std::string& path) {
  auto to = Connection::open(path, SQLITE_OPEN_READWRITE);
  if (!to) return std::unexpected(to.error());
  std::unique_ptr<sqlite3_backup, Finish> backup{sqlite3_backup_init(to->raw(), "main", from.raw(), "main")};
  if (!backup) return refusal_of(to->raw());
  constexpr int kAllPages = -1;
  const int code = sqlite3_backup_step(backup.get(), kAllPages);
  // Only this call puts the copy's error where refusal_of() finds it.
  sqlite3_backup_finish(backup.release());
  if (code != SQLITE_DONE) return refusal_of(to->raw());
  return {};
}

Status sync(const std::string& path, int flags) {
  const Fd file{::open(path.c_str(), flags | O_CLOEXEC)};
  if (!file || ::fsync(file.get()) != 0) return fail_errno(path, errno);
  return {};
}

Status write_copy(Connection& from, const std::string& partial, const std::string& target) {
  {
    const Fd file{::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640)};
    if (!file) return fail_errno(partial, errno);
  }
  if (auto copied = copy_pages(from, partial); !copied) return copied;
  if (auto synced = sync(partial, O_RDONLY); !synced) return synced;
  if (std::rename(partial.c_str(), target.c_str()) != 0) return fail_errno(target, errno);
  return sync_folder_of(target);
}

}  // namespace

Status sync_folder_of(const std::string& path) {
  const auto folder = std::filesystem::path{path}.parent_path();
  return sync(folder.empty() ? "." : folder.string(), O_RDONLY | O_DIRECTORY);
}

Status copy_database(Connection& from, const std::string& target) {
  const auto partial = target + ".partial";
  ::unlink(partial.c_str());  // left by a start that was interrupted
  auto written = write_copy(from, partial, target);
  if (!written) ::unlink(partial.c_str());
  return written;
}

}  // namespace netperfd::store
