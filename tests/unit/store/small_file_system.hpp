// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <string>
#include <system_error>

#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {

inline constexpr std::uint64_t kKibibyte = 1024;

// A file system of 4 MiB over the test's directory, in a mount namespace that ends with this process.
class FullFileSystem : public StoreTest {
 protected:
  void SetUp() override {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("netperfd-test", folder.c_str(), "tmpfs", 0, "size=4m,nr_inodes=16") != 0) {
      GTEST_SKIP() << "needs root to mount a small file system: " << std::generic_category().message(errno);
    }
    mounted = true;
  }
  void TearDown() override {
    close();
    if (mounted) {
      EXPECT_EQ(::umount(folder.c_str()), 0);
    }
  }
  // Leaves `left` bytes, in whole pages.
  void fill(std::uint64_t left) {
    struct statvfs now{};
    ASSERT_EQ(::statvfs(folder.c_str(), &now), 0);
    const auto free = std::uint64_t{now.f_bavail} * now.f_frsize;
    ASSERT_GT(free, left);
    std::ofstream{folder / "ballast"} << std::string(free - left, 'x') << std::flush;
  }
  void make_room() { std::filesystem::remove(folder / "ballast"); }
  // Leaves no inode; make_room() does not give them back.
  void fill_inodes() {
    for (int i = 0; std::ofstream{folder / ("file-" + std::to_string(i))}.is_open(); ++i) {
    }
  }
  void remount(unsigned long flags) {
    ASSERT_EQ(::mount(nullptr, folder.c_str(), nullptr, MS_REMOUNT | flags, nullptr), 0);
  }

  bool mounted = false;
};

}  // namespace netperfd::store
