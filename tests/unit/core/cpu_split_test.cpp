// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/run/cpu_split.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace netperfd::core {
namespace {

constexpr std::uint64_t kNs = 1'000'000'000;

TEST(CpuSplit, adds_up_to_the_busy_time) {
  const CpuSplit split =
      split_cpu_time({.busy = 1000, .interrupts = 100, .tasks = 500, .packet_threads = 50, .own = 400});
  EXPECT_EQ(split.busy, 1000U);
  EXPECT_EQ(split.others, 100U);
  EXPECT_EQ(split.kernel, 150U);
  EXPECT_EQ(split.unknown, 350U);
}

TEST(CpuSplit, has_no_unknown_time_where_interrupts_may_have_been_the_rest) {
  const CpuSplit split =
      split_cpu_time({.busy = 600, .interrupts = 300, .tasks = 500, .packet_threads = 50, .own = 500});
  EXPECT_EQ(split.kernel, 100U);
  EXPECT_EQ(split.unknown, 0U);
}

TEST(CpuSplit, believes_the_tasks_where_the_timer_tick_saw_less) {
  const CpuSplit split =
      split_cpu_time({.busy = 300, .interrupts = 0, .tasks = 500, .packet_threads = 50, .own = 510});
  EXPECT_EQ(split.others, 0U) << "the workload is known to 1 us, tasks to 10 ms";
  EXPECT_EQ(split.busy, 560U);
  EXPECT_EQ(split.unknown, 0U);
}

TEST(CpuSplit, is_known_to_the_spread_of_the_ticks) {
  EXPECT_EQ(unknown_error_ns(0, 0, 0), 50'000'000U) << "the least";
  EXPECT_EQ(unknown_error_ns(20 * kNs, 20 * kNs, 0), 50'000'000U)
      << "always busy, so nothing is left to luck";
  // Half of the time busy: 3 sqrt(10 ms x 10 s x 10 s / 20 s).
  EXPECT_EQ(unknown_error_ns(10 * kNs, 20 * kNs, 0), 670'820'393U);
  // And 300 tasks, each cut four times: 3 sqrt(0.05 s2 + 300 x 4 x (10 ms)2 / 12).
  EXPECT_EQ(unknown_error_ns(10 * kNs, 20 * kNs, 300), 734'846'922U);
}

}  // namespace
}  // namespace netperfd::core
