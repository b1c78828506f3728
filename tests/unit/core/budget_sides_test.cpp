// SPDX-License-Identifier: GPL-2.0-or-later
// A design with commands and a budget: calls are counted on both sides.
#include <gmock/gmock.h>

#include "tests/unit/core/budget_fixture.hpp"

namespace netperfd::core {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

class BudgetOfSides : public BudgetCount {
 protected:
  static JobSpec a_design_with_budget() {
    JobSpec spec = without_checks(a_design());
    spec.trace.emplace().function_graph.emplace().module = "hsr";
    spec.trace->budget = 0.2;
    return spec;
  }
};

TEST_F(BudgetOfSides, counts_on_both_and_takes_the_larger_cost_of_each_function) {
  tracer_.function_lists = {{"cold", "hot", "warm"}};
  const JobId job = submit(a_design_with_budget());
  end_command();
  count(a_trace_of_calls(300'000, 1'000));
  end_command();
  count(a_trace_of_calls(1'000, 300'000));
  count_again(0);
  EXPECT_THAT(left_out(), ElementsAre("hot", "warm"));
  EXPECT_EQ(store_.budgets.at(job).functions.size(), 3U);
  end_traced_run();
  ASSERT_THAT(workload_.runs.size(), 4U)
      << "three counts, and the first run; the next side is being switched to";
}

TEST_F(BudgetOfSides, does_not_choose_among_functions_that_only_one_side_has) {
  tracer_.function_lists = {{"cold", "hot", "warm"}, {"cold", "warm"}};
  submit(a_design_with_budget());
  end_command();
  count();
  end_command();
  TraceRecord without_hot = a_trace_of_calls();
  without_hot.profile->functions.erase(without_hot.profile->functions.begin());
  count(without_hot);
  EXPECT_THAT(tracer_.specs.back().function_graph->left_out, ElementsAre("hot"));
  EXPECT_THAT(left_out(), IsEmpty());
}

TEST_F(BudgetOfSides, counts_on_no_other_side_once_a_count_has_failed) {
  tracer_.function_lists = {{"cold", "hot", "warm"}};
  const JobId job = submit(a_design_with_budget());
  end_command();
  workload_.last().become_prepared();
  workload_.last().end(a_failure("no luck"));
  clock_.turn();
  end_command();
  EXPECT_EQ(store_.budgets.at(job).budget.failure, "no luck");
  EXPECT_EQ(workload_.runs.size(), 2U) << "a count and the first run";
}

TEST_F(BudgetOfSides, brings_the_machine_back_if_it_is_stopped_on_either_side) {
  for (int side = 0; side < 2; ++side) {
    const JobId job = submit(a_design_with_budget());
    end_command();
    if (side == 1) {
      count();
      end_command();
    }
    ASSERT_TRUE(scheduler_.stop(job, "enough"));
    workload_.last().end(a_failure("stopped"));
    clock_.turn();
    while (commands_.is_running()) end_command();
    EXPECT_EQ(scheduler_.job(job)->state, JobState::canceled) << side;
    EXPECT_EQ(commands_.said.back(), "/x/switch list") << side;
    EXPECT_EQ(workload_.alive(), 0);
    EXPECT_EQ(tracer_.alive(), 0);
  }
}

TEST_F(BudgetOfSides, are_switched_back_if_the_daemon_is_stopped) {
  const JobId job = submit(a_design_with_budget());
  end_command();
  int done = 0;
  scheduler_.shut_down("netperfd was stopped", [&] { ++done; });
  workload_.last().end(a_failure("stopped"));
  clock_.turn();
  while (commands_.is_running()) end_command();
  EXPECT_EQ(done, 1);
  EXPECT_EQ(commands_.said.back(), "/x/switch list");
  EXPECT_FALSE(store_.budgets.contains(job));
  EXPECT_THAT(states(), Each(RunState::pending));
}

}  // namespace
}  // namespace netperfd::core
