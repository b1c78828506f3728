// SPDX-License-Identifier: GPL-2.0-or-later
// Comparisons and plans of other figures than the throughput.
#include <gmock/gmock.h>

#include "tests/unit/bus/designs_fixture.hpp"

namespace netperfd::bus {
namespace {

using testing::ElementsAre;

using FiguresOnTheBus = DesignsOnTheBus;

TEST_F(FiguresOnTheBus, a_job_is_compared_in_the_figures_that_it_declares_or_that_are_asked_for) {
  add_job(2, JobPurpose::measurement, 8, tenth_faster);
  for (const core::RunRow& run : queries.stored) {
    const double slower = run.slot.variant == 'B' ? 3 : 1;
    queries.stored_compared[run.id].figures["latency.p99"] =
        slower * 1e6 + 1e3 * static_cast<double>(run.id % 7);
  }
  const auto shown_figures = [](const dbus::Row& head) {
    std::vector<std::string> all;
    for (const dbus::Row& row : head.at("figures").get<dbus::Rows>())
      all.push_back(fmt::format("{} {} {}", text_at(row, "figure"), text_at(row, "verdict"),
                                real_at(row, "threshold")));
    return all;
  };
  const auto alone = compare_job(2);
  ASSERT_EQ(alone.error, "") << alone.text;
  EXPECT_THAT(shown_figures(std::get<0>(alone.values)), ElementsAre("received improvement 0.01"));
  queries.stored_figures[2] = parse_figure_choices({"received", "latency.p99:5%"}).value();
  const auto declared = compare_job(2);
  const auto& head = std::get<0>(declared.values);
  EXPECT_EQ(text_at(head, "verdict"), "trade-off");
  EXPECT_EQ(text_at(head, "figure"), "received");
  EXPECT_THAT(shown_figures(head), ElementsAre("received improvement 0.01", "latency.p99 regression 0.05"));
  const auto asked =
      compare_job(2, {{"figures", sdbus::Variant{std::vector<std::string>{"latency.p99:50%"}}}});
  EXPECT_EQ(text_at(std::get<0>(asked.values), "verdict"), "regression");
  EXPECT_THAT(shown_figures(std::get<0>(asked.values)), ElementsAre("latency.p99 regression 0.5"));
}

TEST_F(FiguresOnTheBus, a_plan_is_of_the_figure_that_is_asked_for) {
  add_job(3, JobPurpose::pilot, 6, the_same);
  for (const core::RunRow& run : queries.stored)
    queries.stored_compared[run.id].figures["cpu"] = 2 + 0.1 * static_cast<double>(run.id % 5);
  const auto received = plan("job:3"), cpu = plan("job:3", {{"figure", sdbus::Variant{std::string{"cpu"}}}});
  ASSERT_EQ(cpu.error, "") << cpu.text;
  EXPECT_EQ(text_at(std::get<0>(received.values), "figure"), "received");
  EXPECT_EQ(text_at(std::get<0>(cpu.values), "figure"), "cpu");
  EXPECT_EQ(real_at(std::get<0>(cpu.values), "level"), 0.95);
  EXPECT_FALSE(std::get<0>(cpu.values).contains("figures"));
  EXPECT_GT(real_at(std::get<0>(cpu.values), "sd"), real_at(std::get<0>(received.values), "sd"));
  queries.stored_figures[3] = parse_figure_choices({"cpu", "received"}).value();
  const auto declared = plan("job:3");
  EXPECT_EQ(text_at(std::get<0>(declared.values), "figure"), "cpu");
  EXPECT_DOUBLE_EQ(real_at(std::get<0>(declared.values), "level"), 0.975);
  EXPECT_THAT(std::get<0>(declared.values).at("figures").get<std::vector<std::string>>(),
              ElementsAre("cpu", "received"));
}

TEST_F(FiguresOnTheBus, of_counters_name_their_source_and_turn_by_their_names) {
  constexpr const char* kDrops = "counter.to-far/tbf@bottleneck.drops";
  add_job(2, JobPurpose::measurement, 8, the_same);
  for (const core::RunRow& run : queries.stored) {
    analysis::ComparedRun& stored = queries.stored_compared[run.id];
    stored.figures[kDrops] = (run.slot.variant == 'B' ? 300 : 100) + 0.01 * static_cast<double>(run.id % 7);
    stored.sources[kDrops] = "qdisc";
  }
  const auto asked = compare_job(2, {{"figures", sdbus::Variant{std::vector<std::string>{kDrops}}}});
  ASSERT_EQ(asked.error, "") << asked.text;
  const auto rows = std::get<0>(asked.values).at("figures").get<dbus::Rows>();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(text_at(rows[0], "figure"), kDrops);
  EXPECT_EQ(text_at(rows[0], "unit"), "per_second");
  EXPECT_EQ(text_at(rows[0], "better"), "lower");
  EXPECT_EQ(text_at(rows[0], "source"), "qdisc");
  EXPECT_EQ(text_at(rows[0], "verdict"), "regression");
  queries.stored_compared[queries.stored.back().id].sources[kDrops] = "nic";
  const auto mixed = compare_job(2, {{"figures", sdbus::Variant{std::vector<std::string>{kDrops}}}});
  EXPECT_EQ(text_at(std::get<0>(mixed.values), "verdict"), "refused");
  const auto none =
      compare_job(2, {{"figures", sdbus::Variant{std::vector<std::string>{"counter.eth0.rx_packets"}}}});
  EXPECT_EQ(none.error, "org.netperfd1.Error.InvalidArgument");
  EXPECT_THAT(none.text, testing::HasSubstr("no run has this counter"));
}

// B has half of A's energy, and each run tells it as its own.
TEST_F(FiguresOnTheBus, of_the_runs_own_are_judged_and_planned_like_any_other) {
  add_job(2, JobPurpose::measurement, 8, the_same);
  for (const core::RunRow& run : queries.stored) {
    const double energy = (run.slot.variant == 'B' ? 1 : 2) + 0.001 * static_cast<double>(run.id % 7);
    queries.stored_compared[run.id].own_figures = {
        {.name = "energy", .unit = "J", .better = Better::lower, .value = energy}};
  }
  const auto asked = compare_job(2, {{"figures", sdbus::Variant{std::vector<std::string>{"energy:5%"}}}});
  ASSERT_EQ(asked.error, "") << asked.text;
  const auto rows = std::get<0>(asked.values).at("figures").get<dbus::Rows>();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(text_at(rows[0], "figure"), "energy");
  EXPECT_EQ(text_at(rows[0], "unit"), "J");
  EXPECT_EQ(text_at(rows[0], "better"), "lower");
  EXPECT_EQ(text_at(rows[0], "verdict"), "improvement");
  EXPECT_EQ(real_at(rows[0], "threshold"), 0.05);
  queries.stored_figures[2] = parse_figure_choices({"energy"}, parse_any_figure).value();
  EXPECT_EQ(text_at(std::get<0>(compare_job(2).values), "figure"), "energy") << "the job declares it";
  EXPECT_EQ(text_at(std::get<0>(plan("job:2").values), "figure"), "energy");
}

TEST_F(FiguresOnTheBus, that_no_run_has_are_refused_with_those_that_there_are) {
  add_job(2, JobPurpose::measurement, 8, the_same);
  for (const core::RunRow& run : queries.stored)
    queries.stored_compared[run.id].own_figures = {{.name = "energy", .unit = "J", .value = 1}};
  constexpr const char* kMessage =
      "figure \"enery\" does not exist; expected is received, sent, delivered, retransmits, rtt, jitter, "
      "cpu, "
      "latency, counter or energy; did you mean energy?";
  const auto compared = compare_job(2, {{"figures", sdbus::Variant{std::vector<std::string>{"enery"}}}});
  EXPECT_EQ(compared.error, "org.netperfd1.Error.InvalidArgument");
  EXPECT_EQ(compared.text, kMessage);
  const auto planned = plan("job:2", {{"figure", sdbus::Variant{std::string{"enery"}}}});
  EXPECT_EQ(planned.text, kMessage);
}

}  // namespace
}  // namespace netperfd::bus
