// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/file_guard.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "daemon/base/fd.hpp"

namespace netperfd::store {
namespace {

constexpr std::string_view kDatabaseBegin{"SQLite format 3\0", 16};

// SQLite's own descriptor: closing another one of the file would give up SQLite's locks. Null if it has none.
sqlite3_file* file_of(sqlite3* connection, int which) {
  sqlite3_file* file = nullptr;
  const int code = sqlite3_file_control(connection, "main", which, static_cast<void*>(&file));
  return code == SQLITE_OK && file != nullptr && file->pMethods != nullptr ? file : nullptr;
}

// The size says nothing, since a checkpoint on a full disk leaves a file that is shorter than its header
// tells.
bool has_header(sqlite3* connection) {
  sqlite3_file* const file = file_of(connection, SQLITE_FCNTL_FILE_POINTER);
  if (file == nullptr) return true;
  std::array<char, kDatabaseBegin.size()> found{};
  return file->pMethods->xRead(file, found.data(), static_cast<int>(found.size()), 0) == SQLITE_OK &&
         std::string_view{found.data(), found.size()} == kDatabaseBegin;
}

// How the index of a log begins, in this machine's byte order: <https://sqlite.org/walformat.html>.
struct LogIndex {
  std::uint32_t version, unused, changes;
  std::uint8_t is_initialized, has_big_endian_sums;
  std::uint16_t page_bytes;  // 1: 65,536
  std::uint32_t frames, pages;
  std::array<std::uint32_t, 2> sums;
  std::array<char, 8> salt;
};
static_assert(sizeof(LogIndex) == 40);

// Whether the log has what the index says was committed to it. The log is read first: whoever empties it
// rightly, after a checkpoint, changes the index before.
bool has_whole_log(sqlite3* connection) {
  constexpr std::uint32_t kVersion = 3'007'000;
  constexpr int kHeader = 32, kFrameHeader = 24, kSaltAt = 16, kIndexPart = 32'768;
  sqlite3_file* const log = file_of(connection, SQLITE_FCNTL_JOURNAL_POINTER);
  sqlite3_file* const database = file_of(connection, SQLITE_FCNTL_FILE_POINTER);
  if (log == nullptr || database == nullptr || database->pMethods->iVersion < 2) return true;
  sqlite3_int64 size = 0;
  std::array<char, kHeader> header{};
  if (log->pMethods->xFileSize(log, &size) != SQLITE_OK) return false;
  const int read = log->pMethods->xRead(log, header.data(), kHeader, 0);
  void volatile* shared = nullptr;
  if (database->pMethods->xShmMap(database, 0, kIndexPart, 0, &shared) != SQLITE_OK || shared == nullptr)
    return true;
  LogIndex index{};
  std::memcpy(&index, const_cast<const void*>(shared), sizeof index);  // NOLINT
  if (index.version != kVersion || index.is_initialized == 0 || index.frames == 0) return true;
  const sqlite3_int64 page = index.page_bytes == 1 ? 65'536 : index.page_bytes;
  return read == SQLITE_OK && size >= kHeader + index.frames * (page + kFrameHeader) &&
         std::memcmp(header.data() + kSaltAt, index.salt.data(), index.salt.size()) == 0;
}

// True also where that cannot be known.
bool begins_as_database(const std::string& path) {
  const Fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!file) return errno != ENOENT;
  std::array<char, kDatabaseBegin.size()> found{};
  const ssize_t got = ::pread(file.get(), found.data(), found.size(), 0);
  return got < 0 || std::string_view{found.data(), static_cast<std::size_t>(got)} == kDatabaseBegin;
}

bool has_content(const std::string& path) {
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0;
}

std::string log_of(const std::string& path) {
  return path + "-wal";
}

}  // namespace

FileGuard::FileGuard(std::string path)
    : path_(std::move(path)), own_(file_id(path_)), log_(file_id(log_of(path_))) {
  for (const auto& each : {own_, log_, file_id(path_ + "-shm")}) {
    if (each) own_files_.emplace_back(*each);
  }
}

bool FileGuard::is_displaced() const {
  return file_id(path_) != own_;
}

Status FileGuard::check(sqlite3* connection) {
  const auto now = file_id(path_);
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
  return check_log(connection);
}

Status FileGuard::check_log(sqlite3* connection) {
  const std::string log = log_of(path_);
  if (!has_whole_log(connection)) {
    lost_log_ = true;
    // A checkpoint would copy whatever is in the log by now.
    (void)sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    return fail(ErrorKind::io,
                fmt::format("{}: another program has overwritten or truncated the write-ahead log while "
                            "netperfd had it open, so nothing can be stored; restart netperfd to go on with "
                            "what the database has, or restore a copy",
                            log));
  }
  const auto now = file_id(log);
  lost_log_ = now != log_;
  if (!lost_log_) return {};
  (void)sqlite3_wal_checkpoint_v2(connection, "main", SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  return fail(ErrorKind::io,
              fmt::format("{}: the write-ahead log was {} while netperfd had it open, so nothing can be "
                          "stored; restart netperfd, which puts what was stored into the database",
                          log, now ? "replaced by another file" : "removed"));
}

bool FileGuard::put_log_aside(const std::string& aside) const {
  const std::string log = log_of(path_);
  if (!log_ || file_id(log) != log_ || std::rename(log.c_str(), aside.c_str()) != 0) return false;
  (void)::unlink((path_ + "-shm").c_str());  // only an index of the log
  return true;
}

bool FileGuard::put_strange_log_aside(const std::string& aside) const {
  if (!lost_log_ || is_displaced() || std::rename(log_of(path_).c_str(), aside.c_str()) != 0) return false;
  (void)::unlink((path_ + "-shm").c_str());
  return true;
}

bool is_log_without_database(const std::string& path) {
  return has_content(log_of(path)) && !has_content(path);
}

Status expect_database_of_log(const std::string& path) {
  if (begins_as_database(path)) return {};
  const std::string log = log_of(path), kept = log + ".kept";
  if (has_content(log) && !has_content(kept)) (void)std::rename(log.c_str(), kept.c_str());
  for (const auto& each : {kept, log}) {
    if (!has_content(each)) continue;
    return fail(ErrorKind::io,
                fmt::format("{0}: the database is missing or was emptied, but its write-ahead log has data. "
                            "Put the database back, and this log as {1}: `mv {2} {1}`. Or move the log away, "
                            "and restore a backup or begin with an empty store",
                            path, log, each));
  }
  return {};
}

}  // namespace netperfd::store
