// SPDX-License-Identifier: GPL-2.0-or-later
// Compare over the bus, and the rows of its answer.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "daemon/bus/rows/wire_comparison.hpp"
#include "tests/unit/bus/compare_fixture.hpp"
#include "tests/unit/bus/row_values.hpp"

namespace netperfd::bus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr const char* kInvalid = "org.netperfd1.Error.InvalidArgument";
constexpr const char* kNotFound = "org.netperfd1.Error.NotFound";

TEST_F(Compare, gives_the_verdict_on_two_selections_with_its_figures) {
  const auto answered = compare("label:before", "11-18");
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& [head, functions, moved, facts] = answered.values;
  EXPECT_EQ(text_at(head, "verdict"), "improvement");
  EXPECT_EQ(text_at(head, "pairing"), "runs");
  EXPECT_EQ(head.at("runs_a").get<Numbers>(), (Numbers{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(head.at("runs_b").get<Numbers>(), (Numbers{11, 12, 13, 14, 15, 16, 17, 18}));
  EXPECT_EQ(head.at("scenarios_a").get<Texts>(), Texts{"veth-tcp"});
  EXPECT_EQ(head.at("labels_b").get<Texts>(), Texts{"after"});
  EXPECT_EQ(head.at("samples_a").get<std::uint32_t>(), 8U);
  EXPECT_EQ(
      head.at("last_started_a_us").get<std::uint64_t>() - head.at("first_started_a_us").get<std::uint64_t>(),
      7U * 60 * 1'000'000);
  EXPECT_NEAR(real_at(head, "ratio"), 1.1, 0.01);
  EXPECT_LT(real_at(head, "ratio_low"), real_at(head, "ratio"));
  EXPECT_GT(real_at(head, "ratio_high"), real_at(head, "ratio"));
  EXPECT_GE(real_at(head, "level"), 0.95);
  EXPECT_DOUBLE_EQ(real_at(head, "threshold"), 0.01);
  EXPECT_THAT(functions, IsEmpty());
  EXPECT_THAT(facts, IsEmpty());
}

TEST_F(Compare, of_a_side_with_itself_the_other_way_round_is_a_regression) {
  const auto answered = compare("label:after", "label:before");
  ASSERT_EQ(answered.error, "") << answered.text;
  EXPECT_EQ(text_at(std::get<0>(answered.values), "verdict"), "regression");
}

TEST_F(Compare, of_one_run_a_side_is_too_few) {
  const auto answered = compare("1", "11");
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& head = std::get<0>(answered.values);
  EXPECT_EQ(text_at(head, "verdict"), "too few");
  EXPECT_FALSE(head.contains("ratio_low"));
  EXPECT_FALSE(head.contains("level"));
}

TEST_F(Compare, last_takes_the_newest) {
  const auto answered = compare("label:before last:6", "last:6");
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& head = std::get<0>(answered.values);
  EXPECT_EQ(head.at("runs_a").get<Numbers>(), (Numbers{3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(head.at("runs_b").get<Numbers>(), (Numbers{13, 14, 15, 16, 17, 18}));
}

TEST_F(Compare, says_which_side_is_wrong_and_why) {
  const auto wrong = [&](const std::string& a, const std::string& b, const char* error, const char* text) {
    const auto answered = compare(a, b);
    EXPECT_EQ(answered.error, error) << a << " / " << b;
    EXPECT_THAT(answered.text, HasSubstr(text));
  };
  wrong("lable:before", "label:after", kInvalid, "A: \"lable:before\" is no selection of runs");
  wrong("label:before", "", kInvalid, "B: a selection of runs is empty");
  wrong("label:before", "label:aftre", kNotFound,
        "fits; there is no label \"aftre\", did you mean \"after\"?");
  wrong("label:before", "scenario:veth-tpc", kNotFound, "did you mean \"veth-tcp\"?");
  wrong("1,99", "11", kNotFound, "A: run 99: no such run");
  wrong("1-5,8", "2,5,8-18", kInvalid, "on both are runs 2, 5, 8");
  wrong("1", "1", kInvalid, "on both is run 1");
}

TEST_F(Compare, refuses_a_run_that_was_named_and_has_not_finished) {
  core::RunRow failed = a_run(20, 1, RunState::failed);
  queries.stored.insert(queries.stored.begin(), failed);
  const auto answered = compare("1-8", "20");
  EXPECT_EQ(answered.error, kInvalid);
  EXPECT_THAT(answered.text, HasSubstr("run 20 is failed; only finished runs can be compared"));
  EXPECT_EQ(compare("1-8", "11-20").error, "") << "a range takes those that have";
}

TEST_F(Compare, says_how_many_runs_that_fit_have_failed) {
  for (const RunId id : {20, 21}) {
    core::RunRow failed = a_run(id, 1, RunState::failed);
    failed.spec.name = "veth-tcp";
    failed.spec.label = "after";
    queries.stored.insert(queries.stored.begin(), failed);
  }
  const auto caveats = [&](const std::string& b) {
    return std::get<0>(compare("label:before", b).values).at("caveats").get<Texts>();
  };
  EXPECT_THAT(caveats("label:after"),
              testing::Contains("2 of 10 runs of B failed and are not in this comparison."));
  EXPECT_THAT(caveats("label:after job:1"), testing::Contains(HasSubstr("2 of 10 runs of B failed")));
  for (const char* numbers : {"11-18", "11-20"})
    EXPECT_THAT(caveats(numbers), testing::Not(testing::Contains(HasSubstr("failed")))) << numbers;
}

TEST_F(Compare, of_the_newest_runs_counts_those_that_failed_since_the_first_of_them) {
  for (const RunId id : {19, 9}) {
    core::RunRow failed = a_run(id, 1, RunState::failed);
    failed.spec.name = "veth-tcp";
    queries.stored.push_back(failed);
  }
  const auto answered = compare("label:before", "scenario:veth-tcp last:6");
  ASSERT_EQ(answered.error, "") << answered.text;
  EXPECT_THAT(std::get<0>(answered.values).at("caveats").get<Texts>(),
              testing::Contains("1 of 7 runs of B failed and are not in this comparison."));
}

TEST_F(Compare, refuses_more_runs_than_it_takes) {
  for (RunId id = 100; id <= 1'100; ++id) queries.stored.push_back(a_run(id));
  const auto answered = compare("100-2000", "1");
  EXPECT_EQ(answered.error, kInvalid);
  EXPECT_THAT(answered.text, HasSubstr("more than 1000 runs fit; last:1000 takes the newest"));
}

TEST_F(Compare, options_are_read_strictly) {
  const auto wrong = [&](const dbus::Row& options, const char* text) {
    const auto answered = compare("1-8", "11-18", options);
    EXPECT_EQ(answered.error, kInvalid);
    EXPECT_THAT(answered.text, HasSubstr(text));
  };
  wrong({{"change", sdbus::Variant{Texts{"kernel"}}}},
        "unknown option \"change\"; allowed are figures, changed, despite, threshold");
  wrong({{"changed", sdbus::Variant{std::string{"kernel"}}}}, "expected is a list of strings");
  wrong({{"figures", sdbus::Variant{std::string{"received"}}}}, "expected is a list of strings");
  wrong({{"figures", sdbus::Variant{Texts{"recieved"}}}}, "did you mean received?");
  wrong({{"figures", sdbus::Variant{Texts{"sent:0%"}}}}, "above 0% and below 100%");
  wrong({{"figures", sdbus::Variant{Texts{"sent", "sent:5%"}}}}, "figure sent is there twice");
  wrong({{"figures", sdbus::Variant{Texts{"sent", "received", "cpu", "rtt", "retransmits", "latency.p50",
                                          "latency.p90", "latency.p99", "latency.max"}}}},
        "9 figures; at most 8");
  wrong({{"changed", sdbus::Variant{Texts{"kernal"}}}}, "did you mean `kernel`?");
  wrong({{"changed", sdbus::Variant{Texts{"module"}}}}, "expected is module:NAME");
  wrong({{"changed", sdbus::Variant{Texts{"nic:veth0"}}}}, "\"nic:veth0\" is no group");
  wrong({{"changed", sdbus::Variant{Texts(65, "nic")}}}, "at most 64");
  for (const double threshold : {0.0, 1.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    wrong({{"threshold", sdbus::Variant{threshold}}}, "is no share between 0 and 1");
  wrong({{"threshold", sdbus::Variant{1e20}}}, "threshold: 100000000000000000000 is no share");
}

TEST_F(Compare, takes_the_threshold_for_its_verdict) {
  const auto answered = compare("1-8", "11-18", {{"threshold", sdbus::Variant{0.2}}});
  ASSERT_EQ(answered.error, "") << answered.text;
  EXPECT_EQ(text_at(std::get<0>(answered.values), "verdict"), "equivalent");
}

analysis::ComparedRun in_environment(analysis::ComparedRun run, const std::string& release,
                                     const std::string& gro) {
  run.fingerprint =
      Fingerprint{"a-boot", {{"kernel", "release", release}, {"nic", "veth0 feature rx-gro", gro}}, {}};
  return run;
}

TEST_F(Compare, names_what_differs_beside_the_declared_change_and_refuses_for_it) {
  for (auto& [id, run] : queries.stored_compared)
    run = id < 10 ? in_environment(run, "6.12", "on") : in_environment(run, "6.18", "off");
  const dbus::Row declared{{"changed", sdbus::Variant{Texts{"kernel"}}}};
  const auto answered = compare("1-8", "11-18", declared);
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& [head, functions, moved, facts] = answered.values;
  EXPECT_EQ(text_at(head, "verdict"), "refused");
  ASSERT_EQ(facts.size(), 2U);
  for (const dbus::Row& fact : facts) {
    const bool kernel = text_at(fact, "group") == "kernel";
    EXPECT_EQ(fact.at("a").get<Texts>(), Texts{kernel ? "6.12" : "on"});
    EXPECT_EQ(fact.at("b").get<Texts>(), Texts{kernel ? "6.18" : "off"});
    EXPECT_EQ(fact.at("declared").get<bool>(), kernel);
    EXPECT_TRUE(fact.at("explains").get<bool>());
  }
  EXPECT_EQ(head.at("changed").get<Texts>(), Texts{"kernel"});
  dbus::Row despite = declared;
  despite.emplace("despite", sdbus::Variant{true});
  EXPECT_EQ(text_at(std::get<0>(compare("1-8", "11-18", despite).values), "verdict"), "improvement");
}

TEST_F(Compare, is_open_to_every_user) {
  EXPECT_EQ(as({},
               [](sdbus::IProxy& manager) {
                 return outcome_of([&] {
                   dbus::Row head;
                   dbus::Rows functions, moved, facts;
                   manager.callMethod("Compare")
                       .onInterface(dbus::kManagerInterface)
                       .withArguments(std::string{"1-8"}, std::string{"11-18"}, dbus::Row{})
                       .storeResultsTo(head, functions, moved, facts);
                 });
               }),
            "ok");
}

// ---- The rows

FunctionDelta known_function() {
  FunctionDelta function;
  function.name = "hsr_get_node";
  function.name_b = "hsr_get_node.isra.0";
  function.module = "hsr";
  function.match = FunctionMatch::renamed;
  function.cost = {.centre_a = 18,
                   .centre_b = 1,
                   .shift = -17,
                   .low = -18,
                   .high = -16,
                   .level = 0.96,
                   .p = 0.001,
                   .q = 0.002};
  function.a = {.packets_per_byte = 0.001, .calls_per_packet = 2, .ns_per_call = 9'000};
  function.b = {.packets_per_byte = 0.001, .calls_per_packet = 2, .ns_per_call = 500};
  function.share = 0.9;
  return function;
}

TEST(WireComparison, a_function_has_its_cost_and_its_factors_on_both_sides) {
  const dbus::Row row = to_map(function_delta_row(known_function()));
  EXPECT_THAT(
      keys_of(row),
      UnorderedElementsAre("function", "function_b", "module", "match", "cost_a", "cost_b", "shift", "low",
                           "high", "level", "p", "q", "share", "packets_per_byte_a", "packets_per_byte_b",
                           "calls_per_packet_a", "calls_per_packet_b", "ns_per_call_a", "ns_per_call_b"));
  EXPECT_EQ(text_at(row, "match"), "renamed");
  EXPECT_EQ(real_at(row, "cost_a"), 18);
  EXPECT_EQ(real_at(row, "shift"), -17);
  EXPECT_EQ(real_at(row, "high"), -16);
  EXPECT_EQ(real_at(row, "q"), 0.002);
  EXPECT_EQ(real_at(row, "ns_per_call_a"), 9'000);
  EXPECT_EQ(real_at(row, "ns_per_call_b"), 500);
}

TEST(WireComparison, a_function_of_one_side_has_no_figure_of_the_other) {
  FunctionDelta function = known_function();
  function.match = FunctionMatch::only_b;
  function.name_b.clear();
  function.cost = {
      .centre_a = 0, .centre_b = 3, .shift = {}, .low = {}, .high = {}, .level = 0, .p = {}, .q = {}};
  function.share.reset();
  EXPECT_THAT(keys_of(function_delta_row(function)),
              UnorderedElementsAre("function", "module", "match", "cost_b", "packets_per_byte_b",
                                   "calls_per_packet_b", "ns_per_call_b"));
}

TEST(WireComparison, what_is_not_known_or_not_finite_has_no_key) {
  const dbus::Row head = to_map(wire_comparison({}).comparison);
  EXPECT_THAT(keys_of(head),
              UnorderedElementsAre("figure", "verdict", "threshold", "pairing", "runs_a", "runs_b",
                                   "scenarios_a", "scenarios_b", "labels_a", "labels_b", "samples_a",
                                   "samples_b", "changed", "same", "caveats"));
  FunctionDelta function = known_function();
  function.cost.q = std::numeric_limits<double>::quiet_NaN();
  function.share = std::numeric_limits<double>::infinity();
  const auto keys = keys_of(function_delta_row(function));
  EXPECT_FALSE(keys.contains("q"));
  EXPECT_FALSE(keys.contains("share"));
}

TEST(WireComparison, the_attribution_is_in_the_first_row) {
  core::ComparedSelections compared;
  Attribution& attribution = compared.comparison.attribution;
  attribution.ns_per_byte = known_function().cost;
  attribution.explained = 0.96;
  attribution.explained_low = 0.91;
  attribution.explained_high = 1.01;
  attribution.account.emplace().rest.shift = -0.7;
  attribution.traced_to_plain = 0.68;
  attribution.functions = {known_function()};
  attribution.tested = 1;
  attribution.not_attributed = "because";
  compared.comparison.counters_tested = 61;
  const dbus::Row head = to_map(wire_comparison(compared).comparison);
  EXPECT_EQ(small_at(head, "counters_tested"), 61U);
  EXPECT_EQ(real_at(head, "ns_per_byte_a"), 18);
  EXPECT_EQ(real_at(head, "ns_per_byte_shift"), -17);
  EXPECT_EQ(real_at(head, "ns_per_byte_low"), -18);
  EXPECT_EQ(real_at(head, "ns_per_byte_high"), -16);
  EXPECT_EQ(real_at(head, "ns_per_byte_level"), 0.96);
  EXPECT_EQ(real_at(head, "ns_per_byte_p"), 0.001);
  EXPECT_EQ(real_at(head, "explained"), 0.96);
  EXPECT_EQ(real_at(head, "explained_low"), 0.91);
  EXPECT_EQ(real_at(head, "explained_high"), 1.01);
  EXPECT_EQ(real_at(head, "residual_ns_per_byte"), -0.7);
  EXPECT_EQ(real_at(head, "traced_to_plain"), 0.68);
  EXPECT_EQ(head.at("tested").get<std::uint32_t>(), 1U);
  EXPECT_EQ(text_at(head, "not_attributed"), "because");
}

// netperfctl names the groups that are to be declared by these rows.
TEST_F(Compare, tells_each_group_that_differs_though_not_every_fact_fits) {
  core::ComparedSelections compared;
  std::vector<FactChange>& facts = compared.comparison.facts;
  for (int i = 0; i < 2'000; ++i)
    facts.push_back({"iperf3", std::string(1'100, 'x'), {"1"}, {"2"}, {}, {}, false, true});
  facts.push_back({"nic", "gso_max_segs", {"1"}, {"65535"}, {}, {}, false, true});
  const WireComparison wire = wire_comparison(compared);
  ASSERT_LT(wire.facts.size(), facts.size());
  EXPECT_EQ(wire.facts.at(1).get<std::string>("group"), "nic");
}

TEST_F(Compare, of_any_size_fits_into_one_message) {
  core::ComparedSelections compared;
  const std::string text(1'100, 'x');
  Comparison& comparison = compared.comparison;
  comparison.caveats = comparison.same = comparison.changed = Texts(1'000, text);
  compared.a.labels = compared.b.labels = compared.a.scenarios = compared.b.scenarios = Texts(1'000, text);
  comparison.a = comparison.b = std::vector<RunId>(1'000, 1);
  FunctionDelta function = known_function();
  function.name = function.name_b = function.module = text;
  comparison.attribution.functions.assign(2'000, function);
  CounterChange counter;
  counter.source = counter.name = counter.unit = text;
  counter.per_work = function.cost;
  comparison.counters.assign(2'000, counter);
  comparison.facts.assign(2'000, {text, text, Texts(100, text), Texts(100, text), {}, {}, true, true});
  const WireComparison wire = wire_comparison(compared);
  EXPECT_FALSE(wire.functions.empty());
  EXPECT_FALSE(wire.counters.empty());
  EXPECT_FALSE(wire.facts.empty());
  EXPECT_EQ(wire.comparison.get<std::uint64_t>("functions_left_out"), 2'000 - wire.functions.size());
  EXPECT_EQ(wire.comparison.get<std::uint64_t>("counters_left_out"), 2'000 - wire.counters.size());
  EXPECT_EQ(wire.comparison.get<std::uint64_t>("facts_left_out"), 2'000 - wire.facts.size());
  // A call's arguments take as much room as an answer. The bus closes the connection if a message is too
  // large, and the daemon answers the others without reading them.
  const auto answered = client->call<>("Ping", wire.comparison, wire.functions, wire.counters, wire.facts);
  EXPECT_EQ(answered.error, dbus::error::kInvalidArgument) << answered.text;
}

}  // namespace
}  // namespace netperfd::bus
