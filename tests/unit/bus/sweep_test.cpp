// SPDX-License-Identifier: GPL-2.0-or-later
// The comparison of a sweep: its rows, written out by hand as in golden_rows_test.cpp, and the method.
#include <gmock/gmock.h>

#include "daemon/bus/options/options.hpp"
#include "daemon/bus/queries/query_bytes.hpp"
#include "daemon/bus/rows/wire_comparison.hpp"
#include "daemon/bus/rows/wire_sweep.hpp"
#include "tests/unit/bus/bus_test.hpp"
#include "tests/unit/bus/designs_fixture.hpp"
#include "tests/unit/bus/row_values.hpp"

namespace netperfd::bus {
namespace {

using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::UnorderedElementsAre;

SweepComparison a_swept_comparison() {
  SweepComparison compared{.name_a = "cubic",
                           .name_b = "bbr",
                           .axes = {"streams", "length"},
                           .points = {},
                           .trends = {},
                           .level = 0.75,
                           .tests = 2,
                           .fewest = 9};
  FigureResult figure;
  figure.name = "latency.p99";
  figure.unit = "ns";
  figure.better = Better::lower;
  figure.pairing = Pairing::blocks;
  figure.verdict = Verdict::inconclusive;
  figure.leaning = Verdict::regression;
  figure.threshold = 0.25;
  figure.p_adjusted = 0.5;
  figure.effect.n_a = 1;
  figure.effect.n_b = 2;
  figure.effect.median_a = 3.5;
  figure.effect.median_b = 4.5;
  figure.effect.centre_a = 5.5;
  figure.effect.centre_b = 6.5;
  figure.effect.ratio = 7.5;
  figure.effect.low = 8.5;
  figure.effect.high = 9.5;
  figure.effect.level = 10.5;
  figure.effect.p = 11.5;
  figure.effect.cliffs_delta = 12.5;
  figure.effect.detectable = 13.5;
  figure.effect.needed = 14;
  figure.effect.needed_for_equivalence = 15;
  compared.points.push_back({.point = 1,
                             .name = "streams=1, length=64",
                             .values = {"1", "64"},
                             .runs_a = 24,
                             .runs_b = 23,
                             .verdict = Verdict::inconclusive,
                             .figures = {figure},
                             .caveat = ""});
  compared.points.push_back({.point = 2,
                             .name = "streams=4, length=64",
                             .values = {"4", "64"},
                             .runs_a = 0,
                             .runs_b = 0,
                             .verdict = Verdict::too_few,
                             .figures = {},
                             .caveat = "No run of A has finished."});
  compared.trends.push_back({.figure = "received",
                             .axis = "streams",
                             .at = "length=64",
                             .points = 2,
                             .blocks = 12,
                             .ratio = 1.5,
                             .low = 2.5,
                             .high = 3.5,
                             .level = 4.5,
                             .p_adjusted = 5.5,
                             .monotone = true});
  return compared;
}

TEST(GoldenSweep, has_a_row_for_each_point_and_figure) {
  const WireSweep wire = wire_sweep(a_swept_comparison());
  EXPECT_THAT(shown(wire.sweep),
              UnorderedElementsAre("name_a cubic", "name_b bbr", R"(axes ["streams", "length"])", "points 2",
                                   "tests 2", "level 0.75", "fewest 9"));
  ASSERT_EQ(wire.figures.size(), 2U);
  EXPECT_THAT(
      shown(wire.figures[0]),
      UnorderedElementsAre("point 1", "name streams=1, length=64", R"(values ["1", "64"])", "runs_a 24",
                           "runs_b 23", "point_verdict inconclusive", "figure latency.p99", "unit ns",
                           "better lower", "verdict inconclusive", "leaning regression", "threshold 0.25",
                           "pairing blocks", "samples_a 1", "samples_b 2", "median_a 3.5", "median_b 4.5",
                           "centre_a 5.5", "centre_b 6.5", "ratio 7.5", "ratio_low 8.5", "ratio_high 9.5",
                           "level 10.5", "p 11.5", "p_adjusted 0.5", "cliffs_delta 12.5", "detectable 13.5",
                           "needed 14", "needed_for_equivalence 15"));
  EXPECT_THAT(
      shown(wire.figures[1]),
      UnorderedElementsAre("point 2", "name streams=4, length=64", R"(values ["4", "64"])", "runs_a 0",
                           "runs_b 0", "point_verdict too few", "caveat No run of A has finished."));
  ASSERT_EQ(wire.trends.size(), 1U);
  EXPECT_THAT(shown(wire.trends[0]),
              UnorderedElementsAre("figure received", "axis streams", "at length=64", "points 2", "blocks 12",
                                   "ratio 1.5", "ratio_low 2.5", "ratio_high 3.5", "level 4.5",
                                   "p_adjusted 5.5", "monotone true"));
}

TEST(GoldenSweep, that_does_not_fit_into_a_message_is_an_error) {
  SweepComparison compared = a_swept_comparison();
  compared.points.resize(20'000, compared.points.back());
  EXPECT_THROW((void)wire_sweep(compared), sdbus::Error);
}

TEST(GoldenSweep, is_told_by_the_row_of_its_job) {
  core::JobRow job;
  job.runs.push_back({.id = 1, .state = RunState::finished, .started = {}, .ended = {}});
  job.design = a_design();
  EXPECT_FALSE(to_map(job_row(job)).contains("points"));
  job.points = 6;
  EXPECT_EQ(small_at(to_map(job_row(job)), "points"), 6U);
  core::JobStatus live;
  live.design = job.design;
  live.design->sweep = {{"streams", {"1", "4", "16"}}, {"length", {"64", "512"}}};
  EXPECT_EQ(small_at(to_map(design_row(live)), "points"), 6U);
  netperfctl::LiveJobView view;
  netperfctl::apply_design(view, from_row<rows::Design>(design_row(live)));
  EXPECT_EQ(view.points, 6U);
}

TEST(GoldenSweep, of_one_point_names_it_in_a_usual_comparison) {
  const auto row = wire_comparison({}, NamedPoint{3, "streams=1, length=1448"}).comparison;
  EXPECT_THAT(shown(row), IsSupersetOf({"point 3", "point_name streams=1, length=1448"}));
  EXPECT_FALSE(to_map(wire_comparison({}).comparison).contains("point"));
}

TEST(CompareOptions, have_a_point_from_1_on) {
  const auto parsed = [](std::uint32_t point) {
    return parse_compare_options({{"point", sdbus::Variant{point}}});
  };
  EXPECT_EQ(parsed(3)->point, 3U);
  EXPECT_EQ(parse_compare_options({})->point, std::nullopt);
  ASSERT_FALSE(parsed(0));
  EXPECT_THAT(parsed(0).error().message, HasSubstr("count from 1"));
}

class SweepsOnTheBus : public ClientTest {
 protected:
  Answered<dbus::Row, dbus::Rows, dbus::Rows> compare_sweep(const dbus::Row& options = {}) {
    return client->call<dbus::Row, dbus::Rows, dbus::Rows>("CompareSweep", std::uint64_t{7}, options);
  }
};

TEST_F(SweepsOnTheBus, are_compared_by_a_process_of_their_own) {
  const WireSweep wire = wire_sweep(a_swept_comparison());
  query_runner->instead = to_query_bytes(wire.sweep, wire.figures, wire.trends);
  const auto answered = compare_sweep();
  EXPECT_EQ(answered.error, "") << answered.text;
  EXPECT_EQ(query_runner->callers.size(), 1U);
  const auto& [sweep, figures, trends] = answered.values;
  EXPECT_EQ(text_at(sweep, "name_b"), "bbr");
  ASSERT_EQ(figures.size(), 2U);
  EXPECT_EQ(text_at(figures[0], "figure"), "latency.p99");
  EXPECT_EQ(from_row<rows::SweepFigure>(figures[1]).caveat, "No run of A has finished.");
  ASSERT_EQ(trends.size(), 1U);
  EXPECT_EQ(from_row<rows::SweepTrend>(trends[0]).at, "length=64");
}

TEST_F(SweepsOnTheBus, and_selections_have_no_point) {
  const dbus::Row point{{"point", sdbus::Variant{std::uint32_t{1}}}};
  EXPECT_THAT(compare_sweep(point).text, HasSubstr("only CompareJob"));
  EXPECT_THAT((client
                   ->call<dbus::Row, dbus::Rows, dbus::Rows, dbus::Rows>("Compare", std::string("1"),
                                                                         std::string("2"), point)
                   .text),
              HasSubstr("only CompareJob"));
  EXPECT_TRUE(query_runner->callers.empty());
}

}  // namespace
}  // namespace netperfd::bus
