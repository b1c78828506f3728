// SPDX-License-Identifier: GPL-2.0-or-later
// The comparison of a sweep in all formats.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "client/pages/render.hpp"
#include "client/terminal/text.hpp"
#include "client/verbs/fail_on.hpp"
#include "tests/unit/client/compare_samples.hpp"
#include "tests/unit/client/design_samples.hpp"
#include "tests/unit/client/golden.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

using samples::swept;
using samples::swept_figures;
using testing::HasSubstr;
using testing::Not;

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    widest = std::max(widest, display_width(text.substr(at, end - at)));
    at = end + 1;
  }
  return widest;
}

std::string page_of(const SweepView& view, std::size_t width = 80) {
  return sweep_text(samples::terminal(width), view);
}

TEST(SweepPages, have_a_row_for_each_point) {
  expect_golden("sweep_80.txt", page_of(swept()));
  expect_golden("sweep.mail.txt", sweep_mail(swept()));
  expect_golden("sweep.md", sweep_markdown(swept()));
  expect_golden("sweep.json", sweep_json(swept()));
  expect_golden("sweep.csv", sweep_csv(swept()));
  expect_golden("sweep.junit.xml", sweep_junit(swept()));
}

TEST(SweepPages, of_60_points_are_tables_that_fit) {
  const std::string page = page_of(swept_figures());
  expect_golden("sweep_figures_80.txt", page);
  EXPECT_LE(widest_line(page), 80U);
  const std::string mail = sweep_mail(swept_figures());
  EXPECT_LE(widest_line(mail), 72U);
  for (const std::string& text : {page, mail}) {
    EXPECT_THAT(text, HasSubstr("\nreceived, in bit/s\n"));
    EXPECT_THAT(text, HasSubstr("\nlatency.load.p99, in ms; less is better\n"));
    EXPECT_THAT(text, HasSubstr("\n  60 "));
    EXPECT_THAT(text, Not(HasSubstr("\n\n\n"))) << text;
  }
  EXPECT_LE(widest_line(page_of(swept_figures(), 50)), 50U);
}

TEST(SweepPages, are_plain_ascii) {
  for (const std::string& text : {page_of(swept()), sweep_mail(swept_figures())})
    EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c < 0x7f); }))
        << text;
}

TEST(SweepPages, name_a_point_to_look_at) {
  EXPECT_THAT(page_of(swept()), HasSubstr("netperfctl compare job:7 --point 8\n")) << "the one that is worse";
  SweepView better = swept();
  better.details.figures[7].point_verdict = "inconclusive";
  EXPECT_THAT(page_of(better), HasSubstr("netperfctl compare job:7 --point 1\n"));
}

TEST(SweepPages, say_a_caveat_of_several_points_once) {
  const std::string page = page_of(swept_figures(), 200);
  EXPECT_THAT(page, HasSubstr("evidence   - Each side had one boot.\n"));
  SweepView some = swept_figures();
  for (std::size_t i = 10; i < some.details.figures.size(); ++i) some.details.figures[i].caveat.reset();
  EXPECT_THAT(
      page_of(some, 200),
      HasSubstr("- streams=1, length=65; streams=1, length=66; streams=1, length=67; 2 more points: Each"));
}

TEST(SweepPages, of_no_result_say_why_at_which_points) {
  SweepView view = swept();
  view.details.figures.erase(view.details.figures.begin(), view.details.figures.begin() + 8);
  view.details.trends.clear();
  const std::string page = page_of(view, 200);
  EXPECT_THAT(page, HasSubstr("no result  streams=16, length=1448: No run of B has finished.\n"));
  EXPECT_THAT(page, HasSubstr("1 too few of 9 points"));
  EXPECT_THAT(page, HasSubstr("An interval of one of 9 takes 9 blocks."));
}

TEST(SweepPages, show_all_trends_if_asked) {
  SweepView view = swept();
  EXPECT_THAT(page_of(view, 200), HasSubstr("...1 not shown beyond chance: --all\n"));
  EXPECT_THAT(
      page_of(view, 200),
      HasSubstr("received: B against A falls along streams from 1 to 16, at length=512: -10 % (-14 to "
                "-6.0 %), p 0.034; not from each point to the next\n"));
  view.all = true;
  EXPECT_THAT(
      page_of(view, 200),
      HasSubstr("received: B against A shows no trend along length from 64 to 1448, at streams=1: -2.0 %"));
}

TEST(SweepPages, escape_what_the_daemon_says) {
  const std::string hostile = "x\x1b[31m|<a>&\xff";
  SweepView view = swept();
  view.scenario = view.details.sweep.name_a = view.details.figures[0].name = hostile;
  view.details.sweep.axes->front() = view.details.figures[0].values->front() = hostile;
  view.details.figures[0].figure = view.details.figures[0].caveat = hostile;
  view.details.trends[0].axis = hostile;
  view.details.trends[0].at = hostile;
  for (const std::string& text : {page_of(view), sweep_mail(view), sweep_markdown(view), sweep_junit(view)}) {
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_TRUE(is_utf8(text));
  }
  EXPECT_THAT(sweep_junit(view), Not(HasSubstr("<a>")));
}

TEST(SweepPages, follow_a_job_in_its_document) {
  const SweepView view = swept();
  expect_golden("start_sweep.json", start_json(samples::interleaved_start(), nullptr, &view));
}

TEST(SweepPages, of_one_point_say_which) {
  CompareView view = samples::ring_sides();
  view.details.comparison.point = 3;
  view.details.comparison.point_name = "streams=1, length=1448";
  EXPECT_THAT(compare_text(samples::terminal(200), view), HasSubstr("   point 3: streams=1, length=1448\n"));
  EXPECT_THAT(compare_mail(view), HasSubstr("of job 33, point 3:\n             streams=1, length=1448\n"));
  expect_golden("compare_point.json", compare_json(view));
}

TEST(SweepExit, is_that_of_the_worst_point) {
  const FailOn both{"regression", "inconclusive"};
  SweepDetails details = swept().details;
  EXPECT_EQ(exit_of(details, both), Exit::regression);
  EXPECT_EQ(exit_of(details, {"inconclusive"}), Exit::inconclusive);
  EXPECT_EQ(exit_of(details, {"never"}), Exit::ok);
  details.figures[7].point_verdict = "trade-off";
  EXPECT_EQ(exit_of(details, both), Exit::regression);
  details.figures[7].point_verdict = "improvement";
  EXPECT_EQ(exit_of(details, both), Exit::inconclusive) << "too few at the last point";
  details.figures.pop_back();
  EXPECT_EQ(exit_of(details, both), Exit::ok);
  EXPECT_EQ(exit_of(SweepDetails{}, both), Exit::inconclusive);
}

}  // namespace
}  // namespace netperfctl
