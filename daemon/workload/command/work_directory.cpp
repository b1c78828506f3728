// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/command/work_directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "daemon/base/as_user.hpp"

namespace netperfd::workload {
namespace {

// systemd mounts it for the unit alone: elsewhere there may be a directory, but no file system of its own.
constexpr const char* kMounted = "/run/netperfd/work";
constexpr const char* kAboveMounted = "/run/netperfd";
constexpr const char* kOtherwise = "/tmp";
constexpr std::string_view kPrefix = "netperfd-work.";
constexpr int kMostAttempts = 10;

std::string directory_above() {
  struct stat mounted{};
  struct stat above{};
  const bool is_mount =
      ::stat(kMounted, &mounted) == 0 && ::stat(kAboveMounted, &above) == 0 && mounted.st_dev != above.st_dev;
  return is_mount ? kMounted : kOtherwise;
}

Fd open_directory(int above, const std::string& name) {
  return Fd{::openat(above, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
}

std::vector<std::string> names_in(const Fd& directory) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::fdopendir(open_directory(directory.get(), ".").release()),
                                                 &::closedir);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread has this stream
  while (const dirent* entry = open ? ::readdir(open.get()) : nullptr) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  return names;
}

// Also of a directory that its owner may not read. `spare` names what moves from it to `top`.
bool remove_entry(const Fd& top, const std::string& name, std::uint64_t& spare) {
  if (::unlinkat(top.get(), name.c_str(), 0) == 0) return true;
  // An owner may always do this, and no process is left that could put a link there.
  std::ignore = ::fchmodat(top.get(), name.c_str(), S_IRWXU, 0);
  const Fd below = open_directory(top.get(), name);
  if (!below) return false;
  for (const std::string& inner : names_in(below)) {
    if (::unlinkat(below.get(), inner.c_str(), 0) == 0) continue;
    std::ignore = ::fchmodat(below.get(), inner.c_str(), S_IRWXU, 0);
    // The program may have names like this one, and the directory itself may have it.
    while (::renameat2(below.get(), inner.c_str(), top.get(), fmt::format(".moved-{}", ++spare).c_str(),
                       RENAME_NOREPLACE) != 0 &&
           errno == EEXIST) {
    }
  }
  return ::unlinkat(top.get(), name.c_str(), AT_REMOVEDIR) == 0;
}

// With few descriptors and names of one word, however deep it is: what is below a directory moves to the top
// before that is removed.
void empty(const Fd& directory) {
  std::uint64_t spare = 0;
  for (bool removed = true; removed;) {
    removed = false;
    for (const std::string& name : names_in(directory))
      removed = remove_entry(directory, name, spare) || removed;
  }
}

bool remove_directory(const std::string& path, const Fd& directory) {
  std::ignore = ::fchmod(directory.get(), S_IRWXU);
  empty(directory);
  return ::rmdir(path.c_str()) == 0;
}

// What a program put beside its directory. In /tmp, others have their files.
void empty_mount() {
  if (directory_above() == kMounted) empty(open_directory(AT_FDCWD, kMounted));
}

// Whoever has the lock of a directory may remove it. Nothing: another netperfd has it, or removed it.
Fd lock_directory(const std::string& path, uid_t uid) {
  Fd directory = open_directory(AT_FDCWD, path);
  struct stat status{};
  if (!directory || ::flock(directory.get(), LOCK_EX | LOCK_NB) != 0) return {};
  if (::fstat(directory.get(), &status) != 0 || status.st_uid != uid || status.st_nlink == 0) return {};
  return directory;
}

}  // namespace

WorkDirectory::WorkDirectory(std::string path, uid_t uid, gid_t gid, Fd lock)
    : path_(std::move(path)), uid_(uid), gid_(gid), lock_(std::move(lock)) {}

WorkDirectory::WorkDirectory(WorkDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      uid_(other.uid_),
      gid_(other.gid_),
      lock_(std::move(other.lock_)) {}

WorkDirectory& WorkDirectory::operator=(WorkDirectory&& other) noexcept {
  if (this == &other) return *this;
  remove();
  path_ = std::exchange(other.path_, {});
  uid_ = other.uid_;
  gid_ = other.gid_;
  lock_ = std::move(other.lock_);
  return *this;
}

WorkDirectory::~WorkDirectory() {
  remove();
}

void WorkDirectory::remove() {
  if (path_.empty()) return;
  const AsUser user(uid_, gid_);
  (void)remove_directory(path_, lock_);
  empty_mount();
  path_.clear();
}

Result<WorkDirectory> WorkDirectory::make(uid_t uid, gid_t gid) {
  const std::string above = directory_above();
  const AsUser user(uid, gid);
  // Between the two steps, a netperfd that starts may take the directory for one that was left.
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    std::string path = fmt::format("{}/{}XXXXXX", above, kPrefix);
    if (::mkdtemp(path.data()) == nullptr) return fail_errno("make a directory " + path, errno);
    if (Fd lock = lock_directory(path, uid)) return WorkDirectory(std::move(path), uid, gid, std::move(lock));
  }
  return fail(ErrorKind::io, fmt::format("each new directory in {} is removed at once", above));
}

bool WorkDirectory::has(const std::string& name) const {
  const AsUser user(uid_, gid_);
  struct stat status{};
  return ::fstatat(lock_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
}

Result<std::string> WorkDirectory::read(const std::string& name, std::size_t most_bytes) const {
  const AsUser user(uid_, gid_);
  // O_NONBLOCK matters only for the open: a FIFO would wait there for its writer.
  const Fd file{::openat(lock_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  if (!file && (errno == ENOENT || errno == ELOOP)) {
    return fail(ErrorKind::not_found,
                fmt::format("{} in its directory",
                            errno == ELOOP ? fmt::format("{} is a link", name) : "there is no file " + name));
  }
  if (!file) return fail_errno(fmt::format("the file {} of its directory", name), errno);
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return fail_errno(name, errno);
  if (!S_ISREG(status.st_mode)) return fail(ErrorKind::not_found, fmt::format("{} is no regular file", name));
  return read_file(file, name, most_bytes);
}

std::size_t remove_left_directories(uid_t uid, gid_t gid) {
  const std::string above = directory_above();
  const AsUser user(uid, gid);
  std::vector<std::string> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(above, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename().string().starts_with(kPrefix)) found.push_back(entry->path());
  }
  return static_cast<std::size_t>(std::ranges::count_if(found, [&](const std::string& path) {
    const Fd lock = lock_directory(path, uid);
    return lock && remove_directory(path, lock);
  }));
}

}  // namespace netperfd::workload
