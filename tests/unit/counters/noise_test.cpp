// SPDX-License-Identifier: GPL-2.0-or-later
// The noise of a host, read from directories that stand in for its /proc and /sys.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/counters/counted_part.hpp"
#include "daemon/counters/cpu_limits.hpp"
#include "daemon/counters/host_noise.hpp"
#include "daemon/counters/task_times.hpp"
#include "daemon/model/noise.hpp"
#include "tests/unit/counters/fact_tree.hpp"
#include "tests/unit/counters/manual_clock.hpp"

namespace netperfd::counters {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

// A line of /proc/PID/stat.
std::string stat_line(pid_t pid, std::string_view comm, std::uint64_t own, std::uint64_t waited = 0,
                      bool of_kernel = false, std::uint64_t began = 77) {
  return fmt::format("{} ({}) S 1 1 1 0 -1 {} 0 0 0 0 {} {} {} 0 20 0 1 0 {} 0 0\n", pid, comm,
                     of_kernel ? 0x208040 : 0x400100, own, 0, waited, began);
}

TEST(TaskTime, is_read_behind_a_name_of_any_kind) {
  const auto task = parse_task_stat(stat_line(42, "a) R 9 (x", 7, 11));
  ASSERT_TRUE(task);
  EXPECT_EQ(task->first, 42);
  EXPECT_EQ(task->second, (TaskTime{.began = 77, .own = 7, .waited = 11}));
  EXPECT_FALSE(parse_task_stat("42 (short) S 1"));
  EXPECT_FALSE(parse_task_stat(""));
}

TEST(TaskTime, of_kernel_threads_that_serve_packets_is_apart) {
  EXPECT_TRUE(parse_task_stat(stat_line(9, "ksoftirqd/0", 1, 0, true))->second.serves_packets);
  EXPECT_TRUE(parse_task_stat(stat_line(9, "kworker/0:1-events", 1, 0, true))->second.serves_packets);
  EXPECT_TRUE(parse_task_stat(stat_line(9, "napi/eth0-8", 1, 0, true))->second.serves_packets);
  EXPECT_FALSE(parse_task_stat(stat_line(9, "kswapd0", 1, 0, true))->second.serves_packets);
  EXPECT_FALSE(parse_task_stat(stat_line(9, "ksoftirqd/0", 1))->second.serves_packets)
      << "a process may choose such a name";
}

TEST(TaskTicks, are_those_of_processes_that_live_that_began_and_that_ended) {
  const TaskTimes before{{1, {.began = 1, .own = 100, .waited = 1'000}},
                         {2, {.began = 2, .own = 50}},
                         {3, {.began = 3, .own = 400, .waited = 100}},
                         {9, {.began = 1, .own = 10, .serves_packets = true}}};
  const TaskTimes after{{1, {.began = 1, .own = 103, .waited = 1'520}},  // it waited for 3, which got 20 more
                        {2, {.began = 8, .own = 5}},                     // another process of that number
                        {4, {.began = 9, .own = 30}},
                        {9, {.began = 1, .own = 17, .serves_packets = true}}};
  const TaskTicks ticks = ticks_between(before, after);
  EXPECT_EQ(ticks.packet_threads, 7U);
  // What 1 waited for contains the 500 ticks of 3 from before, and cannot contain those of 2 as well.
  EXPECT_EQ(ticks.tasks, 3U + 5U + 30U + 20U);
}

TEST(TaskTicks, of_a_process_that_nobody_waits_for_hide_nothing_else) {
  const TaskTimes before{{1, {.began = 1}}, {2, {.began = 2, .own = 1'000'000}}};
  const TaskTimes after{{1, {.began = 1, .own = 30, .waited = 20}}};
  EXPECT_EQ(ticks_between(before, after).tasks, 50U);
}

TEST(Throttling, is_read_in_both_versions_of_cgroups) {
  EXPECT_EQ(parse_throttled_ns("usage_usec 5\nnr_periods 3\nthrottled_usec 12\n"), 12'000U);
  EXPECT_EQ(parse_throttled_ns("nr_periods 3\nnr_throttled 1\nthrottled_time 12\n"), 12U);
  EXPECT_EQ(parse_throttled_ns("usage_usec 5\n"), std::nullopt) << "no limits here";
}

TEST(Throttling, of_a_cgroup_that_is_gone_hides_no_other) {
  EXPECT_EQ(growth_of({5, 7, std::nullopt}, {std::nullopt, 10, 4}), 3U);
  EXPECT_EQ(growth_of({5}, {std::nullopt}), std::nullopt);
}

TEST(Pressure, is_the_first_line) {
  EXPECT_EQ(parse_pressure_us("some avg10=0.00 avg60=1.00 avg300=0.00 total=123\nfull total=7\n"), 123U);
  EXPECT_EQ(parse_pressure_us(""), std::nullopt);
}

TEST(IrqPlaces, that_differ_are_moves_of_interrupts_that_came) {
  const IrqPlaces before{{24, {1, "0\n"}}, {25, {5, "0\n"}}, {26, {9, "1\n"}}};
  const IrqPlaces after{{24, {2, "1\n"}}, {25, {5, "1\n"}}, {26, {10, "1\n"}}, {27, {4, "0\n"}}};
  EXPECT_EQ(moved_irqs(before, after), 1U) << "25 did not come, 26 stayed, 27 is new";
}

class HostNoiseOf : public FactTree {
 protected:
  // A pid above the highest that the kernel gives, so that perf has no clock for it.
  static constexpr pid_t kWorkload = 4'194'305;

  HostNoiseOf() {
    put("sys/devices/system/cpu/online", "0-1\n");
    put_times(0, 0);
    put("proc/1/stat", stat_line(1, "init", 100));
    put("proc/10/stat", stat_line(10, "loop", 10));
    put("proc/11/stat", stat_line(11, "ksoftirqd/0", 10, 0, true));
    put(fmt::format("proc/{}/stat", kWorkload), stat_line(kWorkload, "iperf3", 0));
    put(fmt::format("proc/{}/cgroup", kWorkload), "0::/lab/run\n");
    put("sys/fs/cgroup/lab/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_usec 5\n");
    put("sys/fs/cgroup/lab/run/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_usec 7\n");
    put("proc/pressure/memory", "some avg10=0 total=1000\nfull total=5\n");
    put("proc/vmstat", "nr_free_pages 5\nallocstall_dma 1\nallocstall_normal 2\n");
    put("proc/interrupts", "  CPU0 CPU1\n 24:  1  2  PCI-MSI 0-edge eth0\nNMI: 0 0 x\n");
    put("proc/irq/24/effective_affinity_list", "0\n");
  }

  static constexpr std::chrono::milliseconds kTick{10};

  // Ticks since the boot: CPU 0 was never idle, and CPU 1 whenever it was not stolen.
  void put_times(int user, int steal) {
    put("proc/stat",
        fmt::format("cpu 0 0 0 0 0 0 0 0 0 0\ncpu0 {} 0 0 0 0 0 0 {} 0 0\ncpu1 0 0 0 {} 0 0 0 {} 0 0\n", user,
                    steal, user, steal));
    clock.up = (user + steal) * kTick;
  }
  ManualClock clock;

  Counters noise_of(HostNoise& noise) {
    noise.read_again();
    Counters counters;
    noise.add_to(counters);
    return counters;
  }
  HostNoise begin() { return {clock, roots.proc, roots.sys, {kWorkload}}; }
};

TEST_F(HostNoiseOf, a_run_is_what_grew_between_the_readings) {
  HostNoise noise = begin();
  put_times(100, 20);
  put("proc/10/stat", stat_line(10, "loop", 60));
  put("proc/11/stat", stat_line(11, "ksoftirqd/0", 14, 0, true));
  put("sys/fs/cgroup/lab/cpu.stat", "nr_periods 9\nthrottled_usec 105\n");
  put("sys/fs/cgroup/lab/run/cpu.stat", "nr_periods 9\nthrottled_usec 17\n");
  put("proc/pressure/memory", "some avg10=0 total=4000\nfull total=5\n");
  put("proc/vmstat", "allocstall_dma 1\nallocstall_normal 5\n");
  put("proc/interrupts", "  CPU0 CPU1\n 24:  1  3  PCI-MSI 0-edge eth0\n");
  put("proc/irq/24/effective_affinity_list", "1\n");
  const Counters counters = noise_of(noise);
  const auto figure = [&](std::string_view name) { return noise::figure(counters.deltas, name); };
  EXPECT_EQ(figure(noise::kTasks), 500'000'000U);
  EXPECT_EQ(figure(noise::kPacketThreads), 40'000'000U);
  EXPECT_EQ(figure(noise::kSteal), 400'000'000U);
  EXPECT_EQ(figure(noise::kCpus), 2U) << "without the workload's clock: all";
  EXPECT_EQ(figure(noise::kOnlineCpus), 2U);
  EXPECT_EQ(figure(noise::kThrottled), 110'000U) << "of both cgroups";
  EXPECT_EQ(figure(noise::kMemoryStall), 3'000'000U);
  EXPECT_EQ(figure(noise::kReclaims), 3U);
  EXPECT_EQ(figure(noise::kMovedIrqs), 1U);
  EXPECT_GT(figure(noise::kWindow).value_or(0), 0U);
}

// /proc has tasks of another PID namespace nowhere. In 650 ticks, the tick found both CPUs busy 630 times,
// but they were idle or stolen for 14 and 16 ticks only.
TEST_F(HostNoiseOf, a_run_has_the_busy_time_of_the_cpus_and_that_of_their_interrupts) {
  put("proc/stat",
      "cpu  3277375 183295 560319 810547 15257 0 34413 2262 0 0\n"
      "cpu0 1605719 84028 267299 465756 2949 0 16700 1119 0 0\n"
      "cpu1 1671655 99266 293019 344790 12308 0 17712 1143 0 0\n"
      "intr 49707781 0 0\nctxt 49967690\nbtime 1795644934\nprocesses 464841\n");
  static constexpr std::chrono::hours kUp{6};
  clock.up = kUp;
  HostNoise noise = begin();
  clock.up = kUp + 650 * kTick;
  put("proc/stat",
      "cpu  3278375 183355 560499 810565 15259 2 34431 2262 0 0\n"
      "cpu0 1606319 84028 267319 465764 2949 2 16708 1125 0 0\n"
      "cpu1 1672055 99326 293179 344800 12310 0 17722 1147 0 0\n"
      "intr 49807781 0 0\nctxt 49987690\nbtime 1795644934\nprocesses 464845\n");
  put("proc/10/stat", stat_line(10, "loop", 12));
  put("proc/11/stat", stat_line(11, "ksoftirqd/0", 16, 0, true));
  const Counters counters = noise_of(noise);
  const auto figure = [&](std::string_view name) { return noise::figure(counters.deltas, name); };
  EXPECT_EQ(figure(noise::kBusy), 12'700'000'000U) << "636 and 634 ticks";
  EXPECT_EQ(figure(noise::kInterrupts), 140'000'000U) << "20 ticks without the 6 of ksoftirqd";
  EXPECT_EQ(figure(noise::kTasks), 20'000'000U);
  // 12.4 s of 12.9 s: 3 sqrt(0.01 x 12.4 x 0.5 / 12.9), and two tasks that moved.
  EXPECT_NEAR(static_cast<double>(figure(noise::kUnknownError).value_or(0)), 209e6, 1e6);
}

TEST_F(HostNoiseOf, a_quiet_run_is_0_and_not_unknown) {
  HostNoise noise = begin();
  const Counters counters = noise_of(noise);
  for (const auto name :
       {noise::kTasks, noise::kBusy, noise::kInterrupts, noise::kPacketThreads, noise::kSteal,
        noise::kThrottled, noise::kMemoryStall, noise::kReclaims, noise::kMovedIrqs}) {
    EXPECT_EQ(noise::figure(counters.deltas, name), 0U) << name;
  }
}

// The omitted part is costly, and so is what comes after the load: neither is in what iperf3 counts.
TEST_F(HostNoiseOf, what_iperf3_does_not_count_is_known_apart) {
  const std::string workload = fmt::format("proc/{}/stat", kWorkload);
  HostNoise noise = begin();
  put_times(300, 5);
  put("proc/10/stat", stat_line(10, "loop", 110));
  put(workload, stat_line(kWorkload, "iperf3", 150));
  noise.count_begins();
  put_times(400, 5);
  put("proc/10/stat", stat_line(10, "loop", 160));
  put(workload, stat_line(kWorkload, "iperf3", 190));
  noise.count_ends(ReadAtEnd::load);
  put_times(450, 7);
  put("proc/10/stat", stat_line(10, "loop", 180));
  put(workload, stat_line(kWorkload, "iperf3", 200));
  const Counters counters = noise_of(noise);
  const auto figure = [&](std::string_view name) { return noise::figure(counters.deltas, name); };
  // Ticks of 10 ms. Steal is on two CPUs, and within busy.
  EXPECT_EQ(figure(noise::kUncountedBusy), (300U + 2 * 5 + 50 + 2 * 2) * 10'000'000);
  EXPECT_EQ(figure(noise::kUncountedSteal), (2 * 5U + 2 * 2) * 10'000'000);
  const std::uint64_t netperfd = figure(noise::kUncountedNetperfd).value_or(0);
  EXPECT_NEAR(static_cast<double>(figure(noise::kUncountedOthers).value_or(0) + netperfd), 1.2e9, 1)
      << "100 ticks of the loop before it and 20 after it, less netperfd's";
  EXPECT_EQ(figure(noise::kSteal), 2 * 7U * 10'000'000) << "of the whole run";
}

TEST_F(HostNoiseOf, a_run_that_iperf3_counts_as_a_whole_has_nothing_apart) {
  HostNoise noise = begin();
  const Counters counters = noise_of(noise);
  EXPECT_EQ(noise::figure(counters.deltas, noise::kUncountedBusy), std::nullopt);
}

// A second of a CPU that is never idle takes a second, however long iperf3 takes to begin and to end.
TEST_F(HostNoiseOf, what_a_client_takes_before_and_after_its_test_is_not_counted) {
  const std::string workload = fmt::format("proc/{}/stat", kWorkload);
  HostNoise noise = begin();
  CountedPart part(clock, noise, {.duration = std::chrono::seconds{1}});
  part.load_begun();
  EXPECT_THAT(clock.delays, IsEmpty());
  const auto takes = [&](int ticks) {
    put_times(ticks, 0);
    put(workload, stat_line(kWorkload, "iperf3", static_cast<std::uint64_t>(ticks)));
  };
  takes(2);
  part.test_begun();
  EXPECT_THAT(clock.delays, ElementsAre(std::chrono::seconds{1}));
  takes(102);
  clock.tick();
  takes(106);
  const Counters counters = noise_of(noise);
  const auto figure = [&](std::string_view name) { return noise::figure(counters.deltas, name); };
  EXPECT_EQ(figure(noise::kWindow), 1'060'000'000U);
  EXPECT_EQ(figure(noise::kUncountedWindow), 60'000'000U);
  EXPECT_EQ(figure(noise::kUncountedBusy), 60'000'000U);
  EXPECT_EQ(figure(noise::kUncountedOthers), 0U);
  EXPECT_EQ(figure(noise::kUncountedStart), 20'000'000U);
  EXPECT_EQ(figure(noise::kUncountedEnd), 40'000'000U);
}

TEST_F(HostNoiseOf, the_end_of_a_client_counts_if_nobody_knows_what_it_took) {
  HostNoise noise = begin();
  CountedPart part(clock, noise, {.duration = std::chrono::seconds{1}});
  put_times(2, 0);
  put(fmt::format("proc/{}/stat", kWorkload), stat_line(kWorkload, "iperf3", 2));
  part.test_begun();
  put_times(102, 0);
  clock.tick();
  put_times(106, 0);
  std::filesystem::remove_all(folder / fmt::format("proc/{}", kWorkload));
  const Counters counters = noise_of(noise);
  EXPECT_EQ(noise::figure(counters.deltas, noise::kUncountedBusy), 20'000'000U) << "its start";
  EXPECT_EQ(noise::figure(counters.deltas, noise::kUncountedEnd), std::nullopt);
  EXPECT_EQ(noise::figure(counters.deltas, noise::kUncountedOthers), 0U);
}

TEST_F(HostNoiseOf, a_run_that_ends_with_its_test_has_nothing_behind_it) {
  HostNoise noise = begin();
  CountedPart part(clock, noise, {.duration = std::chrono::seconds{1}});
  part.test_begun();
  part.stop();
  EXPECT_EQ(noise::figure(noise_of(noise).deltas, noise::kUncountedEnd), 0U);
}

TEST_F(HostNoiseOf, a_run_by_bytes_has_its_start_apart_alone) {
  HostNoise noise = begin();
  CountedPart part(clock, noise, {});
  part.test_begun();
  part.stop();
  const Counters counters = noise_of(noise);
  EXPECT_EQ(noise::figure(counters.deltas, noise::kUncountedStart), 0U);
  EXPECT_EQ(noise::figure(counters.deltas, noise::kUncountedEnd), std::nullopt);
}

TEST_F(HostNoiseOf, a_client_that_tells_its_begin_is_counted_from_there_on) {
  HostNoise noise = begin();
  CountedPart part(clock, noise, {.omit = std::chrono::seconds{2}, .duration = std::chrono::seconds{1}});
  part.load_begun();
  part.test_begun();
  EXPECT_THAT(clock.delays,
              ElementsAre(std::chrono::seconds{2}, std::chrono::seconds{3}, std::chrono::seconds{2}));
  part.stop();
  put_times(100, 0);
  clock.tick();
  EXPECT_EQ(noise::figure(noise_of(noise).deltas, noise::kUncountedBusy), std::nullopt)
      << "nothing is read after the end";
}

TEST_F(HostNoiseOf, the_time_of_a_workload_that_has_ended_is_no_time_of_others) {
  HostNoise noise = begin();
  std::filesystem::remove_all(folder / fmt::format("proc/{}", kWorkload));
  noise.count_begins();
  const Counters counters = noise_of(noise);
  EXPECT_EQ(noise::figure(counters.deltas, noise::kUncountedBusy), 0U);
  EXPECT_EQ(noise::figure(counters.deltas, noise::kUncountedOthers), std::nullopt) << "not known";
}

TEST_F(HostNoiseOf, a_host_that_does_not_tell_is_unknown_with_the_reason) {
  std::filesystem::remove(folder / "proc/pressure/memory");
  std::filesystem::remove_all(folder / "sys/fs/cgroup");
  HostNoise noise = begin();
  const Counters counters = noise_of(noise);
  for (const auto name : {noise::kMemoryStall, noise::kThrottled, noise::kHeat, noise::kOthersThere}) {
    EXPECT_EQ(noise::figure(counters.deltas, name), std::nullopt) << name;
    EXPECT_THAT(counters.unknown, Contains(StartsWith(fmt::format("noise: {}: not available here: ", name))));
  }
}

TEST_F(HostNoiseOf, a_proc_without_the_times_of_the_cpus_or_of_tasks_leaves_no_unknown_time) {
  std::filesystem::remove(folder / "proc/stat");
  HostNoise noise = begin();
  const Counters counters = noise_of(noise);
  EXPECT_EQ(noise::figure(counters.deltas, noise::kBusy), std::nullopt);
  EXPECT_THAT(counters.unknown, Contains(StartsWith("noise: unknown: not available here: ")));
}

TEST_F(HostNoiseOf, throttling_by_heat_counts_cores_and_the_worst_package) {
  const auto put_counts = [&](int core, int package) {
    for (const int cpu : {0, 1}) {
      const std::string where = fmt::format("sys/devices/system/cpu/cpu{}/thermal_throttle/", cpu);
      put(where + "core_throttle_count", fmt::format("{}\n", core));
      put(where + "package_throttle_count", fmt::format("{}\n", package));
    }
  };
  put_counts(1, 1);
  HostNoise noise = begin();
  put_counts(3, 2);
  EXPECT_EQ(noise::figure(noise_of(noise).deltas, noise::kHeat), 2U * 2 + 1);
}

TEST_F(HostNoiseOf, a_process_that_cannot_be_read_is_left_out) {
  put("proc/12/stat", "12 (garbage");
  std::filesystem::create_directories(folder / "proc/13");
  HostNoise noise = begin();
  EXPECT_EQ(noise::figure(noise_of(noise).deltas, noise::kTasks), 0U);
}

TEST_F(HostNoiseOf, version_1_of_cgroups_has_a_hierarchy_for_the_cpu) {
  const CgroupLimits limits{"9:cpu,cpuacct:/lab\n8:memory:/lab\n0::/\n", roots.sys + "/fs/cgroup"};
  EXPECT_THAT(limits.throttled_ns(), testing::IsEmpty());
  put("sys/fs/cgroup/cpu,cpuacct/lab/cpu.stat", "nr_throttled 1\nthrottled_time 9\n");
  const CgroupLimits there{"9:cpu,cpuacct:/lab\n0::/\n", roots.sys + "/fs/cgroup"};
  EXPECT_THAT(there.throttled_ns(), testing::ElementsAre(9U));
}

TEST(TaskTimes, of_this_machine_have_this_process_and_stop_at_the_limit) {
  const auto times = read_task_times("/proc");
  ASSERT_TRUE(times);
  EXPECT_TRUE(times->contains(::getpid()));
  EXPECT_FALSE(read_task_times("/proc", 1));
  EXPECT_FALSE(read_task_times("/nowhere"));
}

// docs/noise.md has the figures that this prints.
TEST(NoiseCost, of_a_reading_is_printed) {
  // CPU time, so that a busy machine shows the same.
  const auto time_of = [](const auto& what) {
    const auto now = [] {
      timespec time{};
      ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
      return 1e6 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e3;
    };
    const double begin = now();
    what();
    return now() - begin;
  };
  std::size_t processes = 0;
  const double tasks = time_of([&] { processes = read_task_times("/proc").value_or(TaskTimes{}).size(); });
  const double irqs = time_of([] { (void)read_irq_places("/proc"); });
  const double all = time_of([] {
    ManualClock clock;
    HostNoise noise(clock, "/proc", "/sys", {::getpid()});
  });
  fmt::print("processes {}: {:.0f} us, {:.1f} us each; interrupts: {:.0f} us; all of a reading: {:.0f} us\n",
             processes, tasks, tasks / static_cast<double>(processes), irqs, all);
  EXPECT_GT(processes, 0U);
}

}  // namespace
}  // namespace netperfd::counters
