// SPDX-License-Identifier: GPL-2.0-or-later
// What the pages say of the budget of a job's trace, and of a job that confirms another one.
#include <gtest/gtest.h>

#include <string>

#include "client/pages/budget_text.hpp"
#include "client/pages/render.hpp"
#include "tests/unit/client/compare_samples.hpp"
#include "tests/unit/client/golden.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

BudgetDetails a_budget() {
  return {.budget = {.asked = 0.2, .predicted = 0.1834, .window_s = 1, .failure = {}},
          .functions = {{.function = "hsr_forward_skb", .calls = 81'234, .cost = 0.41, .traced = false},
                        {.function = "hsr_dev_xmit", .calls = 40'617, .cost = 0.21, .traced = false},
                        {.function = "hsr_get_node", .calls = 31'234, .cost = 0.18, .traced = false},
                        {.function = "hsr_handle_frame", .calls = 21'234, .cost = 0.12, .traced = false},
                        {.function = "hsr_prune_nodes", .calls = 12, .cost = 0.0004, .traced = true}}};
}

TEST(BudgetWords, say_what_was_asked_predicted_and_measured_and_what_is_left_out) {
  EXPECT_EQ(
      show::budget_words(a_budget(), {0.19, 0.2}),
      "at most 20 % of the CPU time: 18 % predicted, 19 % and 20 % measured; left out with their calls in "
      "1 s: hsr_forward_skb (81,234 calls), hsr_dev_xmit (40,617 calls), hsr_get_node (31,234 calls) and "
      "1 more");
  BudgetDetails details = a_budget();
  details.functions.erase(details.functions.begin(), details.functions.begin() + 4);
  EXPECT_EQ(show::budget_words(details, {}),
            "at most 20 % of the CPU time: 18 % predicted; no function is left out");
  details.budget = {.asked = 0.2, .predicted = {}, .window_s = {}, .failure = "the server is busy"};
  EXPECT_EQ(show::budget_words(details, {0.4}),
            "at most 20 % of the CPU time: 40 % measured; not applied: the server is busy");
}

TEST(BudgetPages, of_a_run_have_the_budget_beside_its_functions) {
  ShowView view = samples::ring();
  view.budget = a_budget();
  view.details.run.tracer_share = 0.19;
  expect_golden("show_budget_80.txt", show_text(samples::terminal(80), view));
  expect_golden("show_budget.json", show_json(view));
  view.function_lists.functions = true;
  const std::string all = show_text(samples::terminal(80), view);
  EXPECT_NE(all.find("hsr_handle_frame"), std::string::npos) << all;
}

TEST(BudgetPages, of_a_comparison_have_it_beside_what_both_sides_took) {
  CompareView view = samples::ring_sides();
  view.budget = a_budget();
  view.details.comparison.tracer_share_a = 0.19;
  view.details.comparison.tracer_share_b = 0.2;
  expect_golden("compare_budget_80.txt", compare_text(samples::terminal(80), view));
  expect_golden("compare_budget.json", compare_json(view));
}

TEST(BudgetPages, of_a_job_that_confirms_another_one_have_both_answers) {
  CompareView view = samples::ring_sides();
  view.details.comparison.confirms = 12;
  ASSERT_GE(view.details.functions.size(), 2U);
  auto& first = view.details.functions[0];
  first.first_shift = -17.5;
  first.first_low = -18.6;
  first.first_high = -16.4;
  first.agrees = true;
  auto& second = view.details.functions[1];
  second.first_shift = 2;
  second.agrees = false;
  expect_golden("compare_confirms_80.txt", compare_text(samples::terminal(80), view));
  expect_golden("compare_confirms.json", compare_json(view));
}

}  // namespace
}  // namespace netperfctl
