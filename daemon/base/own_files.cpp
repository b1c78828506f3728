// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/base/own_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <mutex>
#include <set>

namespace netperfd {
namespace {

struct OwnFiles {
  std::mutex mutex;
  std::multiset<FileId> ids;
};

// Outlives the threads that close descriptors, which nothing waits for.
OwnFiles& own_files() {
  static auto* const shared = new OwnFiles;  // NOLINT(cppcoreguidelines-owning-memory): see above
  return *shared;
}

}  // namespace

std::optional<FileId> file_id(const std::string& path) {
  struct stat about{};
  if (::stat(path.c_str(), &about) != 0) return std::nullopt;
  return FileId{about.st_dev, about.st_ino};
}

OwnFile::OwnFile(FileId id) : id_(id) {
  OwnFiles& own = own_files();
  const std::lock_guard lock(own.mutex);
  own.ids.insert(id);
}

OwnFile::~OwnFile() {
  if (!id_) return;
  OwnFiles& own = own_files();
  const std::lock_guard lock(own.mutex);
  own.ids.erase(own.ids.find(*id_));
}

bool is_own_file(int fd) {
  struct statx about{};
  if (::statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &about) != 0) return false;
  OwnFiles& own = own_files();
  const std::lock_guard lock(own.mutex);
  return own.ids.contains({makedev(about.stx_dev_major, about.stx_dev_minor), about.stx_ino});
}

}  // namespace netperfd
