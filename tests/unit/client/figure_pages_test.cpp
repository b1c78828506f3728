// SPDX-License-Identifier: GPL-2.0-or-later
// Comparisons of other figures than the throughput, and of several.
#include <gtest/gtest.h>

#include <string>

#include "client/pages/render.hpp"
#include "client/report/report.hpp"
#include "client/verbs/fail_on.hpp"
#include "tests/unit/client/compare_samples.hpp"
#include "tests/unit/client/design_samples.hpp"
#include "tests/unit/client/golden.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

using samples::figure_of;
using samples::trade_off;

std::string page_of(const CompareView& view, std::size_t width = 80) {
  return compare_text(samples::terminal(width), view);
}

TEST(FigurePages, show_each_figure_and_the_verdict_over_all) {
  expect_golden("compare_trade_off_80.txt", page_of(trade_off()));
  expect_golden("compare_trade_off.json", compare_json(trade_off()));
  CompareView named = trade_off();
  named.asked.figures = {"received", "latency.p99:5%"};
  expect_golden("compare_figures.csv", compare_csv(named));
  EXPECT_EQ(compare_csv(trade_off()), compare_csv(samples::ring_sides())) << "functions, if none was named";
}

TEST(FigurePages, of_one_figure_are_as_they_are_without_the_list) {
  CompareView view = samples::ring_sides();
  const std::string text = page_of(view);
  const ComparisonView& head = view.details.comparison;
  ComparedFigureView figure = figure_of("received", "improvement", 2.714);
  figure.threshold = 0.01;
  figure.effect.samples_a = figure.effect.samples_b = head.effect.samples_a;
  figure.effect.median_a = head.effect.median_a;
  figure.effect.median_b = head.effect.median_b;
  figure.effect.low = head.effect.low;
  figure.effect.high = head.effect.high;
  figure.effect.level = head.effect.level;
  figure.effect.p = figure.p_adjusted = head.effect.p;
  figure.selftest.verdict = head.selftest.verdict;
  figure.selftest.samples = head.selftest.samples;
  figure.selftest.low = head.selftest.low;
  figure.selftest.high = head.selftest.high;
  view.details.comparison.figures = {figure};
  EXPECT_EQ(page_of(view), text);
}

TEST(FigurePages, say_how_many_blocks_several_figures_need) {
  CompareView view = trade_off();
  ComparisonView& head = view.details.comparison;
  head.verdict = "too few";
  head.effect.samples_a = head.effect.samples_b = 6;
  for (ComparedFigureView& figure : *head.figures) {
    figure.verdict = "too few";
    figure.effect.samples_a = figure.effect.samples_b = 6;
    figure.effect.low.reset();
    figure.effect.high.reset();
    figure.effect.level.reset();
  }
  const std::string text = page_of(view, 200);
  EXPECT_TRUE(has(text, "TOO FEW: too few for received and latency.p99")) << text;
  EXPECT_TRUE(has(text, "too few: an interval beside those of the other figures takes 7 blocks")) << text;
  EXPECT_TRUE(has(text, "hsr_get_node")) << text;
}

TEST(FigurePages, of_a_figure_of_which_less_is_better_say_so) {
  CompareView view = samples::ring_sides();
  view.details.comparison.figures = {figure_of("latency.load.p999", "improvement", 0.5)};
  const std::string text = page_of(view, 200);
  EXPECT_TRUE(has(text, "latency.load.p999  1.20 -> 0.602 ms   -50 %   IMPROVEMENT")) << text;
  EXPECT_TRUE(has(text, "less is better; changed by at least 5 %")) << text;
  EXPECT_FALSE(has(text, "figures")) << text;
}

TEST(FigurePages, tell_what_is_left_of_a_figure_that_is_almost_gone) {
  CompareView view = samples::ring_sides();
  view.details.comparison.figures = {figure_of("latency.p99", "improvement", 0.0036)};
  const std::string text = page_of(view, 200);
  EXPECT_TRUE(has(text, "-99.64 %")) << text;
  EXPECT_TRUE(has(text, "-99.65 to -99.63 %")) << text;
}

