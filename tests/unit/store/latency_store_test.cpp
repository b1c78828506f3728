// SPDX-License-Identifier: GPL-2.0-or-later
// Every figure of the latency in the column of its name; what is expected is written out by hand, as in
// golden_columns_test.cpp.
#include <gmock/gmock.h>

#include <string>
#include <utility>

#include "daemon/workload/job/traits.hpp"
#include "tests/unit/golden_latency.hpp"
#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

class LatencyStore : public StoreTest {
 protected:
  LatencyStore() { open(); }

  RunId finish(LatencyReport latency) {
    const RunId run = run_under_way(a_job());
    RunRecord record = a_record(run, 0, 0);
    record.workload.latency = std::move(latency);
    must(store->finish(record));
    return run;
  }
  std::string column(const std::string& name, const std::string& table) {
    return ask(path(), "SELECT " + name + " FROM " + table);
  }
};

TEST_F(LatencyStore, has_a_column_for_each_figure) {
  const RunId run = finish(golden_latency());
  const std::pair<const char*, const char*> probes[] = {
      {"name", "voice"}, {"protocol", "tcp"},      {"rate", "250.5"},      {"length", "901"},
      {"dscp", "46"},    {"timestamps", "kernel"}, {"clock_steps", "902"}, {"foreign_packets", "903"}};
  for (const auto& [name, value] : probes) EXPECT_EQ(column(name, "latency_probes"), value) << name;
  const std::pair<const char*, const char*> phases[] = {
      {"probe", "voice"},   {"phase", "load"},   {"start_s", "1.5"},    {"end_s", "2.25"},
      {"sent", "911"},      {"missed", "912"},   {"late_sends", "913"}, {"max_send_delay_ns", "914"},
      {"received", "915"},  {"lost", "916"},     {"late", "917"},       {"duplicates", "918"},
      {"reordered", "919"}, {"jitter_ns", "920"}};
  for (const auto& [name, value] : phases) EXPECT_EQ(column(name, "latency_phases"), value) << name;
  const std::pair<const char*, const char*> spans[] = {
      {"probe", "voice"}, {"phase", "load"},  {"span", "round-trip"}, {"count", "931"},
      {"min_ns", "932"},  {"mean_ns", "933"}, {"max_ns", "934"},      {"p50_ns", "935"},
      {"p90_ns", "936"},  {"p99_ns", "937"},  {"p999_ns", "938"},     {"histogram", "[[40,3],[300,928]]"}};
  for (const auto& [name, value] : spans) EXPECT_EQ(column(name, "latency_spans"), value) << name;
  const std::pair<const char*, const char*> intervals[] = {
      {"probe", "voice"}, {"phase", "load"}, {"start_s", "1.75"}, {"end_s", "2.125"},
      {"sent", "941"},    {"missed", "942"}, {"received", "943"}, {"lost", "944"},
      {"min_ns", "945"},  {"p50_ns", "946"}, {"p99_ns", "947"},   {"max_ns", "948"}};
  for (const auto& [name, value] : intervals) EXPECT_EQ(column(name, "latency_intervals"), value) << name;
  EXPECT_EQ(must(store->latency(run)), golden_latency());
}

TEST_F(LatencyStore, keeps_figures_that_are_not_known_apart_from_0) {
  LatencyReport report = golden_latency();
  report.probes[0].dscp.reset();
  report.phases[0].jitter_ns.reset();
  report.spans[0].figures.p99_ns.reset();
  report.intervals[0].min_ns.reset();
  const RunId run = finish(report);
  EXPECT_EQ(must(store->latency(run)), report);
}

TEST_F(LatencyStore, has_the_load_of_the_first_probe_in_the_row_of_its_run) {
  LatencyReport report = golden_latency();
  auto idle = report.phases[0];
  idle.phase = "idle";
  report.phases.insert(report.phases.begin(), idle);
  auto second = report.probes[0];
  second.name = "another";
  report.probes.push_back(second);
  const auto latency = must(store->run(finish(report))).latency;
  ASSERT_TRUE(latency);
  EXPECT_EQ(latency->phase, "load");
  EXPECT_EQ(latency->p50_ns, 935U);
  EXPECT_EQ(latency->p99_ns, 937U);
  EXPECT_NEAR(latency->lost_percent.value_or(0), 100.0 * 916 / 911, 1e-9);
  report.phases.pop_back();
  report.spans.clear();
  const auto idle_only = must(store->run(finish(report))).latency;
  ASSERT_TRUE(idle_only);
  EXPECT_EQ(idle_only->phase, "idle");
  EXPECT_FALSE(idle_only->p50_ns);
}

TEST_F(LatencyStore, says_that_a_run_had_no_probes) {
  const RunId run = run_under_way(a_job());
  must(store->finish(a_record(run, 0, 0)));
  const auto latency = store->latency(run);
  ASSERT_FALSE(latency);
  EXPECT_EQ(latency.error().kind, ErrorKind::not_found);
  EXPECT_THAT(latency.error().message, testing::HasSubstr("not measured"));
  EXPECT_FALSE(must(store->run(run)).latency);
}

TEST_F(LatencyStore, knows_where_latency_alone_was_measured) {
  JobSpec spec = a_job("probes");
  spec.workload = workload::traits_of("latency");
  spec.test = {};
  spec.test.path.netns = "left";
  spec.test.path.local = LocalServer{.netns = "right", .bind = "10.0.0.2"};
  spec.test.path.server = "10.0.0.2";
  spec.latency = LatencySpec{.duration = std::chrono::seconds{7}, .probes = {{.name = "udp"}}};
  const RunId run = run_under_way(spec);
  const core::RunRow row = must(store->run(run));
  EXPECT_EQ(row.spec.workload.name, "latency");
  EXPECT_EQ(row.spec.test.path.netns, "left");
  EXPECT_EQ(row.spec.test.path.server, "10.0.0.2");
  ASSERT_TRUE(row.spec.test.path.local);
  EXPECT_EQ(row.spec.test.path.local->netns, "right");
  EXPECT_EQ(row.spec.test.traffic.duration, std::chrono::seconds{7});
}

}  // namespace
}  // namespace netperfd::store
