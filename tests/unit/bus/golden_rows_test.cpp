// SPDX-License-Identifier: GPL-2.0-or-later
// Every figure under its key where the daemon fills a row by hand. The values are distinct and written out,
// so that a figure that is left out, or under another's key, is noticed.
#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <vector>

#include "daemon/bus/rows/row_maker.hpp"
#include "daemon/bus/rows/wire.hpp"
#include "daemon/bus/rows/wire_counters.hpp"
#include "daemon/bus/rows/wire_text.hpp"
#include "daemon/workload/job/traits.hpp"
#include "tests/unit/bus/row_values.hpp"

namespace netperfd::bus {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

WallTime at(std::int64_t us) {
  return WallTime{std::chrono::microseconds{us}};
}

core::RunRow a_run_with_everything() {
  core::RunRow run;
  run.id = 41;
  run.job = 7;
  run.index = 3;
  run.slot = {.block = 2, .letter = 4, .variant = 'B', .build = 2, .traced = true, .point = 3};
  run.variant = "hash";
  run.build = "hash-2";
  run.point_name = "streams=16";
  run.spec.name = "hsr-ring";
  run.spec.workload = workload::traits_of("iperf3");
  run.spec.label = "after";
  run.spec.repeat = 8;
  run.spec.purpose = JobPurpose::selftest;
  TestSpec& test = run.spec.test;
  test.path.server = "10.0.0.2";
  test.path.netns = "left";
  test.path.local.emplace();
  test.path.local->netns = "right";
  test.traffic.protocol = Protocol::udp;
  test.traffic.direction = Direction::both;
  test.traffic.streams = 5;
  test.traffic.duration = std::chrono::milliseconds{12'000};
  test.traffic.bytes = 6'000'000;
  test.traffic.omit = std::chrono::milliseconds{2'000};
  run.owner = 1000;
  run.state = RunState::failed;
  run.error = "it ended early";
  run.created = at(11);
  run.started = at(22);
  run.ended = at(33);
  run.iperf3_version = "3.18";
  run.client = Endpoint{.host = "10.0.0.1", .port = 40'000};
  run.server = Endpoint{.host = "10.0.0.9", .port = 5'201};
  run.mss_bytes = 1'448;
  run.congestion = "cubic";
  run.cpu_client_percent = 12.5;
  run.cpu_server_percent = 25.5;
  run.client_usage =
      ResourceUsage{.user = std::chrono::milliseconds{1'500}, .system = std::chrono::milliseconds{2'500}};
  Totals sum;
  sum.received_bits_per_second = 101.5;
  sum.sent_bits_per_second = 102.5;
  sum.retransmits = 103;
  sum.lost_percent = 104.5;
  run.sums = {sum};
  run.flags = {{"too-short", "short"}, {"from-bundle", "long"}};
  run.documents = {"client.stdout"};
  run.note = "cable replaced";
  run.trace = core::TraceTotals{
      .events = 105, .lost = 106, .skipped = "", .broken = "hsr was unloaded", .tracer_share = 0.125};
  return run;
}

const std::vector<std::string> kRunInAList = {
    "block 2",
    "build hash-2",
    "bytes 6000000",
    "client_host 10.0.0.1",
    "client_netns left",
    "client_port 40000",
    "client_system_s 2.5",
    "client_user_s 1.5",
    "congestion cubic",
    "cpu_client_percent 12.5",
    "cpu_server_percent 25.5",
    "created_us 11",
    "direction both",
    R"(documents ["client.stdout"])",
    "duration_s 12",
    "ended_us 33",
    "error it ended early",
    "flags 2",
    "from_bundle true",
    "index 3",
    "iperf3_version 3.18",
    "job 7",
    "label after",
    "letter 4",
    "lost_percent 104.5",
    "mss 1448",
    "note cable replaced",
    "omit_s 2",
    "owner 1000",
    "point 3",
    "point_name streams=16",
    "protocol udp",
    "purpose selftest",
    "received_bits_per_second 101.5",
    "repeat 8",
    "retransmits 103",
    "run 41",
    "scenario hsr-ring",
    "sent_bits_per_second 102.5",
    "server 10.0.0.2",
    "server_host 10.0.0.9",
    "server_netns right",
    "server_port 5201",
    "side B",
    "started_us 22",
    "state failed",
    "streams 5",
    "trace_broken hsr was unloaded",
    "trace_events 105",
    "trace_lost 106",
    "tracer_share 0.125",
    "traced true",
    "variant hash",
    "workload iperf3",
};

TEST(GoldenRows, of_a_run_in_a_list) {
  EXPECT_THAT(shown(listed_run_row(a_run_with_everything())),
              testing::UnorderedElementsAreArray(kRunInAList));
}

TEST(GoldenRows, of_a_run_in_a_list_have_a_short_error) {
  core::RunRow run = a_run_with_everything();
  run.error = std::string(20'000, 'x');
  EXPECT_LE(text_at(listed_run_row(run), "error").size(), kShortTextBytes);
  EXPECT_GT(text_at(run_row(run), "error").size(), kShortTextBytes);
}

TEST(GoldenRows, of_a_run_alone_leave_its_sums_to_their_own_rows) {
  std::vector<std::string> expected = kRunInAList;
  std::erase_if(expected, [](const std::string& line) {
    return line.starts_with("received_") || line.starts_with("sent_") || line.starts_with("retransmits") ||
           line.starts_with("lost_percent");
  });
  EXPECT_THAT(shown(run_row(a_run_with_everything())), testing::UnorderedElementsAreArray(expected));
}

TEST(GoldenRows, of_a_job) {
  std::vector<core::RunRow> runs(7, a_run_with_everything());
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].id = static_cast<RunId>(50 + i);
  runs[0].state = RunState::finished;
  runs[1].state = RunState::interrupted;
  runs[2].state = runs[3].state = RunState::canceled;
  runs[1].started = at(9);
  runs[2].ended = at(44);
  runs[0].spec.confirms = 6;
  runs[0].flags = {{"from-bundle", "from lab7; it was run 5 there"}};
  Design& design = runs[0].spec.design.emplace();
  design.a = Variant{.name = "list", .apply = {}, .verify = {}, .builds = {}};
  design.b = Variant{.name = "hash", .apply = {}, .verify = {}, .builds = {}};
  design.changed = {"module:hsr"};
  design.seed = 99;
  EXPECT_THAT(
      shown(job_row(summary_of(runs))),
      UnorderedElementsAre("canceled 2", R"(changed ["module:hsr"])", "confirms 6", "created_us 11",
                           "ended_us 44", "failed 3", "finished 1", "interrupted 1", "job 7", "label after",
                           "origin from lab7", "owner 1000", "points 3", "purpose selftest", "repeat 8",
                           "runs [50, 51, 52, 53, 54, 55, 56]", "scenario hsr-ring", "seed 99",
                           "started_us 9", "state failed", "variant_a list", "variant_b hash"));
}

TEST(GoldenRows, of_a_job_tell_what_its_runs_came_to) {
  const auto state_of = [](const std::vector<RunState>& states) {
    core::JobRow job;
    for (const RunState state : states)
      job.runs.push_back({.id = 1, .state = state, .started = at(1), .ended = at(2)});
    const dbus::Row row = to_map(job_row(job));
    EXPECT_EQ(row.contains("ended_us"), text_at(row, "state") != "live") << "its end is not yet known";
    return text_at(row, "state");
  };
  using enum RunState;
  EXPECT_EQ(state_of({finished, finished}), "finished");
  EXPECT_EQ(state_of({finished, canceled}), "canceled");
  EXPECT_EQ(state_of({finished, canceled, failed}), "failed");
  EXPECT_EQ(state_of({interrupted}), "failed");
  for (const RunState open : {pending, preparing, running, collecting}) {
    EXPECT_EQ(state_of({failed, open}), "live");
  }
}

TEST(GoldenRows, of_a_job_that_was_decided_early_tell_of_no_cancellation) {
  std::vector<core::RunRow> runs(5, a_run_with_everything());
  for (core::RunRow& run : runs) run.state = RunState::finished;
  for (const std::size_t i : {3U, 4U}) {
    runs[i].state = RunState::canceled;
    runs[i].error = "not needed: decided after 12 blocks";
  }
  const dbus::Row decided = to_map(job_row(summary_of(runs)));
  EXPECT_EQ(text_at(decided, "state"), "finished");
  EXPECT_THAT(shown(job_row(summary_of(runs))),
              testing::IsSupersetOf({"finished 3", "canceled 0", "not_needed 2"}));
  runs[4].error = "stopped by uid 1000";
  EXPECT_THAT(shown(job_row(summary_of(runs))),
              testing::IsSupersetOf({"finished 3", "canceled 1", "not_needed 1", "state canceled"}));
}

TEST(GoldenRows, of_a_spread_and_of_a_scenario) {
  EXPECT_THAT(shown(spread_row({.direction = Direction::receive,
                                .runs = 5,
                                .median = 2.5,
                                .lowest = 1.5,
                                .highest = 3.5,
                                .cv_percent = 4.5})),
              UnorderedElementsAre("cv_percent 4.5", "direction receive", "highest 3.5", "lowest 1.5",
                                   "median 2.5", "runs 5"));
  EXPECT_THAT(shown(to_wire(rows::IntervalPoint{.direction = Direction::receive,
                                                .sender = false,
                                                .omitted = true,
                                                .start_s = 1.5,
                                                .end_s = 2.5,
                                                .seconds = 3.5,
                                                .longest_s = 4.5,
                                                .intervals = 5,
                                                .bytes = 6,
                                                .retransmits = 7,
                                                .bits_per_second = 8.5,
                                                .lowest_bits_per_second = 9.5,
                                                .highest_bits_per_second = 10.5})),
              UnorderedElementsAre("bits_per_second 8.5", "bytes 6", "direction receive", "end_s 2.5",
                                   "highest_bits_per_second 10.5", "intervals 5", "longest_s 4.5",
                                   "lowest_bits_per_second 9.5", "omitted true", "retransmits 7",
                                   "seconds 3.5", "sender false", "start_s 1.5"));
  EXPECT_THAT(shown(scenario_row(
                  {.name = "hsr", .description = "a ring", .file = "/etc/hsr.yaml", .error = "wrong"})),
              UnorderedElementsAre("description a ring", "error wrong", "file /etc/hsr.yaml", "name hsr"));
}

TEST(GoldenRows, of_a_design_reach_the_clients_view_of_a_job) {
  const auto value = [](auto of) { return sdbus::Variant{of}; };
  const dbus::Row design{{"blocks", value(std::uint32_t{1})},
                         {"variant_a", value(std::string{"list"})},
                         {"variant_b", value(std::string{"hash"})},
                         {"plain", value(true)},
                         {"seed", value(std::uint64_t{2})},
                         {"changed", value(std::vector<std::string>{"nic"})},
                         {"block", value(std::vector<std::uint32_t>{3})},
                         {"letter", value(std::vector<std::uint32_t>{4})},
                         {"variant", value(std::vector<std::string>{"list"})},
                         {"traced", value(std::vector<bool>{false})}};
  netperfctl::LiveJobView job;
  netperfctl::apply_properties(job, dbus::Row{{"Id", value(std::uint64_t{9})}, {"Design", value(design)}});
  EXPECT_EQ(job.job, 9U);
  EXPECT_EQ(job.blocks, 1U);
  EXPECT_EQ(job.variant_a, "list");
  EXPECT_EQ(job.variant_b, "hash");
  EXPECT_EQ(job.plain, true);
  EXPECT_EQ(job.seed, 2U);
  EXPECT_THAT(job.changed.value(), ElementsAre("nic"));
  EXPECT_THAT(job.block.value(), ElementsAre(3));
  EXPECT_THAT(job.letter.value(), ElementsAre(4));
  EXPECT_THAT(job.variant.value(), ElementsAre("list"));
  EXPECT_EQ(job.traced, std::vector<bool>{false});
}

}  // namespace
}  // namespace netperfd::bus
