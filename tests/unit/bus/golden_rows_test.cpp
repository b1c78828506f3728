// SPDX-License-Identifier: GPL-2.0-or-later
// Every figure under its key where the daemon fills a row by hand. The values are distinct and written out,
// so that a figure that is left out, or under another's key, is noticed.
#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <vector>

#include "client/bus/rows.hpp"
#include "daemon/bus/row_maker.hpp"
#include "daemon/bus/wire.hpp"
#include "daemon/bus/wire_comparison.hpp"
#include "daemon/bus/wire_counters.hpp"
#include "daemon/bus/wire_text.hpp"
#include "tests/unit/bus/row_values.hpp"

namespace netperfd::bus {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::Not;
using testing::StartsWith;
using testing::UnorderedElementsAre;

WallTime at(std::int64_t us) {
  return WallTime{std::chrono::microseconds{us}};
}

core::RunRow a_run_with_everything() {
  core::RunRow run;
  run.id = 41;
  run.job = 7;
  run.index = 3;
  run.arm = {.block = 2, .letter = 4, .variant = 'B', .build = 2, .traced = true};
  run.variant = "hash";
  run.build = "hash-2";
  run.spec.name = "hsr-ring";
  run.spec.label = "after";
  run.spec.repeat = 8;
  run.spec.purpose = JobPurpose::selftest;
  Iperf3Spec& iperf3 = run.spec.iperf3;
  iperf3.server = "10.0.0.2";
  iperf3.netns = "left";
  iperf3.local.emplace();
  iperf3.local->netns = "right";
  iperf3.protocol = Protocol::udp;
  iperf3.direction = Direction::both;
  iperf3.streams = 5;
  iperf3.duration = std::chrono::milliseconds{12'000};
  iperf3.bytes = 6'000'000;
  iperf3.omit = std::chrono::milliseconds{2'000};
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
  run.flags = {{"too-short", "short"}, {"run-length", "long"}};
  run.documents = {"client.stdout"};
  run.note = "cable replaced";
  run.trace = core::TraceTotals{.events = 105, .lost = 106, .skipped = "", .broken = "hsr was unloaded"};
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
    "traced true",
    "variant hash",
    "workload iperf3",
};

TEST(GoldenRows, of_a_run_in_a_list) {
  EXPECT_THAT(shown(listed_run_row(a_run_with_everything()).row),
              testing::UnorderedElementsAreArray(kRunInAList));
}

TEST(GoldenRows, of_a_run_in_a_list_have_a_short_error) {
  core::RunRow run = a_run_with_everything();
  run.error = std::string(20'000, 'x');
  EXPECT_LE(text_at(listed_run_row(run).row, "error").size(), kShortTextBytes);
  EXPECT_GT(text_at(run_row(run).row, "error").size(), kShortTextBytes);
}

TEST(GoldenRows, of_a_run_alone_leave_its_sums_to_their_own_rows) {
  std::vector<std::string> expected = kRunInAList;
  std::erase_if(expected, [](const std::string& line) {
    return line.starts_with("received_") || line.starts_with("sent_") || line.starts_with("retransmits") ||
           line.starts_with("lost_percent");
  });
  EXPECT_THAT(shown(run_row(a_run_with_everything()).row), testing::UnorderedElementsAreArray(expected));
}

TEST(GoldenRows, of_a_job) {
  std::vector<core::RunRow> runs(7, a_run_with_everything());
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].id = static_cast<RunId>(50 + i);
  runs[0].state = RunState::finished;
  runs[1].state = RunState::interrupted;
  runs[2].state = runs[3].state = RunState::canceled;
  runs[1].started = at(9);
  runs[2].ended = at(44);
  Design& design = runs[0].spec.design.emplace();
  design.a = Variant{.name = "list", .apply = {}, .verify = {}, .builds = {}};
  design.b = Variant{.name = "hash", .apply = {}, .verify = {}, .builds = {}};
  design.changed = {"module:hsr"};
  design.seed = 99;
  EXPECT_THAT(shown(job_row(summary_of(runs)).row),
              UnorderedElementsAre("canceled 2", R"(changed ["module:hsr"])", "created_us 11", "ended_us 44",
                                   "failed 3", "finished 1", "interrupted 1", "job 7", "label after",
                                   "owner 1000", "purpose selftest", "repeat 8",
                                   "runs [50, 51, 52, 53, 54, 55, 56]", "scenario hsr-ring", "seed 99",
                                   "started_us 9", "state failed", "variant_a list", "variant_b hash"));
}

TEST(GoldenRows, of_a_job_tell_what_its_runs_came_to) {
  const auto state_of = [](const std::vector<RunState>& states) {
    core::JobRow job;
    for (const RunState state : states)
      job.runs.push_back({.id = 1, .state = state, .started = at(1), .ended = at(2)});
    const dbus::Row row = job_row(job).row;
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

TEST(GoldenRows, of_a_spread_and_of_a_scenario) {
  EXPECT_THAT(shown(spread_row({.direction = Direction::receive,
                                .runs = 5,
                                .median = 2.5,
                                .lowest = 1.5,
                                .highest = 3.5,
                                .cv_percent = 4.5})
                        .row),
              UnorderedElementsAre("cv_percent 4.5", "direction receive", "highest 3.5", "lowest 1.5",
                                   "median 2.5", "runs 5"));
  EXPECT_THAT(
      shown(scenario_row({.name = "hsr", .description = "a ring", .file = "/etc/hsr.yaml", .error = "wrong"})
                .row),
      UnorderedElementsAre("description a ring", "error wrong", "file /etc/hsr.yaml", "name hsr"));
}

ShiftEstimate a_shift(double from) {
  return {.median_a = from + 1,
          .median_b = from + 2,
          .shift = from + 3,
          .low = from + 4,
          .high = from + 5,
          .level = from + 6,
          .p = from + 7,
          .q = from + 8};
}

TEST(GoldenRows, of_a_comparison) {
  core::ComparedSelections compared;
  Comparison& comparison = compared.comparison;
  comparison.figure = "received";
  comparison.verdict = Verdict::regression;
  comparison.threshold = 0.25;
  comparison.of_one = {Level::boot, Level::build};
  comparison.luck_spread = 0.5;
  comparison.resolution = 1.25;
  comparison.pairing = Pairing::blocks;
  comparison.a = {1, 2};
  comparison.b = {3, 4};
  comparison.effect = {.n_a = 5,
                       .n_b = 6,
                       .median_a = 7.5,
                       .median_b = 8.5,
                       .ratio = 9.5,
                       .low = 10.5,
                       .high = 11.5,
                       .level = 12.5,
                       .p = 13.5,
                       .cliffs_delta = 14.5,
                       .detectable = 15.5,
                       .needed = 16,
                       .needed_for_equivalence = 17};
  Attribution& attribution = comparison.attribution;
  attribution.ns_per_byte = a_shift(100);
  attribution.explained = 21.5;
  attribution.explained_low = 22.5;
  attribution.explained_high = 23.5;
  attribution.account = {
      .time = a_shift(200), .functions = a_shift(210), .tracer = a_shift(220), .rest = a_shift(230)};
  attribution.traced_to_plain = 25.5;
  attribution.samples = {
      .runs_a = 51, .runs_b = 52, .samples_a = 53, .samples_b = 54, .witness = Witness::disagrees};
  attribution.functions.resize(1);
  attribution.tested = 26;
  attribution.not_attributed = "no bytes";
  comparison.counters_tested = 27;
  comparison.changed = {"nic"};
  comparison.same = {"kernel"};
  comparison.caveats = {"A caveat."};
  compared.a.scenarios = {"sa"};
  compared.a.labels = {"la"};
  compared.a.first_started = at(31);
  compared.a.last_started = at(32);
  compared.b.scenarios = {"sb"};
  compared.b.labels = {"lb"};
  compared.b.first_started = at(33);
  compared.b.last_started = at(34);
  core::SelfTest& test = compared.self_test.emplace();
  test.job = 41;
  test.started = at(42);
  test.verdict = Verdict::equivalent;
  test.effect = comparison.effect;
  test.effect.ratio = 43.5;
  test.effect.low = 44.5;
  test.effect.high = 45.5;
  test.effect.level = 46.5;
  test.effect.detectable = 47.5;
  EXPECT_THAT(
      shown(wire_comparison(compared).comparison),
      UnorderedElementsAre(
          "boot_spread 0.5", R"(of_one ["boot", "build"])", "resolution 1.25", R"(caveats ["A caveat."])",
          R"(changed ["nic"])", "cliffs_delta 14.5", "counters_tested 27", "detectable 15.5",
          "explained 21.5", "explained_high 23.5", "explained_low 22.5", "figure received",
          "first_started_a_us 31", "first_started_b_us 33", R"(labels_a ["la"])", R"(labels_b ["lb"])",
          "last_started_a_us 32", "last_started_b_us 34", "level 12.5", "median_a 7.5", "median_b 8.5",
          "needed 16", "needed_for_equivalence 17", "not_attributed no bytes", "ns_per_byte_a 101",
          "ns_per_byte_b 102", "ns_per_byte_high 105", "ns_per_byte_level 106", "ns_per_byte_low 104",
          "ns_per_byte_p 107", "ns_per_byte_shift 103", "p 13.5", "pairing blocks", "ratio 9.5",
          "ratio_high 11.5", "ratio_low 10.5", "functions_ns_per_byte_high 215",
          "functions_ns_per_byte_low 214", "functions_ns_per_byte_shift 213", "residual_ns_per_byte 233",
          "residual_ns_per_byte_high 235", "residual_ns_per_byte_low 234", "traced_ns_per_byte_high 205",
          "traced_ns_per_byte_low 204", "traced_ns_per_byte_shift 203", "tracer_ns_per_byte_high 225",
          "tracer_ns_per_byte_low 224", "tracer_ns_per_byte_shift 223", "runs_a [1, 2]", "runs_b [3, 4]",
          R"(same ["kernel"])", "samples_a 5", "samples_b 6", R"(scenarios_a ["sa"])",
          R"(scenarios_b ["sb"])", "selftest_detectable 47.5", "selftest_high 45.5", "selftest_job 41",
          "selftest_level 46.5", "selftest_low 44.5", "selftest_ratio 43.5", "selftest_samples 5",
          "selftest_started_us 42", "selftest_verdict equivalent", "tested 26", "threshold 0.25",
          "traced_to_plain 25.5", "verdict regression", "witness disagrees", "sampled_runs_a 51",
          "sampled_runs_b 52", "busy_samples_a 53", "busy_samples_b 54"));
}

TEST(GoldenRows, of_a_comparison_that_does_not_fit_into_a_message) {
  rows::Comparison row;
  row.figure = "received";
  row.verdict = "too few";
  row.functions_left_out = 1;
  row.counters_left_out = 2;
  row.facts_left_out = 3;
  EXPECT_THAT(shown(to_wire(row).row),
              UnorderedElementsAre("counters_left_out 2", "facts_left_out 3", "figure received",
                                   "functions_left_out 1", "verdict too few"));
}

TEST(GoldenRows, of_a_function_on_both_sides) {
  FunctionDelta function;
  function.name = "lookup";
  function.name_b = "lookup.isra.0";
  function.module = "hsr";
  function.duplicate = 2;
  function.match = FunctionMatch::renamed;
  function.cost = a_shift(10);
  function.a = {.packets_per_byte = 31.5, .calls_per_packet = 32.5, .ns_per_call = 33.5};
  function.b = {.packets_per_byte = 34.5, .calls_per_packet = 35.5, .ns_per_call = 36.5};
  function.share = 37.5;
  function.p_adjusted = 38.5;
  function.detectable = 39.5;
  EXPECT_THAT(shown(function_delta_row(function).row),
              UnorderedElementsAre("calls_per_packet_a 32.5", "calls_per_packet_b 35.5", "cost_a 11",
                                   "cost_b 12", "detectable 39.5", "duplicate 2", "function lookup",
                                   "function_b lookup.isra.0", "high 15", "level 16", "low 14",
                                   "match renamed", "module hsr", "ns_per_call_a 33.5", "ns_per_call_b 36.5",
                                   "p 17", "p_adjusted 38.5", "packets_per_byte_a 31.5",
                                   "packets_per_byte_b 34.5", "q 18", "share 37.5", "shift 13"));
}

TEST(GoldenRows, of_a_function_by_trace_and_samples) {
  FunctionDelta function;
  function.name = "lookup";
  function.cost = a_shift(10);
  function.sampled = {
      .cost = a_shift(20), .p_adjusted = 41.5, .witness = Witness::agrees, .after_interrupts_off = true};
  function.below = "a traced function is below no other";
  EXPECT_THAT(shown(function_delta_row(function).row),
              AllOf(IsSupersetOf({"cost_a 11", "sampled_a 21", "sampled_b 22", "sampled_shift 23",
                                  "sampled_low 24", "sampled_high 25", "sampled_level 26",
                                  "sampled_p_adjusted 41.5", "witness agrees", "after_interrupts_off true"}),
                    Not(Contains(StartsWith("below"))), Not(Contains(StartsWith("not_traced")))));
}

TEST(GoldenRows, of_a_function_that_only_samples_know) {
  FunctionDelta function;
  function.name = "tcp_ack";
  function.traced = false;
  function.below = "hsr_dev_xmit";
  function.sampled = {.cost = a_shift(20), .p_adjusted = {}, .witness = {}};
  EXPECT_THAT(shown(function_delta_row(function).row),
              UnorderedElementsAre("function tcp_ack", "match same", "sampled_a 21", "sampled_b 22",
                                   "sampled_shift 23", "sampled_low 24", "sampled_high 25",
                                   "sampled_level 26", "not_traced true", "below hsr_dev_xmit"));
}

TEST(GoldenRows, of_what_changed) {
  EXPECT_THAT(
      shown(counter_change_row(
                {.source = "nic", .name = "tx_packets", .per_gigabyte = a_shift(10), .unit = "bytes"})
                .row),
      UnorderedElementsAre("high 15", "level 16", "low 14", "name tx_packets", "p 17", "per_gigabyte_a 11",
                           "per_gigabyte_b 12", "q 18", "shift 13", "source nic", "unit bytes"));
  EXPECT_THAT(shown(fact_change_row({.group = "nic",
                                     .key = "mtu",
                                     .a = {"1500"},
                                     .b = {"9000", "9001"},
                                     .runs_a = {3},
                                     .runs_b = {4, 5},
                                     .declared = true,
                                     .explains = false})
                        .row),
              UnorderedElementsAre(R"(a ["1500"])", R"(b ["9000", "9001"])", "runs_a [3]", "runs_b [4, 5]",
                                   "declared true", "explains false", "group nic", "key mtu"));
}

TEST(GoldenRows, of_a_sample_of_tcp) {
  TcpSample sample;
  sample.time = std::chrono::milliseconds{1'500};
  sample.local_port = 2;
  sample.remote_port = 3;
  sample.snd_cwnd = 4;
  sample.rtt_us = 5;
  sample.rttvar_us = 6;
  sample.retransmits = 7;
  sample.delivery_rate_bps = 8;
  sample.pacing_rate_bps = 9;
  EXPECT_THAT(shown(tcp_sample_row(sample).row),
              UnorderedElementsAre("delivery_bits_per_second 8", "local_port 2", "pacing_bits_per_second 9",
                                   "remote_port 3", "retransmits 7", "rtt 5", "rttvar 6", "snd_cwnd 4",
                                   "time_s 1.5"));
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
