// SPDX-License-Identifier: GPL-2.0-or-later
// The cgroup of a run, on this kernel where it has cgroups of version 2.
#include "daemon/workload/run_group.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/unit/workload/support.hpp"

namespace netperfd::workload::test {
namespace {

using testing::HasSubstr;

class RunGroupTest : public testing::Test {
 protected:
  void SetUp() override {
    if (site_.directory.empty()) GTEST_SKIP() << "needs a writable cgroup: " << site_.missing;
  }
  static void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

  GroupSite site_ = find_group_site();
};

// Its grandchild leaves parent, session and process group.
constexpr const char* kDoubleFork = "(setsid sh -c 'exec sleep 1000' >/dev/null 2>&1 &); exit 0";

TEST_F(RunGroupTest, holds_what_a_child_leaves_behind_and_ends_it) {
  auto group = RunGroup::make(site_.directory);
  ASSERT_TRUE(group) << group.error().message;
  EventLoop loop = make_loop();
  Watched watched;
  LaunchOrder order = order_for({"sh", "-c", kDoubleFork});
  order.group = group->path();
  ASSERT_TRUE(start(loop, watched, order));
  ASSERT_TRUE(turn_until(loop, [&] { return watched.ready; }));
  EXPECT_EQ(group->size(), 1U) << "the launcher itself";
  watched.child->release();
  ASSERT_TRUE(turn_until(loop, [&] { return watched.end.has_value(); }));
  EXPECT_EQ(watched.end->failure, "");
  EXPECT_EQ(group->size(), 1U) << "the one left behind";
  const std::string path = group->path();
  EXPECT_TRUE(turn_until(loop, [&] { return group->end(); }));
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(group->end()) << "again";
}

TEST_F(RunGroupTest, that_cannot_be_entered_is_named) {
  EventLoop loop = make_loop();
  Watched watched;
  LaunchOrder order = order_for({"true"});
  order.group = site_.directory + "/netperfd-no-such-group";
  ASSERT_TRUE(start(loop, watched, order));
  ASSERT_TRUE(turn_until(loop, [&] { return watched.end.has_value(); }));
  EXPECT_THAT(watched.end->failure, HasSubstr("enter the cgroup " + order.group));
}

TEST(Orphans, are_adopted_and_ended_where_there_are_no_cgroups) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to run a child as another user";
  EXPECT_EQ(run_program({"/proc/self/exe", "--adopting"}), 0);
}

TEST(GroupSite, without_cgroups_says_why) {
  const TemporaryDirectory directory;
  const std::string proc = directory.path();
  EXPECT_EQ(find_group_site(proc).missing, "no cgroup hierarchy of version 2 is mounted");
  std::filesystem::create_directory(proc + "/self");
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(proc + "/self/" + name) << text;
  };
  write("mountinfo", "30 22 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  write("cgroup", "4:memory:/x\n");
  EXPECT_EQ(find_group_site(proc).missing, "netperfd is in no cgroup of version 2");
  write("mountinfo", "30 22 0:27 /docker/a /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  write("cgroup", "0::/elsewhere\n");
  EXPECT_EQ(find_group_site(proc).missing, "the cgroup of netperfd is not mounted");
  write("mountinfo", fmt::format("30 22 0:27 / {} rw - cgroup2 cgroup2 rw\n", proc));
  write("cgroup", "0::/no/such\n");
  EXPECT_THAT(find_group_site(proc).missing, HasSubstr("No such file or directory"));
}

}  // namespace
}  // namespace netperfd::workload::test
