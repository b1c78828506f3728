// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/catalogue/modules.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/trace/catalogue/catalogue_support.hpp"

namespace netperfd::trace {
namespace {

TEST(Modules, are_loaded_or_built_in_or_only_on_the_disk) {
  const FakeMachine machine;
  const Modules modules = read_modules(machine.settings);
  ASSERT_EQ(modules.size(), 3U);
  EXPECT_TRUE(modules.at("hsr").loaded);
  EXPECT_FALSE(modules.at("hsr").built_in);
  EXPECT_TRUE(modules.at("tcp_cubic").built_in);
  EXPECT_FALSE(modules.at("nf_tables").loaded);
  EXPECT_FALSE(modules.at("nf_tables").built_in);
}

TEST(Modules, without_an_index_are_built_in_where_sysfs_has_them_and_they_have_no_state) {
  FakeMachine machine;
  machine.settings.modules_root = "/nowhere";
  machine.write("sys/module/bridge/version", "2.3\n");
  const Modules modules = read_modules(machine.settings);
  EXPECT_TRUE(modules.at("bridge").built_in);
  EXPECT_FALSE(modules.at("hsr").built_in);
  EXPECT_TRUE(modules.at("hsr").loaded);
}

TEST(Modules, of_a_kernel_without_any_are_none) {
  CatalogueSettings settings;
  settings.proc = settings.sys = settings.modules_root = "/nowhere";
  EXPECT_TRUE(read_modules(settings).empty());
  EXPECT_EQ(loaded_modules_key("/nowhere", "/nowhere"), "");
}

TEST(Modules, key_changes_with_a_reload_but_not_with_a_reference) {
  const FakeMachine machine;
  const auto key = [&] { return loaded_modules_key(machine.settings.proc, machine.settings.sys); };
  const std::string before = key();
  machine.write("proc/modules", "hsr 65536 2 veth, Live 0xffffffffc0a00000\n");
  EXPECT_EQ(key(), before);
  machine.write("proc/modules", "hsr 65536 0 - Live 0xffffffffc0b00000\n");
  EXPECT_NE(key(), before);
}

// The kernel loads another build of the same size where the one before was.
TEST(Modules, key_changes_with_another_build_of_one_size_at_one_address) {
  const FakeMachine machine;
  const auto key = [&] { return loaded_modules_key(machine.settings.proc, machine.settings.sys); };
  machine.write("proc/modules", "hsr 65536 0 - Live 0xffffffffc0a00000\n");
  machine.write("sys/module/hsr/notes/.note.gnu.build-id", "one");
  const std::string first = key();
  EXPECT_EQ(key(), first);
  machine.write("sys/module/hsr/notes/.note.gnu.build-id", "two");
  const std::string second = key();
  EXPECT_NE(second, first);
  // Also one without a build-id, or the same one: it is loaded anew.
  const std::filesystem::path directory = machine.settings.sys + "/module/hsr";
  std::filesystem::rename(directory, directory.string() + "-before");
  machine.write("sys/module/hsr/notes/.note.gnu.build-id", "two");
  EXPECT_NE(key(), second);
}

TEST(Modules, have_underscores_outside_brackets) {
  EXPECT_EQ(kernel_module_name("nf-tables"), "nf_tables");
  EXPECT_EQ(kernel_module_name("nf-[a-z]*-x"), "nf_[a-z]*_x");
}

}  // namespace
}  // namespace netperfd::trace
