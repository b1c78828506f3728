// SPDX-License-Identifier: GPL-2.0-or-later
// Designs over the bus: starting, showing, comparing and planning them.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/unit/bus/designs_fixture.hpp"
#include "tests/unit/bus/row_values.hpp"

namespace netperfd::bus {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using Texts = std::vector<std::string>;
using Words = std::vector<std::uint32_t>;

// ---- Live jobs

TEST_F(DesignsOnTheBus, a_job_says_what_it_is_for) {
  const auto start = [&](const dbus::Row& options) {
    return client->call<sdbus::ObjectPath>("StartScenario", std::string{"fake"}, options);
  };
  ASSERT_EQ(start({{"purpose", sdbus::Variant{std::string{"pilot"}}}}).error, "");
  EXPECT_EQ(scenarios.last_options.purpose, JobPurpose::pilot);
  EXPECT_EQ(text_at(properties_of_job(1), "Purpose"), "pilot");
  ASSERT_EQ(start({}).error, "");
  EXPECT_EQ(text_at(properties_of_job(2), "Purpose"), "measurement");
  const auto wrong = start({{"purpose", sdbus::Variant{std::string{"plan"}}}});
  EXPECT_EQ(wrong.error, dbus::error::kInvalidArgument);
  EXPECT_THAT(wrong.text,
              HasSubstr("\"plan\" is no purpose of a job; allowed are measurement, pilot, selftest"));
}

TEST_F(DesignsOnTheBus, a_job_shows_its_design_with_a_row_a_run) {
  scenarios.what_is_made = core::a_traced_job();
  scenarios.what_is_made.design = a_design();
  const dbus::Row two{{"repeat", sdbus::Variant{std::uint32_t{2}}}, {"force", sdbus::Variant{true}}};
  ASSERT_EQ(client->call<sdbus::ObjectPath>("StartScenario", std::string{"fake"}, two).error, "");
  const dbus::Row job = properties_of_job(1);
  const auto design = job.at("Design").get<dbus::Row>();
  EXPECT_EQ(design.at("blocks").get<std::uint32_t>(), 2U);
  EXPECT_EQ(text_at(design, "variant_a"), "list");
  EXPECT_EQ(text_at(design, "variant_b"), "hash");
  EXPECT_TRUE(design.at("plain").get<bool>());
  EXPECT_EQ(design.at("seed").get<std::uint64_t>(), 42U);
  EXPECT_EQ(design.at("changed").get<Texts>(), Texts{"module:hsr"});

  JobSpec spec = scenarios.what_is_made;
  spec.repeat = 2;
  const std::vector<Slot> slots = draw_slots(spec, 42);
  const auto blocks = design.at("block").get<Words>();
  const auto letters = design.at("letter").get<Words>();
  const auto variants = design.at("variant").get<Texts>();
  const auto traced = design.at("traced").get<std::vector<bool>>();
  ASSERT_THAT(slots, SizeIs(16));
  for (const std::size_t rows : {blocks.size(), letters.size(), variants.size(), traced.size(),
                                 job.at("Runs").get<Numbers>().size()}) {
    ASSERT_EQ(rows, slots.size());
  }
  for (std::size_t i = 0; i < slots.size(); ++i) {
    EXPECT_EQ(blocks[i], slots[i].block);
    EXPECT_EQ(letters[i], slots[i].letter);
    EXPECT_EQ(variants[i], slots[i].variant == 'A' ? "list" : "hash");
    EXPECT_EQ(traced[i], slots[i].traced);
  }
}

TEST_F(DesignsOnTheBus, a_job_without_one_has_an_empty_design) {
  ASSERT_EQ(client->call<sdbus::ObjectPath>("StartScenario", std::string{"fake"}, dbus::Row{}).error, "");
  EXPECT_THAT(properties_of_job(1).at("Design").get<dbus::Row>(), IsEmpty());
}

// ---- Stored runs

TEST_F(DesignsOnTheBus, a_run_has_its_place) {
  add_job(1, JobPurpose::selftest, 1, the_same);
  using RunAnswer = Answered<dbus::Row, dbus::Rows, dbus::Rows>;
  const RunAnswer answered = client->call<dbus::Row, dbus::Rows, dbus::Rows>("GetRun", std::uint64_t{102});
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& run = std::get<0>(answered.values);
  EXPECT_EQ(run.at("block").get<std::uint32_t>(), 1U);
  EXPECT_EQ(run.at("letter").get<std::uint32_t>(), 2U);
  const core::RunRow& stored = *std::ranges::find(queries.stored, 102, &core::RunRow::id);
  EXPECT_EQ(text_at(run, "side"), std::string{stored.slot.variant});
  EXPECT_EQ(text_at(run, "variant"), stored.variant);
  EXPECT_FALSE(run.at("traced").get<bool>());
  EXPECT_EQ(text_at(run, "purpose"), "selftest");
}

TEST_F(DesignsOnTheBus, a_run_without_one_has_no_place) {
  queries.stored = {a_run(41)};
  const auto runs = client->call<dbus::Rows, std::string>("ListRuns", dbus::Row{}, std::string{}, 0U);
  ASSERT_EQ(runs.error, "") << runs.text;
  for (const char* key : {"block", "letter", "side", "variant", "traced", "purpose"}) {
    EXPECT_FALSE(std::get<0>(runs.values).at(0).contains(key)) << key;
  }
}

TEST_F(DesignsOnTheBus, runs_are_listed_by_purpose_variant_and_arm) {
  const dbus::Row filter{{"purpose", sdbus::Variant{std::string{"pilot"}}},
                         {"variant", sdbus::Variant{std::string{"list"}}},
                         {"traced", sdbus::Variant{false}}};
  ASSERT_EQ((client->call<dbus::Rows, std::string>("ListRuns", filter, std::string{}, 0U).error), "");
  EXPECT_EQ(queries.last_filter.purpose, JobPurpose::pilot);
  EXPECT_EQ(queries.last_filter.variant, "list");
  EXPECT_EQ(queries.last_filter.traced, false);
  const dbus::Row wrong{{"purpose", sdbus::Variant{std::string{"plan"}}}};
  EXPECT_THAT((client->call<dbus::Rows, std::string>("ListRuns", wrong, std::string{}, 0U).text),
              HasSubstr("filter \"purpose\": \"plan\" is no purpose"));
}

TEST_F(DesignsOnTheBus, a_job_long_over_names_its_sides) {
  add_job(1, JobPurpose::measurement, 1, the_same);
  const auto answered = client->call<dbus::Row, dbus::Rows>("GetJob", std::uint64_t{1});
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& job = std::get<0>(answered.values);
  EXPECT_EQ(text_at(job, "purpose"), "measurement");
  EXPECT_EQ(job.at("seed").get<std::uint64_t>(), 42U);
  EXPECT_EQ(text_at(job, "variant_a"), "list");
  EXPECT_EQ(text_at(job, "variant_b"), "hash");
  EXPECT_EQ(job.at("changed").get<Texts>(), Texts{"module:hsr"});
  queries.stored = {a_run(41, 2)};
  const auto plain = client->call<dbus::Row, dbus::Rows>("GetJob", std::uint64_t{2});
  for (const char* key : {"seed", "variant_a", "variant_b", "changed"}) {
    EXPECT_FALSE(std::get<0>(plain.values).contains(key)) << key;
  }
}

// ---- Comparisons and plans

TEST_F(DesignsOnTheBus, a_job_is_compared_with_its_self_test_beside_it) {
  add_job(1, JobPurpose::selftest, 6, the_same);
  add_job(2, JobPurpose::measurement, 6, tenth_faster);
  const auto answered = compare_job(2);
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& head = std::get<0>(answered.values);
  EXPECT_EQ(text_at(head, "verdict"), "improvement");
  EXPECT_EQ(text_at(head, "pairing"), "blocks");
  EXPECT_EQ(head.at("samples_a").get<std::uint32_t>(), 6U);
  EXPECT_THAT(head.at("runs_a").get<Numbers>(), SizeIs(12));
  EXPECT_EQ(head.at("changed").get<Texts>(), Texts{"module:hsr"});
  EXPECT_FALSE(head.contains("needed")) << "more blocks do not tell what another build would do";
  EXPECT_GT(real_at(head, "resolution"), 1.03) << "two builds";
  EXPECT_EQ(head.at("selftest_job").get<std::uint64_t>(), 1U);
  EXPECT_EQ(text_at(head, "selftest_verdict"), "equivalent");
  EXPECT_EQ(head.at("selftest_samples").get<std::uint32_t>(), 6U);
  EXPECT_GT(head.at("selftest_started_us").get<std::uint64_t>(), 0U);
  EXPECT_LE(real_at(head, "selftest_low"), real_at(head, "selftest_ratio"));
  EXPECT_GE(real_at(head, "selftest_high"), real_at(head, "selftest_ratio"));
  EXPECT_GE(real_at(head, "selftest_level"), 0.95);
  EXPECT_GT(real_at(head, "selftest_detectable"), 1);
}

TEST_F(DesignsOnTheBus, a_job_that_confirms_another_one_is_compared_with_what_that_one_found) {
  // A call of `lookup` takes 100 ns less on side B, and in the first job also one of `other`.
  const auto add_functions = [this](JobId job, bool other_differs) {
    for (core::RunRow& run : queries.stored) {
      if (run.job != job) continue;
      if (job == 3) run.spec.confirms = 2;
      analysis::ComparedRun& compared = queries.stored_compared[run.id];
      compared.goodput_bytes = 1'000'000;
      auto& trace = compared.trace.emplace();
      const std::uint64_t noise = static_cast<std::uint64_t>(run.id % 100 % 7) * 1'000;
      const std::uint64_t less = run.slot.variant == 'B' ? 10'000'000 : 0;
      trace.functions.push_back({.name = "lookup",
                                 .module = "hsr",
                                 .duplicate = 0,
                                 .hits = 100'000,
                                 .self_ns = 50'000'000 + noise - less});
      trace.functions.push_back({.name = "other",
                                 .module = "hsr",
                                 .duplicate = 0,
                                 .hits = 100'000,
                                 .self_ns = 50'000'000 + noise - (other_differs ? less : 0)});
    }
  };
  add_job(2, JobPurpose::measurement, 6, tenth_faster);
  add_job(3, JobPurpose::measurement, 6, tenth_faster);
  add_functions(2, true);
  add_functions(3, false);
  const auto answered = compare_job(3);
  ASSERT_EQ(answered.error, "") << answered.text;
  EXPECT_EQ(std::get<0>(answered.values).at("confirms").get<std::uint64_t>(), 2U);
  const auto& functions = std::get<1>(answered.values);
  ASSERT_EQ(functions.size(), 2U);
  EXPECT_EQ(text_at(functions[0], "function"), "lookup");
  EXPECT_NEAR(real_at(functions[0], "first_shift"), -10, 0.1);
  EXPECT_TRUE(functions[0].at("agrees").get<bool>());
  EXPECT_EQ(text_at(functions[1], "function"), "other");
  EXPECT_FALSE(functions[1].at("agrees").get<bool>());
  const auto first = compare_job(2);
  EXPECT_FALSE(std::get<0>(first.values).contains("confirms"));
  EXPECT_FALSE(std::get<1>(first.values)[0].contains("first_shift"));
}

TEST_F(DesignsOnTheBus, a_job_may_confirm_only_one_that_exists) {
  add_job(2, JobPurpose::measurement, 6, tenth_faster);
  const auto start = [&](std::uint64_t first) {
    return client->call<sdbus::ObjectPath>("StartScenario", std::string{"fake"},
                                           dbus::Row{{"confirms", sdbus::Variant{first}}});
  };
  EXPECT_EQ(start(2).error, "");
  EXPECT_EQ(store.jobs.rbegin()->second.spec.confirms, 2);
  EXPECT_EQ(start(77).error, dbus::error::kNotFound);
  EXPECT_EQ(start(0).error, dbus::error::kNotFound);
}

TEST_F(DesignsOnTheBus, a_job_tells_its_budget) {
  queries.stored_budgets[7] = {.budget = {.asked = 0.2, .predicted = 0.15, .window_s = 1, .failure = {}},
                               .functions = {{.function = "hot", .calls = 9, .cost = 2, .traced = false},
                                             {.function = "cold", .calls = 1, .cost = 0.1, .traced = true}}};
  const auto answered = client->call<dbus::Row, dbus::Rows>("GetBudget", std::uint64_t{7});
  ASSERT_EQ(answered.error, "") << answered.text;
  EXPECT_EQ(real_at(std::get<0>(answered.values), "predicted"), 0.15);
  ASSERT_EQ(std::get<1>(answered.values).size(), 2U);
  EXPECT_EQ(text_at(std::get<1>(answered.values)[0], "function"), "hot");
  EXPECT_EQ((client->call<dbus::Row, dbus::Rows>("GetBudget", std::uint64_t{8}).error),
            dbus::error::kNotFound);
}

TEST_F(DesignsOnTheBus, a_job_says_how_many_runs_of_a_side_failed) {
  add_job(2, JobPurpose::measurement, 7, tenth_faster);
  for (core::RunRow& run : queries.stored) {
    if (run.slot.variant == 'B' && run.slot.block == 7) run.state = RunState::failed;
  }
  const auto canceled =
      std::ranges::find(queries.stored, 'A', [](const core::RunRow& run) { return run.slot.variant; });
  canceled->state = RunState::canceled;
  const auto answered = compare_job(2);
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto caveats = std::get<0>(answered.values).at("caveats").get<Texts>();
  EXPECT_THAT(caveats, testing::Contains("2 of 14 runs of B failed and are not in this comparison."));
  EXPECT_THAT(caveats, Each(testing::Not(HasSubstr("of A failed"))));
}

TEST_F(DesignsOnTheBus, without_a_self_test_there_is_none_beside) {
  add_job(2, JobPurpose::measurement, 6, tenth_faster);
  const auto answered = compare_job(2, {{"changed", sdbus::Variant{Texts{"nic"}}}});
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& head = std::get<0>(answered.values);
  EXPECT_EQ(head.at("changed").get<Texts>(), Texts{"nic"});
  for (const auto& [key, value] : head) EXPECT_FALSE(key.starts_with("selftest")) << key;
}

TEST_F(DesignsOnTheBus, a_job_without_one_is_not_compared) {
  queries.stored = {a_run(41)};
  EXPECT_EQ(compare_job(1).error, dbus::error::kInvalidArgument);
  EXPECT_EQ(compare_job(9).error, dbus::error::kNotFound);
  EXPECT_EQ(compare_job(0).error, dbus::error::kNotFound);
  EXPECT_EQ(compare_job(1, {{"change", sdbus::Variant{Texts{"nic"}}}}).error, dbus::error::kInvalidArgument);
}

TEST_F(DesignsOnTheBus, a_plan_says_how_many_blocks_and_how_long) {
  add_job(3, JobPurpose::pilot, 6, the_same);
  const auto answered = plan("job:3", {{"effect", sdbus::Variant{0.02}},
                                       {"power", sdbus::Variant{0.9}},
                                       {"repeat", sdbus::Variant{std::uint32_t{10}}}});
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& row = std::get<0>(answered.values);
  EXPECT_EQ(text_at(row, "pairing"), "blocks");
  EXPECT_EQ(row.at("samples").get<std::uint32_t>(), 6U);
  EXPECT_GT(real_at(row, "sd"), 0);
  EXPECT_EQ(real_at(row, "effect"), 0.02);
  EXPECT_EQ(real_at(row, "power"), 0.9);
  EXPECT_DOUBLE_EQ(real_at(row, "seconds"), row.at("needed").get<std::uint32_t>() * 240.0);
  EXPECT_DOUBLE_EQ(real_at(row, "repeat_seconds"), 2400);
  EXPECT_GT(real_at(row, "detectable"), 1);
}

TEST_F(DesignsOnTheBus, a_plan_leaves_out_blocks_that_are_cut) {
  add_job(3, JobPurpose::pilot, 6, the_same);
  queries.stored.erase(queries.stored.begin());  // the newest one
  const core::RunRow& cut = queries.stored.front();
  // The difference of a block with a missing run is far from those of the others.
  queries.stored_compared[cut.id].received_bits_per_second = 5e9;
  const auto answered = plan("job:3", {{"repeat", sdbus::Variant{std::uint32_t{10}}}});
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& row = std::get<0>(answered.values);
  EXPECT_EQ(row.at("samples").get<std::uint32_t>(), 5U);
  EXPECT_LT(real_at(row, "sd"), 0.1);
  EXPECT_DOUBLE_EQ(real_at(row, "repeat_seconds"), 2400);
}

TEST_F(DesignsOnTheBus, a_plan_for_a_job_is_of_runs_that_are_like_its) {
  add_job(3, JobPurpose::pilot, 6, the_same);
  queries.stored_tests = {{3, "streams: 1"}, {7, "streams: 1"}, {8, "streams: 8"}};
  EXPECT_EQ(plan("job:3", {{"like_job", sdbus::Variant{std::uint64_t{7}}}}).error, "");
  EXPECT_EQ(plan("job:3", {{"like_job", sdbus::Variant{std::uint64_t{8}}}}).error, dbus::error::kNotFound);
  EXPECT_EQ(plan("job:3", {{"like_job", sdbus::Variant{std::uint32_t{7}}}}).error,
            dbus::error::kInvalidArgument);
}

TEST_F(DesignsOnTheBus, a_plan_without_options_has_its_defaults) {
  add_job(3, JobPurpose::pilot, 6, the_same);
  const auto answered = plan("job:3");
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& row = std::get<0>(answered.values);
  EXPECT_EQ(real_at(row, "threshold"), 0.01);
  EXPECT_EQ(real_at(row, "effect"), 0.02);
  EXPECT_EQ(real_at(row, "power"), 0.8);
  EXPECT_FALSE(row.contains("detectable"));
  EXPECT_FALSE(row.contains("repeat_seconds"));
}

TEST_F(DesignsOnTheBus, a_plan_of_a_job_until_decided_has_its_blocks_and_their_time) {
  add_job(3, JobPurpose::pilot, 6, the_same);
  const auto answered = plan("job:3", {{"until_most", sdbus::Variant{std::uint32_t{40}}}});
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& row = std::get<0>(answered.values);
  EXPECT_EQ(row.at("until_most").get<std::uint32_t>(), 40U);
  EXPECT_EQ(real_at(row, "until_blocks"), 8) << "runs hardly vary: at the first look";
  EXPECT_EQ(real_at(row, "until_blocks_same"), 8);
  EXPECT_EQ(real_at(row, "until_decided"), 1);
  EXPECT_EQ(real_at(row, "until_decided_same"), 1);
  EXPECT_DOUBLE_EQ(real_at(row, "until_seconds"), 8 * 240.0);
  EXPECT_DOUBLE_EQ(real_at(row, "until_seconds_same"), 8 * 240.0);
  EXPECT_DOUBLE_EQ(real_at(row, "until_most_seconds"), 40 * 240.0);
  for (const auto& [key, value] : std::get<0>(plan("job:3").values)) EXPECT_FALSE(key.starts_with("until"));
  EXPECT_THAT(plan("job:3", {{"until_most", sdbus::Variant{std::uint32_t{5}}}}).text,
              HasSubstr("until_most: 5; expected is 6 to 500"));
}

TEST_F(DesignsOnTheBus, a_plan_names_what_is_wrong) {
  add_job(3, JobPurpose::pilot, 2, the_same);
  EXPECT_EQ(plan("job:3").error, dbus::error::kInvalidArgument);
  EXPECT_THAT(plan("job:3").text, HasSubstr("2 whole block(s) with a throughput"));
  EXPECT_EQ(plan("job:4").error, dbus::error::kNotFound);
  EXPECT_EQ(plan("jbo:3").error, dbus::error::kInvalidArgument);
  EXPECT_THAT(plan("job:3", {{"effect", sdbus::Variant{0.0}}}).text, HasSubstr("effect: 0 is no share"));
  EXPECT_THAT(plan("job:3", {{"effect", sdbus::Variant{1e20}}}).text,
              HasSubstr("effect: 100000000000000000000 is no share"));
  EXPECT_THAT(plan("job:3", {{"threshold", sdbus::Variant{1.0}}}).text,
              HasSubstr("threshold: 1 is no share between 0 and 1"));
  EXPECT_THAT(plan("job:3", {{"efect", sdbus::Variant{0.1}}}).text,
              HasSubstr("unknown option \"efect\"; allowed are figure, effect, power, threshold, repeat"));
  EXPECT_THAT(plan("job:3", {{"figure", sdbus::Variant{std::string{"latency.p95"}}}}).text,
              HasSubstr("did you mean p90?"));
}

TEST_F(DesignsOnTheBus, selections_leave_pilots_and_self_tests_out) {
  add_job(1, JobPurpose::measurement, 6, the_same);
  add_job(2, JobPurpose::pilot, 6, tenth_faster);
  const auto answered = client->call<dbus::Row, dbus::Rows, dbus::Rows, dbus::Rows>(
      "Compare", std::string{"variant:list"}, std::string{"variant:hash arm:plain"}, dbus::Row{});
  ASSERT_EQ(answered.error, "") << answered.text;
  EXPECT_THAT(std::get<0>(answered.values).at("runs_a").get<Numbers>(), Each(testing::Lt(200U)));
  EXPECT_THAT(std::get<0>(answered.values).at("runs_b").get<Numbers>(), SizeIs(12));
}

}  // namespace
}  // namespace netperfd::bus
