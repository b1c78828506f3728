// SPDX-License-Identifier: GPL-2.0-or-later
// Which namespaces, devices and programs there are not, asked of the kernel.
#include "daemon/counters/machine_parts.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/unit/counters/namespace_pair.hpp"

namespace netperfd::counters {
namespace {

// The directory of named namespaces has "client", which is that of the pair.
class MachinePartsTest : public NamespacePair {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root for namespaces";
    NamespacePair::SetUp();
    std::string made = std::filesystem::temp_directory_path() / "netperfd-parts-XXXXXX";
    ASSERT_NE(::mkdtemp(made.data()), nullptr);
    directory = made;
    std::filesystem::create_symlink(fmt::format("/proc/{}/ns/net", client_.pid()), directory / "client");
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  [[nodiscard]] KernelMachineParts parts() const { return KernelMachineParts{directory}; }

  std::filesystem::path directory;
};

TEST_F(MachinePartsTest, a_namespace_is_there_as_long_as_its_name_is) {
  EXPECT_FALSE(parts().lacks_netns("client"));
  std::filesystem::remove(directory / "client");
  EXPECT_TRUE(parts().lacks_netns("client"));
}

TEST_F(MachinePartsTest, a_device_is_looked_for_in_its_own_namespace) {
  EXPECT_FALSE(parts().lacks_device("wire", "client"));
  EXPECT_TRUE(parts().lacks_device("wire", "")) << "the host has none of that name";
  EXPECT_FALSE(parts().lacks_device("lo", ""));
  client_.ip({"link", "del", "wire"});
  EXPECT_TRUE(parts().lacks_device("wire", "client"));
}

TEST_F(MachinePartsTest, of_a_namespace_that_cannot_be_entered_no_device_is_known_to_be_absent) {
  EXPECT_FALSE(parts().lacks_device("wire", "other"));
  std::ofstream(directory / "file") << "no namespace";
  EXPECT_FALSE(parts().lacks_device("wire", "file"));
}

TEST(MachinePrograms, are_absent_if_nothing_has_their_path) {
  const KernelMachineParts parts;
  EXPECT_FALSE(parts.lacks_program("/bin/sh"));
  EXPECT_TRUE(parts.lacks_program("/usr/nowhere/at-all"));
  EXPECT_TRUE(parts.lacks_program("/bin/sh/at-all"));
}

// The sandbox hides them from the daemon, not from the commands of a design.
TEST(MachinePrograms, of_homes_and_temporary_files_are_not_known) {
  const KernelMachineParts parts;
  for (const char* path : {"/home/nobody/at-all", "/root/at-all", "/tmp/at-all", "/var/tmp/at-all"})
    EXPECT_FALSE(parts.lacks_program(path)) << path;
}

}  // namespace
}  // namespace netperfd::counters
