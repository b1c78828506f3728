// SPDX-License-Identifier: GPL-2.0-or-later
// Reading stored runs for a comparison.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include "tests/unit/store/store_fixture.hpp"
#include "tests/unit/store/stored_runs.hpp"

namespace netperfd::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class ComparisonQueries : public StoreTest {
 protected:
  void SetUp() override { open(); }

  std::vector<RunId> selected(const core::RunFilter& filter, const std::vector<core::RunRange>& ranges = {},
                              std::uint32_t most = 100) {
    std::vector<RunId> ids;
    for (const core::SelectedRun& run : must(store->selected_runs(filter, ranges, most)))
      ids.push_back(run.id);
    return ids;
  }
  // A run whose record is modified by `change` before it is stored.
  template <class Change>
  RunId stored(Change change) {
    const RunId id = run_under_way(a_job());
    RunRecord record = a_record(id);
    change(record);
    must(store->finish(record));
    return id;
  }
  analysis::ComparedRun compared(RunId id) {
    return must(store->compared_runs({id}, core::ComparedParts::all)).at(0);
  }
};

core::RunFilter finished() {
  core::RunFilter filter;
  filter.state = RunState::finished;
  return filter;
}

TEST_F(ComparisonQueries, select_finished_runs_newest_first_with_their_names) {
  const RunId first = store_job(a_job("veth-tcp", "before"));
  store_job(a_job("veth-tcp", "before"), RunState::failed);
  const RunId third = store_job(a_job("hsr-ring", "after"));
  EXPECT_THAT(selected(finished()), ElementsAre(third, first));
  const auto runs = must(store->selected_runs(finished(), {}, 1));
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].scenario, "hsr-ring");
  EXPECT_EQ(runs[0].label, "after");
  EXPECT_EQ(runs[0].started, a_record(third).started);
}

TEST_F(ComparisonQueries, select_by_every_term_with_and_without_ranges) {
  const RunId a = store_job(a_job("veth-tcp", "before"), RunState::finished, kMorning);
  const RunId b = store_job(a_job("veth-tcp", "after"), RunState::finished, kMorning + std::chrono::hours{1});
  const RunId c = store_job(a_job("hsr-ring", "after"), RunState::finished, kMorning + std::chrono::hours{2});
  for (const std::vector<core::RunRange>& ranges :
       {std::vector<core::RunRange>{}, std::vector<core::RunRange>{{a, c}},
        std::vector<core::RunRange>{{a, b}, {c, c}}}) {
    core::RunFilter filter = finished();
    filter.label = "after";
    EXPECT_THAT(selected(filter, ranges), ElementsAre(c, b));
    filter.scenario = "veth-tcp";
    EXPECT_THAT(selected(filter, ranges), ElementsAre(b));
    filter = finished();
    filter.since = kMorning + std::chrono::hours{1};
    EXPECT_THAT(selected(filter, ranges), ElementsAre(c, b));
    filter.until = kMorning + std::chrono::hours{2};
    EXPECT_THAT(selected(filter, ranges), ElementsAre(b));
    filter = finished();
    filter.job = must(store->run(a)).job;
    EXPECT_THAT(selected(filter, ranges), ElementsAre(a));
    EXPECT_THAT(selected(finished(), ranges, 2), ElementsAre(c, b)) << "the newest";
  }
  EXPECT_THAT(selected(finished(), {{a, a}, {c, 9'000'000'000'000}}), ElementsAre(c, a));
  EXPECT_THAT(selected(finished(), {{c + 1, c + 9}}), IsEmpty());
}

