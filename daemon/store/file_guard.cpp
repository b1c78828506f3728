// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/file_guard.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

namespace netperfd::store {
namespace {

// Reads through SQLite's descriptor: closing another one of this file would give up SQLite's locks. The size
// says nothing, since a checkpoint on a full disk leaves a file that is shorter than its header tells.
bool has_header(sqlite3* connection) {
  sqlite3_file* file = nullptr;
  if (sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
      file == nullptr || file->pMethods == nullptr) {
    return true;
  }
  constexpr std::string_view kHeader{"SQLite format 3\0", 16};
  std::array<char, kHeader.size()> found{};
  return file->pMethods->xRead(file, found.data(), static_cast<int>(found.size()), 0) == SQLITE_OK &&
         std::string_view{found.data(), found.size()} == kHeader;
}

}  // namespace

std::optional<FileGuard::Identity> FileGuard::identity_of(const std::string& path) {
  struct stat about{};
  if (::stat(path.c_str(), &about) != 0) return std::nullopt;
  return Identity{about.st_dev, about.st_ino};
}

FileGuard::FileGuard(std::string path)
    : path_(std::move(path)), own_(identity_of(path_)), log_(identity_of(path_ + "-wal")) {}

bool FileGuard::is_displaced() const {
  return identity_of(path_) != own_;
}

Status FileGuard::check(sqlite3* connection) {
  const auto now = identity_of(path_);
  if (now != own_) {
    return fail(
        ErrorKind::io,
        fmt::format("{}: the database was {} while netperfd had it open, so nothing can be stored; put "
                    "it back, or restart netperfd to go on with the file that is there then",
                    path_, now ? "replaced by another file" : "removed"));
  }
  if (!has_header(connection)) {
    return fail(
        ErrorKind::io,
        fmt::format("{}: another program has overwritten or truncated the database while netperfd had "
                    "it open, so nothing can be stored; stop netperfd, and restore a copy or move the "
                    "file away",
                    path_));
  }
  log_ = identity_of(path_ + "-wal");
  return {};
}

bool FileGuard::put_log_aside(const std::string& aside) const {
  const std::string log = path_ + "-wal";
  if (!log_ || identity_of(log) != log_ || std::rename(log.c_str(), aside.c_str()) != 0) return false;
  (void)::unlink((path_ + "-shm").c_str());  // only an index of the log
  return true;
}

}  // namespace netperfd::store
