// SPDX-License-Identifier: GPL-2.0-or-later
// Figures that a workload brings, on the page of a run and in documents; and runs of workloads that this
// client does not know.
#include <gmock/gmock.h>

#include <string>

#include "client/pages/render.hpp"
#include "tests/unit/client/golden.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

ShowView of_an_unknown_workload() {
  ShowView view;
  RunView& run = view.details.run;
  run.run = 43;
  run.job = 12;
  run.scenario = "teleport-home";
  run.state = "finished";
  run.started_us = 1'750'000'000'000'000;
  run.ended_us = 1'750'000'012'000'000;
  run.duration_s = 12;
  run.workload = "teleport";
  view.figures = {{.name = "calls", .unit = "per second", .better = "higher", .value = 81'234.5678},
                  {.name = "delay.p99", .unit = "ms", .better = "lower", .value = 0.000125},
                  {.name = "offset", .unit = {}, .better = "lower", .value = -3}};
  return view;
}

TEST(NamedFigurePages, list_them_beside_the_word_of_the_workload) {
  expect_golden("show_figures_80.txt", show_text(samples::terminal(80), of_an_unknown_workload()));
  expect_golden("show_figures.json", show_json(of_an_unknown_workload()));
  expect_golden("show_figures.csv", show_csv(of_an_unknown_workload()));
}

TEST(NamedFigurePages, of_an_unknown_workload_say_nothing_of_iperf3) {
  ShowView view = of_an_unknown_workload();
  view.figures.clear();
  EXPECT_THAT(show_text(samples::terminal(80), view),
              AllOf(HasSubstr("what was measured is not known"), HasSubstr("teleport, 12 s"),
                    Not(HasSubstr("iperf3")), Not(HasSubstr("between"))));
  EXPECT_THAT(show_json(view), Not(HasSubstr("figures")));
}

TEST(NamedFigurePages, of_iperf3_have_them_below_its_own) {
  ShowView view = samples::tcp();
  const std::string without = show_text(samples::terminal(80), view);
  view.figures = of_an_unknown_workload().figures;
  const std::string with = show_text(samples::terminal(80), view);
  EXPECT_THAT(with, HasSubstr("  FIGURE        VALUE  UNIT        BETTER\n"));
  EXPECT_EQ(with.substr(0, with.find('\n')), without.substr(0, without.find('\n')));
  EXPECT_EQ(show_csv(view), show_csv(samples::tcp())) << "its intervals come first, as ever";
  view.with_page = false;
  view.list_figures = true;
  EXPECT_THAT(show_csv(view), testing::StartsWith("run,name,unit,better,value\r\n"));
  EXPECT_THAT(show_text(samples::terminal(80), view), testing::StartsWith("  FIGURE"));
  view.figures.clear();
  EXPECT_THAT(show_text(samples::terminal(80), view), HasSubstr("brought no figures of its own"));
}

TEST(NamedFigurePages, show_no_control_characters_of_others) {
  ShowView view = of_an_unknown_workload();
  view.details.run.workload = "tele\x1b[2Jport";
  view.figures[0].unit = "a\x1b[2J";
  EXPECT_THAT(show_text(samples::terminal(80), view), Not(HasSubstr("\x1b[2J")));
}

}  // namespace
}  // namespace netperfctl
