// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/disk_space.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

#include "daemon/base/fd.hpp"

namespace netperfd::store {
namespace {

constexpr double kMebibyte = 1U << 20U;

Result<std::uint64_t> free_bytes(const std::string& path) {
  struct statvfs file_system{};
  if (::statvfs(path.c_str(), &file_system) != 0) return fail_errno(path, errno);
  return std::uint64_t{file_system.f_bavail} * file_system.f_frsize;
}

std::optional<dev_t> device_of(const std::filesystem::path& path) {
  struct stat about{};
  if (::stat(path.c_str(), &about) != 0) return std::nullopt;
  return about.st_dev;
}

// The highest directory above the file that is on the same device.
std::string mount_point_of(const std::string& path) {
  std::error_code failed;
  std::filesystem::path point = std::filesystem::canonical(path, failed);
  if (failed) return path;
  const auto device = device_of(point);
  while (point.has_relative_path() && device_of(point.parent_path()) == device) point = point.parent_path();
  return point.string();
}

std::string describe(const std::string& path, std::uint64_t free) {
  return fmt::format("its file system {} has {:.1f} MiB free", mount_point_of(path),
                     static_cast<double>(free) / kMebibyte);
}

// Closing a descriptor of this file is harmless, other than of the database: SQLite locks only the database
// and its -shm.
Fd open_log(const std::string& path) {
  return Fd{::open((path + "-wal").c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW)};
}

}  // namespace

std::string describe_space(const std::string& path) {
  const auto free = free_bytes(path);
  return free ? describe(path, *free) : "";
}

std::optional<std::uint64_t> free_space(const std::string& path) {
  const auto free = free_bytes(path);
  return free ? std::optional{*free} : std::nullopt;
}

Status expect_space(const std::string& path, std::uint64_t min_free_bytes) {
  const auto free = free_bytes(path);
  if (!free) return std::unexpected(free.error());
  if (*free >= min_free_bytes) return {};
  return fail(ErrorKind::no_space,
              fmt::format("{}: {}, and a run needs {:.1f} MiB (store.min_free); delete runs or make room",
                          path, describe(path, *free), static_cast<double>(min_free_bytes) / kMebibyte));
}

void reserve_log(const std::string& path, std::uint64_t bytes) {
  constexpr std::uint64_t kLeast = std::uint64_t{256} << 10U;
  const Fd log = open_log(path);
  if (!log) return;
  for (; bytes > 0; bytes = bytes / 2 >= kLeast ? bytes / 2 : 0) {
    if (::fallocate(log.get(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes)) == 0 || errno != ENOSPC)
      return;
  }
}

bool release_log(const std::string& path) {
  const Fd log = open_log(path);
  struct stat about{};
  return log && ::fstat(log.get(), &about) == 0 && about.st_size == 0 && about.st_blocks > 0 &&
         ::ftruncate(log.get(), 0) == 0;
}

}  // namespace netperfd::store
