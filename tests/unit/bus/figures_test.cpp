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
    const double slower = run.arm.variant == 'B' ? 3 : 1;
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

}  // namespace
}  // namespace netperfd::bus