TEST(FigurePages, have_the_units_of_their_figures) {
  const auto shown = [](const std::string& unit, double a, double b) {
    CompareView view = samples::ring_sides();
    ComparedFigureView figure = figure_of("cpu", "regression", 2);
    figure.unit = unit;
    figure.effect.median_a = a;
    figure.effect.median_b = b;
    view.details.comparison.figures = {figure};
    return page_of(view, 200);
  };
  EXPECT_TRUE(has(shown("ns_per_byte", 1.5, 3), "cpu        1.50 -> 3.00 ns/byte   +100 %"));
  EXPECT_TRUE(has(shown("share", 0.4, 0.8), "40.00 -> 80.00 %"));
  EXPECT_TRUE(has(shown("per_gigabyte", 12, 24), "12.0 -> 24.0 /GB"));
  EXPECT_TRUE(has(shown("ns", 4e4, 8e6), "0.040 -> 8.00 ms"));
  EXPECT_TRUE(has(shown("parsecs", 1, 2), "1.00 -> 2.00 parsecs")) << "of the runs' own";
  EXPECT_TRUE(has(shown("", 1, 2), "1.00 -> 2.00   +100 %")) << "a number";
}

TEST(FigurePages, hide_nothing_of_the_figures_that_were_not_refused) {
  CompareView view = trade_off();
  view.details.comparison.verdict = "refused";
  view.details.comparison.figures->back().verdict = "refused";
  const std::string text = page_of(view, 200);
  EXPECT_TRUE(has(text, "REFUSED: improved received, refused latency.p99")) << text;
  EXPECT_TRUE(has(text, "IMPROVEMENT")) << text;
  EXPECT_TRUE(has(text, "hsr_get_node")) << text;
}

TEST(FigurePages, of_a_self_test_resolve_each_figure) {
  CompareView view = samples::self_equivalent();
  view.details.comparison.figures = {figure_of("received", "equivalent", 1.001),
                                     figure_of("latency.p99", "regression", 1.2)};
  view.details.comparison.verdict = "regression";
  expect_golden("selftest_figures_80.txt", selftest_text(samples::terminal(80), view));
}

TEST(FigurePages, escape_what_the_daemon_says) {
  CompareView view = trade_off();
  view.details.comparison.figures->front().figure = "rec\x1b[31meived";
  EXPECT_FALSE(has(page_of(view), "\x1b[31m"));
}

TEST(FigurePages, a_report_shows_each_figure) {
  report::Report report;
  report.title = "ring";
  report.compared = trade_off();
  const std::string html = report::html(report);
  EXPECT_TRUE(has(html, "TRADE-OFF: improved received, worse latency.p99")) << html.substr(0, 200);
  EXPECT_TRUE(has(html, "<h3>latency.p99</h3>"));
  EXPECT_TRUE(has(html, "B against A: +150 %"));
  EXPECT_TRUE(has(html, "B against A: +20 %"));
}

TEST(FigurePages, of_a_plan_name_the_figure) {
  PlanPageView view = samples::block_plan();
  view.plan.figure = "latency.p99";
  view.plan.level = 0.975;
  EXPECT_TRUE(has(plan_text(samples::terminal(200), view), "figure     latency.p99\n"));
  view.plan.figures = {"received", "latency.p99"};
  EXPECT_TRUE(
      has(plan_text(samples::terminal(200), view),
          "latency.p99, whose interval has 97.5 %: a comparison judges received, latency.p99 together"));
}

TEST(FailOn, takes_a_trade_off_for_a_regression) {
  EXPECT_EQ(exit_of("trade-off", {"regression"}), Exit::regression);
  EXPECT_EQ(exit_of("trade-off", {"inconclusive"}), Exit::ok);
  EXPECT_EQ(exit_of("trade-off", {"regression", "inconclusive"}), Exit::regression);
  EXPECT_EQ(exit_of("trade-off", {"never"}), Exit::ok);
}

}  // namespace
}  // namespace netperfctl
