// SPDX-License-Identifier: GPL-2.0-or-later
// Comparisons of runs of several users.
#include <gtest/gtest.h>

#include "client/pages/render.hpp"
#include "client/report/report.hpp"
#include "tests/unit/client/compare_samples.hpp"
#include "tests/unit/client/golden.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

using Uids = std::vector<std::uint32_t>;

CompareView of_two_users() {
  CompareView view = samples::hash_table();
  ComparisonView& head = view.details.comparison;
  head.owners_a = Uids{1000};
  head.owner_runs_a = Uids{8};
  head.owners_b = Uids{1000, 54321};
  head.owner_runs_b = Uids{3, 5};
  head.caveats->insert(
      head.caveats->begin(),
      "The runs are of 2 users: to each of them, a label or a scenario may mean something else.");
  view.names = {{1000, "alice"}};
  return view;
}

TEST(OwnerPages, say_whose_runs_each_side_has_and_mark_the_verdict) {
  expect_golden("compare_owners_80.txt", compare_text(samples::terminal(80), of_two_users()));
  expect_golden("compare_owners.json", compare_json(of_two_users()));
  report::Report report;
  report.compared = of_two_users();
  const std::string page = report::html(report);
  EXPECT_TRUE(has(page, "IMPROVEMENT, runs of 2 users</strong>"));
  EXPECT_TRUE(has(page, "A: alice 8 runs; B: alice 3 runs, uid 54321 5 runs"));
  EXPECT_TRUE(has(page, "The runs are of 2 users"));
}

TEST(OwnerPages, of_one_user_do_not_mention_him) {
  CompareView view = samples::hash_table();
  const std::string without = compare_text(samples::terminal(80), view);
  ComparisonView& head = view.details.comparison;
  head.owners_a = head.owners_b = Uids{1000};
  head.owner_runs_a = head.owner_runs_b = Uids{8};
  EXPECT_EQ(compare_text(samples::terminal(80), view), without);
}

TEST(OwnerPages, of_one_user_on_each_side_are_marked) {
  CompareView view = of_two_users();
  view.details.comparison.owners_b = Uids{54321};
  view.details.comparison.owner_runs_b = Uids{8};
  const std::string page = compare_text(samples::terminal(80), view);
  EXPECT_TRUE(has(page, "owners     A: alice 8 runs; B: uid 54321 8 runs")) << page;
  EXPECT_TRUE(has(page, "IMPROVEMENT, runs of 2 users")) << page;
}

TEST(OwnerPages, of_several_figures_mark_the_verdict_over_all_and_each) {
  CompareView view = of_two_users();
  ComparedFigureView figure;
  figure.figure = "received";
  figure.unit = "bits_per_second";
  figure.better = "higher";
  figure.verdict = "improvement";
  view.details.comparison.figures = {figure, figure};
  view.details.comparison.figures->back().figure = "sent";
  const std::string page = compare_text(samples::terminal(80), view);
  EXPECT_TRUE(has(page, "IMPROVEMENT: improved received and sent, runs of 2 users")) << page;
}

// A user's name comes from the machine's user database, which may have anything.
TEST(OwnerPages, show_a_strange_name_as_it_can_be_printed) {
  CompareView view = of_two_users();
  view.names = {{1000, "al\x1b[31mice"}};
  EXPECT_FALSE(has(compare_text(samples::terminal(80), view), "\x1b[31mice"));
}

}  // namespace
}  // namespace netperfctl
