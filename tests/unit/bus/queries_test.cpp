// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>

#include <set>

#include "daemon/bus/rows/row_maker.hpp"
#include "daemon/bus/rows/wire.hpp"
#include "tests/unit/bus/bus_test.hpp"

namespace netperfd::bus {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using RunAnswer = Answered<dbus::Row, dbus::Rows, dbus::Rows>;
using PageAnswer = Answered<dbus::Rows, std::string>;

class Queries : public ClientTest {
 protected:
  RunAnswer get_run(std::uint64_t id) {
    return client->call<dbus::Row, dbus::Rows, dbus::Rows>("GetRun", id);
  }
  PageAnswer list_runs(const dbus::Row& filter, const std::string& cursor = "", std::uint32_t limit = 0) {
    return client->call<dbus::Rows, std::string>("ListRuns", filter, cursor, limit);
  }
};

// Every text has its maximum length and every figure is known. The bus closes connections that send larger
// messages.
core::RunRow largest_run(RunId id) {
  const std::string text(1'100, 'x');
  core::RunRow run = a_run(id);
  run.spec.name = run.spec.label = run.error = run.iperf3_version = run.congestion = text;
  run.spec.test.path.server = run.spec.test.path.netns = text;
  run.spec.test.path.local = LocalServer{.netns = text, .bind = text};
  run.spec.test.traffic.bytes = 1;
  run.started = run.ended = run.created;
  run.client = run.server = Endpoint{.host = text, .port = 1};
  run.mss_bytes = 1;
  run.cpu_client_percent = run.cpu_server_percent = 1;
  run.client_usage = ResourceUsage{};
  run.documents = {text, text, text, text};
  run.trace = core::TraceTotals{.events = 1, .lost = 1, .skipped = "", .broken = text};
  Totals sum;
  sum.stream = 1;
  sum.seconds = sum.sent_bits_per_second = sum.received_bits_per_second = sum.jitter_ms = sum.lost_percent =
      1;
  sum.sent_bytes = sum.received_bytes = sum.retransmits = sum.max_snd_cwnd = sum.packets = sum.out_of_order =
      1;
  sum.min_rtt = sum.mean_rtt = sum.max_rtt = 1;
  sum.lost_packets = 1;
  run.sums = {sum, sum};
  return run;
}

Interval largest_interval(double start) {
  Interval interval;
  interval.direction = Direction::receive;
  interval.start_s = start;
  interval.stream = interval.lost_packets = 1;
  interval.bytes = interval.retransmits = interval.snd_cwnd = interval.rtt = interval.rttvar = interval.pmtu =
      1;
  interval.packets = 1;
  interval.bits_per_second = interval.jitter_ms = interval.lost_percent = 1;
  return interval;
}

TEST_F(Queries, five_hundred_largest_runs_come_each_once_in_messages_below_a_mebibyte) {
  for (RunId id = 500; id > 0; --id) queries.stored.push_back(largest_run(id));
  std::set<std::uint64_t> seen;
  std::size_t pages = 0;
  std::string cursor;
  do {
    const auto page = list_runs({}, cursor);
    ASSERT_EQ(page.error, "") << page.text;
    for (const dbus::Row& run : std::get<0>(page.values)) {
      EXPECT_TRUE(seen.insert(run.at("run").get<std::uint64_t>()).second);
    }
    cursor = std::get<1>(page.values);
    ++pages;
  } while (!cursor.empty());
  EXPECT_EQ(seen.size(), 500U);
  EXPECT_GT(pages, 1U);
}

TEST_F(Queries, the_largest_run_fits_into_a_message_with_the_true_count_of_its_flags) {
  queries.stored = {largest_run(41)};
  const std::string text(2'000, 'x');
  queries.stored.front().error.assign(100'000, 'x');
  queries.stored.front().flags.assign(5000, QualityFlag{.code = text, .message = text});
  const auto run = get_run(41);
  ASSERT_EQ(run.error, "") << run.text;
  EXPECT_EQ(std::get<0>(run.values).at("flags").get<std::uint32_t>(), 5000U);
  EXPECT_GT(std::get<2>(run.values).size(), 100U);
}

TEST_F(Queries, two_thousand_fullest_intervals_come_each_once_in_messages_below_a_mebibyte) {
  queries.stored = {a_run(41)};
  for (int i = 0; i < 2000; ++i) queries.stored_intervals.push_back(largest_interval(i));
  std::set<double> seen;
  std::string cursor;
  do {
    const auto page =
        client->call<dbus::Rows, std::string>("ListIntervals", std::uint64_t{41}, cursor, std::uint32_t{0});
    ASSERT_EQ(page.error, "") << page.text;
    for (const dbus::Row& row : std::get<0>(page.values))
      EXPECT_TRUE(seen.insert(row.at("start_s").get<double>()).second);
    cursor = std::get<1>(page.values);
  } while (!cursor.empty());
  EXPECT_EQ(seen.size(), 2000U);
}

TEST_F(Queries, streams_of_the_largest_test_fit_into_a_message) {
  queries.stored = {a_run(41)};
  queries.stored_streams.assign(256, largest_run(1).sums.front());  // 128 streams in both directions
  const auto streams = client->call<dbus::Rows>("ListStreams", std::uint64_t{41});
  ASSERT_EQ(streams.error, "") << streams.text;
  EXPECT_EQ(std::get<0>(streams.values).size(), 256U);
}

TEST_F(Queries, too_many_scenarios_for_a_message_are_an_error_and_never_cut_silently) {
  scenarios.rows.assign(
      1000,
      {.name = std::string(1024, 'x'), .description = std::string(1024, 'x'), .file = "f", .error = ""});
  EXPECT_EQ(client->call<dbus::Rows>("ListScenarios").error, dbus::error::kUnsupported);
}

TEST_F(Queries, scenarios_come_with_their_error_only_where_there_is_one) {
  scenarios.rows = {{.name = "a", .description = "d", .file = "/a.yaml", .error = ""},
                    {.name = "b", .description = "", .file = "/b.yaml", .error = "b.yaml:1:1: wrong"}};
  const auto listed = client->call<dbus::Rows>("ListScenarios");
  const auto& rows = std::get<0>(listed.values);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("file").get<std::string>(), "/a.yaml");
  EXPECT_FALSE(rows[0].contains("error"));
  EXPECT_EQ(rows[1].at("error").get<std::string>(), "b.yaml:1:1: wrong");
}

TEST_F(Queries, the_filter_reaches_the_store_and_pages_are_as_long_as_asked) {
  for (RunId id = 5; id > 0; --id) queries.stored.push_back(a_run(id));
  const dbus::Row filter{{"job", sdbus::Variant{std::uint64_t{1}}},
                         {"scenario", sdbus::Variant{std::string{"fake"}}},
                         {"label", sdbus::Variant{std::string{"before"}}},
                         {"state", sdbus::Variant{std::string{"finished"}}},
                         {"since", sdbus::Variant{std::uint64_t{1'000'000}}},
                         {"until", sdbus::Variant{std::uint64_t{2'000'000}}}};
  const auto page = list_runs(filter, "", 2);
  ASSERT_EQ(page.error, "") << page.text;
  EXPECT_EQ(std::get<0>(page.values).size(), 2U);
  EXPECT_EQ(std::get<1>(page.values), "2");
  EXPECT_EQ(queries.last_filter.job, 1);
  EXPECT_EQ(queries.last_filter.scenario, "fake");
  EXPECT_EQ(queries.last_filter.label, "before");
  EXPECT_EQ(queries.last_filter.state, RunState::finished);
  EXPECT_EQ(queries.last_filter.since, WallTime{std::chrono::seconds{1}});
  EXPECT_EQ(queries.last_filter.until, WallTime{std::chrono::seconds{2}});
}

TEST_F(Queries, run_zero_is_the_newest_that_has_ended) {
  EXPECT_EQ(get_run(0).error, dbus::error::kNotFound);
  queries.stored = {a_run(44, 2, RunState::pending), a_run(43, 2, RunState::running),
                    a_run(42, 1, RunState::failed), a_run(41)};
  const auto run = get_run(0);
  ASSERT_EQ(run.error, "") << run.text;
  EXPECT_EQ(std::get<0>(run.values).at("run").get<std::uint64_t>(), 42U);
}

TEST_F(Queries, what_does_not_exist_is_not_found) {
  for (const std::uint64_t id : {std::uint64_t{99}, ~std::uint64_t{0}}) {
    EXPECT_EQ(get_run(id).error, dbus::error::kNotFound);
    EXPECT_EQ(client->call<dbus::Rows>("ListStreams", id).error, dbus::error::kNotFound);
    EXPECT_EQ(
        (client->call<dbus::Rows, std::string>("ListIntervals", id, std::string{}, std::uint32_t{0}).error),
        dbus::error::kNotFound);
    EXPECT_EQ((client->call<dbus::Row, dbus::Rows>("GetJob", id).error), dbus::error::kNotFound);
    EXPECT_EQ(client->call<sdbus::UnixFd>("OpenDocument", id, std::string{"client.stdout"}).error,
              dbus::error::kNotFound);
    EXPECT_EQ(client->call<>("DeleteRun", id).error, dbus::error::kNotFound);
  }
}

TEST_F(Queries, a_job_long_over_has_the_spread_of_its_finished_runs) {
  queries.stored = {a_run(43), a_run(42, 1, RunState::failed), a_run(41)};
  for (auto [run, rate] : {std::pair{0, 3e9}, std::pair{2, 1e9}}) {
    Totals sum;
    sum.received_bits_per_second = rate;
    queries.stored.at(static_cast<std::size_t>(run)).sums = {sum};
  }
  const auto job = client->call<dbus::Row, dbus::Rows>("GetJob", std::uint64_t{1});
  ASSERT_EQ(job.error, "") << job.text;
  const auto& row = std::get<0>(job.values);
  EXPECT_THAT(row.at("runs").get<std::vector<std::uint64_t>>(), ElementsAre(41, 42, 43));
  EXPECT_EQ(row.at("finished").get<std::uint32_t>(), 2U);
  EXPECT_EQ(row.at("failed").get<std::uint32_t>(), 1U);
  ASSERT_EQ(std::get<1>(job.values).size(), 1U);
  const auto& spread = std::get<1>(job.values).front();
  EXPECT_EQ(spread.at("median").get<double>(), 2e9);
  EXPECT_EQ(spread.at("runs").get<std::uint32_t>(), 2U);
  EXPECT_FALSE(spread.contains("cv_percent"));
}

TEST_F(Queries, a_run_and_a_listed_run_say_what_was_traced) {
  queries.stored = {a_run(41)};
  const auto keys = [&] {
    const dbus::Row run = std::get<0>(get_run(41).values);
    const dbus::Row listed = std::get<0>(list_runs({}).values).at(0);
    std::set<std::string> found;
    for (const auto& [key, value] : run) {
      if (!key.starts_with("trace_")) continue;
      found.insert(key);
      EXPECT_TRUE(listed.contains(key)) << key;
    }
    return found;
  };
  auto& trace = queries.stored.front().trace;
  EXPECT_THAT(keys(), IsEmpty()) << "no trace was asked for";
  trace = core::TraceTotals{.events = 5, .lost = 0, .skipped = "", .broken = ""};
  EXPECT_THAT(keys(), ElementsAre("trace_events", "trace_lost"));
  trace->broken = "module hsr was unloaded";
  EXPECT_THAT(keys(), ElementsAre("trace_broken", "trace_events", "trace_lost"));
  trace = core::TraceTotals{.events = 0, .lost = 0, .skipped = "locked down", .broken = ""};
  EXPECT_THAT(keys(), ElementsAre("trace_skipped"));
}

TEST_F(Queries, the_properties_are_those_of_the_settings) {
  const auto all = client->call_on<dbus::Row>(dbus::kManagerPath, "org.freedesktop.DBus.Properties", "GetAll",
                                              std::string{dbus::kManagerInterface});
  ASSERT_EQ(all.error, "") << all.text;
  const auto& properties = std::get<0>(all.values);
  EXPECT_EQ(properties.at("Version").get<std::string>(), "1.2.3");
  EXPECT_EQ(properties.at("Iperf3Version").get<std::string>(), "3.12");
  EXPECT_TRUE(properties.at("LiveIntervals").get<bool>());
}

TEST(WireRow, has_no_key_for_what_is_not_known) {
  const dbus::Row row = to_map(to_wire(Totals{}));
  EXPECT_EQ(row.size(), 1U);
  EXPECT_TRUE(row.contains("direction"));
  const dbus::Row run = to_map(run_row(a_run(41)));
  for (const char* key :
       {"error", "started_us", "ended_us", "bytes", "client_netns", "server_netns", "client_host", "mss",
        "congestion", "cpu_client_percent", "client_user_s", "iperf3_version"}) {
    EXPECT_FALSE(run.contains(key)) << key;
  }
}

TEST(WireRow, of_a_run_without_workload_has_no_key_of_iperf3) {
  core::RunRow run = a_run(41);
  EXPECT_EQ(to_map(run_row(run)).at("workload").get<std::string>(), "iperf3");
  run.spec = core::a_job_without_workload();
  const dbus::Row row = to_map(run_row(run));
  EXPECT_EQ(row.at("workload").get<std::string>(), "none");
  for (const char* key : {"protocol", "direction", "streams", "duration_s", "bytes", "omit_s", "server",
                          "client_netns", "server_netns", "iperf3_version", "client_host", "client_user_s"}) {
    EXPECT_FALSE(row.contains(key)) << key;
  }
}

}  // namespace
}  // namespace netperfd::bus
