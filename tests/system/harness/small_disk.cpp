// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/system/harness/small_disk.hpp"

#include <fmt/format.h>
#include <sys/mount.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace netperfd::system_test {

SmallDisk::SmallDisk(std::string directory, std::uint32_t mebibytes) : directory_(std::move(directory)) {
  if (::mount("netperfd-test", directory_.c_str(), "tmpfs", 0,
              fmt::format("size={}m,mode=755", mebibytes).c_str()) != 0) {
    throw std::system_error(errno, std::generic_category(), "mount tmpfs on " + directory_);
  }
}

void SmallDisk::set_read_only(bool read_only) const {
  const unsigned long flags = MS_REMOUNT | (read_only ? MS_RDONLY : 0UL);
  if (::mount(nullptr, directory_.c_str(), nullptr, flags, nullptr) != 0) {
    throw std::system_error(errno, std::generic_category(), "remount " + directory_);
  }
}

// Lazily: the daemon may still have files of it open.
SmallDisk::~SmallDisk() {
  (void)::umount2(directory_.c_str(), MNT_DETACH);
}

}  // namespace netperfd::system_test
