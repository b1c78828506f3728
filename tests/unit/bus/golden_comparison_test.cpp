// SPDX-License-Identifier: GPL-2.0-or-later
// The rows of a comparison, written out by hand as in golden_rows_test.cpp.
#include <gmock/gmock.h>

#include <chrono>

#include "daemon/bus/rows/row_maker.hpp"
#include "daemon/bus/rows/wire_comparison.hpp"
#include "dbus/rows/comparison.hpp"
#include "tests/unit/bus/row_values.hpp"

namespace netperfd::bus {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::IsSupersetOf;
using testing::Not;
using testing::StartsWith;
using testing::UnorderedElementsAre;

WallTime compared_at(std::int64_t us) {
  return WallTime{std::chrono::microseconds{us}};
}

ShiftEstimate a_shift(double from) {
  return {.centre_a = from + 1,
          .centre_b = from + 2,
          .shift = from + 3,
          .low = from + 4,
          .high = from + 5,
          .level = from + 6,
          .p = from + 7,
          .q = from + 8};
}

TEST(GoldenComparison, of_a_comparison) {
  core::ComparedSelections compared;
  Comparison& comparison = compared.comparison;
  comparison.figure = "received";
  comparison.verdict = Verdict::regression;
  comparison.leaning = Verdict::improvement;
  comparison.remedy = Remedy::despite;
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
                       .centre_a = 18.5,
                       .centre_b = 19.5,
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
  attribution.of_counted_part = false;
  attribution.explained = 21.5;
  attribution.explained_low = 22.5;
  attribution.explained_high = 23.5;
  attribution.account = {
      .time = a_shift(200), .functions = a_shift(210), .tracer = a_shift(220), .rest = a_shift(230)};
  attribution.traced_to_plain = 25.5;
  attribution.samples = {
      .runs_a = 51, .runs_b = 52, .samples_a = 53, .samples_b = 54, .witness = Witness::disagrees};
  attribution.tracer_share_a = 0.25;
  attribution.tracer_share_b = 0.75;
  attribution.functions.resize(1);
  attribution.tested = 26;
  attribution.few_calls = 28;
  attribution.not_attributed = "no bytes";
  comparison.counters_tested = 27;
  comparison.changed = {"nic"};
  comparison.same = {"kernel"};
  comparison.caveats = {"A caveat."};
  compared.confirms = 12;
  compared.a.scenarios = {"sa"};
  compared.a.labels = {"la"};
  compared.a.owners = {{1000, 61}, {1001, 62}};
  compared.b.owners = {{1002, 63}};
  compared.a.first_started = compared_at(31);
  compared.a.last_started = compared_at(32);
  compared.b.scenarios = {"sb"};
  compared.b.labels = {"lb"};
  compared.b.first_started = compared_at(33);
  compared.b.last_started = compared_at(34);
  core::SelfTest& test = compared.self_test.emplace();
  test.job = 41;
  test.started = compared_at(42);
  test.verdict = Verdict::equivalent;
  FigureResult& tested = test.figures.emplace_back();
  tested.effect = comparison.effect;
  tested.effect.ratio = 43.5;
  tested.effect.low = 44.5;
  tested.effect.high = 45.5;
  tested.effect.level = 46.5;
  tested.effect.detectable = 47.5;
  EXPECT_THAT(
      shown(wire_comparison(compared).comparison),
      UnorderedElementsAre(
          "boot_spread 0.5", R"(of_one ["boot", "build"])", "resolution 1.25", R"(caveats ["A caveat."])",
          R"(changed ["nic"])", "cliffs_delta 14.5", "counters_tested 27", "detectable 15.5",
          "explained 21.5", "explained_high 23.5", "explained_low 22.5", "few_calls 28", "figure received",
          "first_started_a_us 31", "first_started_b_us 33", R"(labels_a ["la"])", R"(labels_b ["lb"])",
          "owner_runs_a [61, 62]", "owner_runs_b [63]", "owners_a [1000, 1001]", "owners_b [1002]",
          "last_started_a_us 32", "last_started_b_us 34", "level 12.5", "median_a 7.5", "median_b 8.5",
          "centre_a 18.5", "centre_b 19.5", "leaning improvement", "remedy despite", "needed 16",
          "needed_for_equivalence 17", "not_attributed no bytes", "ns_per_byte_a 101", "ns_per_byte_b 102",
          "ns_per_byte_high 105", "ns_per_byte_level 106", "ns_per_byte_low 104", "ns_per_byte_p 107",
          "ns_per_byte_part whole", "ns_per_byte_shift 103", "p 13.5", "pairing blocks", "ratio 9.5",
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
          "sampled_runs_b 52", "busy_samples_a 53", "busy_samples_b 54", "tracer_share_a 0.25",
          "tracer_share_b 0.75", "confirms 12"));
}

TEST(GoldenComparison, of_its_figures) {
  core::ComparedSelections compared;
  compared.comparison.figures.resize(2);
  FigureResult& first = compared.comparison.figures[0];
  first.name = "received";
  FigureResult& second = compared.comparison.figures[1];
  second.name = "latency.p99";
  second.unit = "ns";
  second.better = Better::lower;
  second.pairing = Pairing::boots;
  second.verdict = Verdict::regression;
  second.leaning = Verdict::improvement;
  second.effect = {.n_a = 1,
                   .n_b = 2,
                   .median_a = 3.5,
                   .median_b = 4.5,
                   .centre_a = 13.5,
                   .centre_b = 14.5,
                   .ratio = 5.5,
                   .low = 6.5,
                   .high = 7.5,
                   .level = 8.5,
                   .p = 9.5,
                   .cliffs_delta = 10.5,
                   .detectable = 11.5,
                   .needed = 12,
                   .needed_for_equivalence = 13};
  second.p_adjusted = 14.5;
  second.fewest = 15;
  second.threshold = 16.5;
  second.luck_spread = 17.5;
  second.resolution = 18.5;
  second.reason = "could be noise";
  FigureResult tested = second;
  tested.verdict = Verdict::equivalent;
  tested.effect.n_a = 21;
  tested.effect.n_b = 22;
  tested.effect.ratio = 23.5;
  tested.effect.low = 24.5;
  tested.effect.high = 25.5;
  tested.effect.level = 26.5;
  tested.effect.detectable = 27.5;
  compared.self_test = core::SelfTest{.job = 1, .started = {}, .verdict = {}, .figures = {tested}};
  compared.comparison.beside = {second};
  compared.comparison.beside.front().name = "cpu";
  const auto beside = to_map(wire_comparison(compared).comparison).at("beside").get<dbus::Rows>();
  ASSERT_EQ(beside.size(), 1U);
  EXPECT_THAT(shown(beside[0]), testing::IsSupersetOf({"figure cpu", "verdict regression", "ratio_low 6.5"}));
  const auto rows = to_map(wire_comparison(compared).comparison).at("figures").get<dbus::Rows>();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_THAT(shown(rows[0]), UnorderedElementsAre("figure received", "unit bits_per_second", "better higher",
                                                   "verdict too few", "threshold 0.01", "pairing runs",
                                                   "samples_a 0", "samples_b 0"));
  EXPECT_THAT(shown(rows[1]),
              UnorderedElementsAre("figure latency.p99", "unit ns", "better lower", "verdict regression",
                                   "threshold 16.5", "pairing boots", "boot_spread 17.5", "resolution 18.5",
                                   "reason could be noise", "samples_a 1", "samples_b 2", "median_a 3.5",
                                   "median_b 4.5", "centre_a 13.5", "centre_b 14.5", "leaning improvement",
                                   "ratio 5.5", "ratio_low 6.5", "ratio_high 7.5", "level 8.5", "p 9.5",
                                   "p_adjusted 14.5", "cliffs_delta 10.5", "detectable 11.5", "needed 12",
                                   "needed_for_equivalence 13", "fewest 15", "selftest_verdict equivalent",
                                   "selftest_samples 21", "selftest_ratio 23.5", "selftest_low 24.5",
                                   "selftest_high 25.5", "selftest_level 26.5", "selftest_detectable 27.5"));
}

TEST(GoldenComparison, of_a_comparison_that_does_not_fit_into_a_message) {
  rows::Comparison row;
  row.figure = "received";
  row.verdict = "too few";
  row.functions_left_out = 1;
  row.counters_left_out = 2;
  row.facts_left_out = 3;
  EXPECT_THAT(shown(to_wire(row)),
              UnorderedElementsAre("counters_left_out 2", "facts_left_out 3", "figure received",
                                   "functions_left_out 1", "verdict too few"));
}

TEST(GoldenComparison, of_a_function_on_both_sides) {
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
  function.share_low = 37.25;
  function.share_high = 37.75;
  function.cost_together = {.p = 38.5, .low = 51.5, .high = 52.5};
  function.call_time = a_shift(60);
  function.call_time_together = {.p = 53.5, .low = 54.5, .high = 55.5};
  function.calls = a_shift(70);
  function.calls_together = {.p = 56.5, .low = 57.5, .high = 58.5};
  function.shown_by = FunctionFigure::call_time;
  function.shown_least = 59.5;
  function.detectable = 39.5;
  function.first = a_shift(40);
  function.agrees = true;
  EXPECT_THAT(
      shown(function_delta_row(function)),
      UnorderedElementsAre(
          "agrees true", "first_high 45", "first_low 44", "first_shift 43", "calls_per_packet_a 32.5",
          "calls_per_packet_b 35.5", "cost_a 11", "cost_b 12", "detectable 39.5", "duplicate 2",
          "function lookup", "function_b lookup.isra.0", "high 15", "level 16", "low 14", "match renamed",
          "module hsr", "ns_per_call_a 33.5", "ns_per_call_b 36.5", "p 17", "p_adjusted 38.5",
          "packets_per_byte_a 31.5", "packets_per_byte_b 34.5", "q 18", "share 37.5", "share_low 37.25",
          "share_high 37.75", "shift 13", "together_low 51.5", "together_high 52.5", "call_time_a 61",
          "call_time_b 62", "call_time_shift 63", "call_time_low 54.5", "call_time_high 55.5",
          "call_time_p_adjusted 53.5", "calls_a 71", "calls_b 72", "calls_shift 73", "calls_low 57.5",
          "calls_high 58.5", "calls_p_adjusted 56.5", "shown_by call time", "shown_least 59.5"));
}

TEST(GoldenComparison, of_a_function_by_trace_and_samples) {
  FunctionDelta function;
  function.name = "lookup";
  function.cost = a_shift(10);
  function.sampled = {.cost = a_shift(20),
                      .share_a = 0.27,
                      .share_b = 0.28,
                      .together = {.p = 41.5, .low = 43.5, .high = 44.5, .level = 45.5},
                      .witness = Witness::agrees,
                      .after_interrupts_off = true,
                      .detectable = 42.5};
  function.below = "a traced function is below no other";
  EXPECT_THAT(shown(function_delta_row(function)),
              AllOf(IsSupersetOf({"cost_a 11", "sampled_a 21", "sampled_b 22", "sampled_shift 23",
                                  "sampled_low 43.5", "sampled_high 44.5", "sampled_level 45.5",
                                  "sampled_share_a 0.27", "sampled_share_b 0.28", "sampled_p_adjusted 41.5",
                                  "sampled_detectable 42.5", "witness agrees", "after_interrupts_off true"}),
                    Not(Contains(StartsWith("below"))), Not(Contains(StartsWith("not_traced")))));
}

TEST(GoldenComparison, of_a_function_that_only_samples_know) {
  FunctionDelta function;
  function.name = "tcp_ack";
  function.traced = false;
  function.below = "hsr_dev_xmit";
  function.sampled = {.cost = a_shift(20), .share_a = 0.29, .share_b = 0.31, .together = {}, .witness = {}};
  EXPECT_THAT(shown(function_delta_row(function)),
              UnorderedElementsAre("function tcp_ack", "match same", "sampled_a 21", "sampled_b 22",
                                   "sampled_shift 23", "sampled_low 24", "sampled_high 25",
                                   "sampled_level 26", "sampled_share_a 0.29", "sampled_share_b 0.31",
                                   "not_traced true", "below hsr_dev_xmit"));
}

TEST(GoldenComparison, of_what_changed) {
  EXPECT_THAT(
      shown(counter_change_row(
          {.source = "nic", .name = "tx_packets", .per_work = a_shift(10), .unit = "bytes"})),
      UnorderedElementsAre("high 15", "level 16", "low 14", "name tx_packets", "p 17", "per_gigabyte_a 11",
                           "per_gigabyte_b 12", "q 18", "shift 13", "source nic", "unit bytes"));
  EXPECT_THAT(shown(fact_change_row({.group = "nic",
                                     .key = "mtu",
                                     .a = {"1500"},
                                     .b = {"9000", "9001"},
                                     .runs_a = {3},
                                     .runs_b = {4, 5},
                                     .declared = true,
                                     .explains = false})),
              UnorderedElementsAre(R"(a ["1500"])", R"(b ["9000", "9001"])", "runs_a [3]", "runs_b [4, 5]",
                                   "declared true", "explains false", "group nic", "key mtu"));
}

}  // namespace
}  // namespace netperfd::bus