TEST_F(ComparisonQueries, select_out_of_thousands_of_ranges) {
  const RunId run = store_job(a_job());
  std::vector<core::RunRange> ranges{{run, run}};
  for (RunId id = 100; id < 4'000; id += 2) ranges.push_back({id, id});
  EXPECT_THAT(selected(finished(), ranges), ElementsAre(run));
}

TEST_F(ComparisonQueries, know_the_names_of_jobs_each_once) {
  EXPECT_THAT(must(store->run_names()).labels, IsEmpty());
  store_job(a_job("veth-tcp", "before"));
  store_job(a_job("veth-tcp", "before"));
  store_job(a_job("hsr-ring", ""));
  store_job(a_job("hsr-ring", "after"));
  const core::RunNames names = must(store->run_names());
  EXPECT_THAT(names.scenarios, ElementsAre("hsr-ring", "veth-tcp"));
  EXPECT_THAT(names.labels, ElementsAre("after", "before"));
}

// The design's plain run was sampled by "cycles", so the busy time tells what a sample stands for.
TEST_F(ComparisonQueries, samples_of_plain_runs_count_to_the_functions_that_the_other_runs_trace) {
  const RunId plain = stored([](RunRecord& record) {
    record.samples = the_samples();
    record.counters.emplace().deltas = {
        {.source = "cpu", .netns = {}, .name = "busy", .delta = 8'361'000'000, .unit = "ns"}};
  });
  const RunId traced = stored([](RunRecord& record) {
    record.samples = the_samples();
    record.trace = a_trace();
    FunctionStats called;
    called.name = "tcp_ack";
    called.hits = 1;
    called.total_ns = called.self_ns = 100;
    record.trace->profile.emplace().functions = {called};
  });
  const auto runs = must(store->compared_runs({plain, traced}, core::ComparedParts::all));
  EXPECT_FALSE(runs[1].samples);
  ASSERT_TRUE(runs[0].samples);
  const analysis::ComparedSamples& samples = *runs[0].samples;
  EXPECT_EQ(samples.busy, 2'776U);
  EXPECT_NEAR(samples.ns_per_sample, 8'361'000'000.0 / 3'987, 1e-6);
  EXPECT_TRUE(samples.sees_interrupts_off);
  std::vector<std::string> functions;
  for (const auto& cost : samples.functions)
    functions.push_back(
        fmt::format("{} [{}] #{} {} {}", cost.name, cost.module, cost.duplicate, cost.samples, cost.below));
  EXPECT_THAT(functions,
              UnorderedElementsAre("tcp_ack [] #0 2756 ", "xmit [hsr] #2 300 tcp_ack", "[user] [] #0 20 "));
}

TEST_F(ComparisonQueries, a_plain_run_has_its_rate_goodput_packets_and_flags) {
  RunRecord kept;
  const RunId id = stored([&](RunRecord& record) {
    record.traffic = some_traffic();
    record.flags = {{"sums-disagree", "..."}, {"odd-intervals", "..."}};
    kept = record;
  });
  const analysis::ComparedRun run = compared(id);
  EXPECT_EQ(run.id, id);
  EXPECT_EQ(run.started, kept.started);
  EXPECT_EQ(run.congestion, kept.workload.report.congestion);
  double received = 0;
  for (const Totals& sum : kept.workload.report.sums) received += sum.received_bits_per_second.value();
  EXPECT_DOUBLE_EQ(run.received_bits_per_second.value_or(0), received);
  EXPECT_EQ(run.goodput_bytes, kept.traffic.goodput_bytes);
  EXPECT_EQ(run.packets, kept.traffic.packets->packets);
  EXPECT_THAT(run.flags, ElementsAre("sums-disagree", "odd-intervals"));
  EXPECT_FALSE(run.trace);
}

TEST_F(ComparisonQueries, a_rate_of_which_a_direction_is_unknown_is_unknown) {
  const RunId id = stored([](RunRecord& record) {
    Totals unknown;
    unknown.direction = Direction::receive;
    record.workload.report.sums.push_back(unknown);
  });
  EXPECT_FALSE(compared(id).received_bits_per_second);
  const RunId without = stored([](RunRecord& record) {
    record.workload.report.sums.clear();
    record.traffic = {};
  });
  const analysis::ComparedRun run = compared(without);
  EXPECT_FALSE(run.received_bits_per_second);
  EXPECT_FALSE(run.goodput_bytes);
  EXPECT_FALSE(run.packets);
}

TEST_F(ComparisonQueries, a_traced_run_has_its_functions_and_what_is_wrong_with_its_trace) {
  const FunctionProfile profile = a_profile();
  const RunId id = stored([&](RunRecord& record) {
    record.trace = a_trace();
    record.trace->functions = 73;
    record.trace->broken = "the module was unloaded";
    record.trace->profile = profile;
  });
  const auto trace = compared(id).trace;
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->functions.size(), profile.functions.size());
  std::uint64_t calls = 0;
  for (std::size_t i = 0; i < profile.functions.size(); ++i) {
    const FunctionStats& expected = profile.functions[i];
    const analysis::ComparedFunction& found = trace->functions[i];
    EXPECT_EQ(found.name, expected.name);
    EXPECT_EQ(found.module, expected.module);
    EXPECT_EQ(found.duplicate, expected.duplicate);
    EXPECT_EQ(found.hits, expected.hits);
    EXPECT_EQ(found.self_ns, expected.self_ns);
    EXPECT_EQ(found.traced_within, expected.callees + expected.interruptions);
    calls += expected.hits;
  }
  EXPECT_EQ(trace->calls, calls);
  EXPECT_EQ(trace->traced_functions, 73U);
  EXPECT_EQ(trace->broken, "the module was unloaded");
  std::uint64_t lost = 0;
  for (const TraceCpu& cpu : a_trace().cpus) lost += lost_of(cpu);
  EXPECT_EQ(trace->lost, lost);
  EXPECT_EQ(trace->unmatched_calls, profile.damage.unmatched_exits + profile.damage.unmatched_entries);
  EXPECT_EQ(trace->depth_overruns, profile.damage.depth_overruns);
  EXPECT_EQ(trace->clipped, profile.damage.clipped);
  EXPECT_EQ(trace->timed, profile.timed);
  ASSERT_EQ(trace->cost.has_value(), profile.calibration.has_value());
  if (profile.calibration) {
    EXPECT_EQ(trace->cost->entry_ns, profile.calibration->entry_ns);
    EXPECT_EQ(trace->cost->callee_ns, profile.calibration->callee_ns);
    EXPECT_EQ(trace->cost->entry_error_ns, profile.calibration->entry_error_ns);
    EXPECT_EQ(trace->cost->callee_error_ns, profile.calibration->callee_error_ns);
  }
  EXPECT_EQ(trace->off_cpu_known, profile.off_cpu_known);
  EXPECT_EQ(trace->depth, profile.depth);
}

// Unknown is not 0.
TEST_F(ComparisonQueries, a_trace_without_self_times_is_not_compared_by_them) {
  const auto trace_of = [&](const FunctionProfile& profile) {
    return compared(stored([&](RunRecord& record) {
             record.trace = a_trace();
             record.trace->profile = profile;
           }))
        .trace.value();
  };
  FunctionProfile profile = a_profile();
  profile.functions[1].total_ns.reset();
  profile.functions[1].self_ns.reset();
  profile.functions[1].corrected_self_ns.reset();
  const auto without_one = trace_of(profile);
  EXPECT_TRUE(without_one.timed);
  EXPECT_EQ(without_one.functions.size(), profile.functions.size() - 1);
  for (FunctionStats& function : profile.functions) function.self_ns.reset();
  EXPECT_FALSE(trace_of(profile).timed) << "as with tracing_thresh";
}

TEST_F(ComparisonQueries, a_run_whose_trace_was_skipped_is_a_plain_one) {
  const RunId id = stored([](RunRecord& record) {
    record.trace.emplace();
    record.trace->skipped = "the kernel is locked down";
  });
  EXPECT_FALSE(compared(id).trace);
}

TEST_F(ComparisonQueries, a_run_has_its_environment_which_runs_may_share) {
  const Fingerprint environment{
      "a-boot", {{"kernel", "release", "6.18"}, {"nic", "veth0 mtu", "1500"}}, {"nic: hidden"}};
  const auto in_it = [&](RunRecord& record) { record.fingerprint = environment; };
  const RunId first = stored(in_it);
  const RunId second = stored(in_it);
  for (const analysis::ComparedRun& run :
       must(store->compared_runs({first, second}, core::ComparedParts::all))) {
    ASSERT_TRUE(run.fingerprint);
    EXPECT_EQ(*run.fingerprint, environment);
  }
  EXPECT_FALSE(compared(stored([](RunRecord& record) { record.fingerprint.reset(); })).fingerprint);
}

TEST_F(ComparisonQueries, a_run_has_its_counters_and_what_they_say_of_the_cpus) {
  const std::vector<CounterDelta> deltas{
      {"cpu", "", "busy", 1'200, "ns"},    {"cpu", "", "cpu0 busy", 300, "ns"},
      {"cpu", "", "cpu0 idle", 700, "ns"}, {"cpu", "", "cpu1 busy", 900, "ns"},
      {"cpu", "", "cpu1 idle", 100, "ns"}, {"cpu", "", "idle", 800, "ns"},
      {"snmp", "a", "TcpOutSegs", 70, ""}};
  const analysis::ComparedRun run = compared(stored([&](RunRecord& record) {
    record.counters.emplace();
    record.counters->deltas = deltas;
  }));
  EXPECT_EQ(run.counters, deltas);
  EXPECT_EQ(run.busy_ns, 1'200U);
  EXPECT_DOUBLE_EQ(run.busiest_cpu.value_or(0), 0.9);
  const analysis::ComparedRun without = compared(stored([](RunRecord& record) { record.counters.reset(); }));
  EXPECT_THAT(without.counters, IsEmpty());
  EXPECT_FALSE(without.busy_ns);
  EXPECT_FALSE(without.busiest_cpu);
}

TEST_F(ComparisonQueries, a_run_has_the_busier_of_its_processes) {
  const auto busiest = [&](std::chrono::microseconds client, std::optional<double> server_percent,
                           std::size_t streams) {
    return compared(stored([&](RunRecord& record) {
             record.ended = *record.started + std::chrono::seconds{10};
             record.workload.client_usage = ResourceUsage{.user = client / 2, .system = client / 2};
             record.workload.report.cpu_server_percent = server_percent;
             record.workload.report.streams.resize(streams);
           }))
        .busiest_process.value_or(0);
  };
  EXPECT_DOUBLE_EQ(busiest(std::chrono::seconds{9}, 41.5, 1), 0.9);
  EXPECT_DOUBLE_EQ(busiest(std::chrono::seconds{9}, 98, 1), 0.98);
  EXPECT_DOUBLE_EQ(busiest(std::chrono::seconds{9}, std::nullopt, 0), 0.9);
  EXPECT_DOUBLE_EQ(busiest(std::chrono::seconds{12}, std::nullopt, 4), 0.3) << "of four threads";
  EXPECT_FALSE(compared(stored([](RunRecord& record) {
                 record.workload.client_usage.reset();
                 record.workload.report.cpu_server_percent.reset();
               })).busiest_process);
}

TEST_F(ComparisonQueries, a_run_with_probes_is_as_busy_as_it_was_under_load) {
  const auto run = [&](bool with_idle, std::uint64_t busy_ns) {
    return compared(stored([&](RunRecord& record) {
      record.counters.emplace();
      record.counters->deltas = {{"cpu", "", "cpu0 busy", busy_ns, "ns"},
                                 {"cpu", "", "cpu0 idle", 1'000 - busy_ns, "ns"}};
      record.ended = *record.started + std::chrono::seconds{10};
      record.workload.client_usage = ResourceUsage{.user = std::chrono::seconds{4}, .system = {}};
      record.workload.report.cpu_server_percent.reset();
      record.workload.report.streams.resize(1);
      LatencyReport& latency = record.workload.latency.emplace();
      latency.probes = {
          {.name = "udp", .protocol = "udp", .rate = 100, .length = 64, .dscp = {}, .timestamps = ""}};
      const auto phase = [&](const char* name, double start, double end) {
        rows::LatencyPhase& added = latency.phases.emplace_back();
        added.probe = "udp";
        added.phase = name;
        added.start_s = start;
        added.end_s = end;
      };
      if (!with_idle) return phase("idle", 0, 10);
      phase("idle", 0, 2.5);
      phase("omitted", 2.5, 3);
      phase("load", 3, 7.5);
      phase("after", 7.5, 10);
    }));
  };
  EXPECT_DOUBLE_EQ(run(true, 450).busiest_cpu.value_or(0), 0.9) << "5 s of 10 s";
  EXPECT_DOUBLE_EQ(run(true, 450).busiest_process.value_or(0), 0.8);
  EXPECT_DOUBLE_EQ(run(true, 700).busiest_cpu.value_or(0), 1);
  EXPECT_DOUBLE_EQ(run(false, 450).busiest_cpu.value_or(0), 0.45) << "without load";
}

TEST_F(ComparisonQueries, a_server_elsewhere_keeps_no_cpu_of_this_host_busy) {
  JobSpec spec = a_job();
  spec.test.path.local.reset();
  const RunId id = run_under_way(spec);
  RunRecord record = a_record(id);
  record.workload.client_usage.reset();
  record.workload.report.cpu_server_percent = 99;
  must(store->finish(record));
  EXPECT_FALSE(compared(id).busiest_process);
}

TEST_F(ComparisonQueries, many_runs_come_in_the_order_asked_and_a_missing_one_is_an_error) {
  const RunId first = store_job(a_job());
  const RunId second = store_job(a_job());
  const auto runs = must(store->compared_runs({second, first}, core::ComparedParts::all));
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].id, second);
  EXPECT_EQ(runs[1].id, first);
  const auto missing = store->compared_runs({first, 999}, core::ComparedParts::all);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace netperfd::store
