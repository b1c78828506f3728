// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/host_watch.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <string_view>

#include "daemon/core/run/host_faults.hpp"
#include "tests/unit/counters/fact_tree.hpp"

namespace netperfd::counters {
namespace {

using std::string_view_literals::operator""sv;
using testing::IsEmpty;

TEST(CpuUevent, says_which_cpu_came_or_went) {
  EXPECT_EQ(cpu_change("offline@/devices/system/cpu/cpu1\0ACTION=offline\0DEVPATH=/x\0SUBSYSTEM=cpu\0"sv),
            "CPU 1 went offline");
  EXPECT_EQ(cpu_change("online@/devices/system/cpu/cpu127\0ACTION=online"sv), "CPU 127 came online");
}

TEST(CpuUevent, is_nothing_else) {
  for (const std::string_view other :
       {""sv, "@"sv, "offline@"sv, "offline@/devices/system/memory/memory33\0"sv,
        "add@/devices/system/cpu/cpu1\0"sv, "online@/devices/system/cpu/cpu\0"sv,
        "online@/devices/system/cpu/cpufreq\0"sv, "online@/devices/system/cpu/cpu1x\0"sv,
        "online@/devices/system/cpu/cpu-1\0"sv, "online@/devices/system/cpu/cpu99999999999\0"sv,
        "libudev\0online@/devices/system/cpu/cpu1\0"sv, "\0online@/devices/system/cpu/cpu1"sv}) {
    EXPECT_FALSE(cpu_change(other)) << other;
  }
}

class HostWatched : public FactTree {
 protected:
  void SetUp() override {
    put("sys/devices/system/cpu/online", "0-3\n");
    put("sys/power/suspend_stats/success", "7\n");
    put("sys/power/suspend_stats/fail", "2\n");
  }
};

TEST_F(HostWatched, counts_suspends_that_succeeded_and_that_failed) {
  const auto watch = KernelHostWatch{roots.sys}.watch();
  put("sys/power/suspend_stats/fail", "3\n");
  put("sys/devices/system/cpu/online", "0-1,3\n");
  const core::HostChanges changes = watch->finish();
  EXPECT_EQ(changes.before.suspends, 9U);
  EXPECT_EQ(changes.after.suspends, 10U);
  EXPECT_EQ(changes.before.cpus, "0-3");
  EXPECT_EQ(changes.after.cpus, "0-1,3");
}

TEST_F(HostWatched, knows_no_suspends_of_a_kernel_that_does_not_count_them) {
  put("sys/power/suspend_stats/fail", "many\n");
  EXPECT_FALSE(KernelHostWatch{roots.sys}.watch()->finish().before.suspends);
}

TEST_F(HostWatched, finds_nothing_on_this_host_while_nothing_happens) {
  EXPECT_THAT(core::host_flags(KernelHostWatch{}.watch()->finish()), IsEmpty());
  const core::HostChanges changes = KernelHostWatch{}.watch()->finish();
  EXPECT_GT(changes.after.boot.count(), 0);
  EXPECT_GE(changes.after.boot, changes.after.awake);
  EXPECT_GE(changes.after.awake, changes.before.awake);
  EXPECT_FALSE(changes.after.cpus.empty());
}

}  // namespace
}  // namespace netperfd::counters
