// SPDX-License-Identifier: GPL-2.0-or-later
// A job that lacks something which each of its runs needs.
#include <gtest/gtest.h>

#include "tests/unit/core/scheduler_fixture.hpp"

namespace netperfd::core {
namespace {

using LackingRun = SchedulerFixture;

TEST_F(LackingRun, ends_a_job_whose_first_run_lacks_something_instead_of_failing_each) {
  workload_.refusal = Error{ErrorKind::not_found, "network namespace \"left\" does not exist"};
  ASSERT_TRUE(scheduler_.submit(a_job(3), 0));
  clock_.turn();
  const auto job = scheduler_.job(1);
  EXPECT_EQ(job->state, JobState::failed);
  EXPECT_EQ(job->error, "network namespace \"left\" does not exist");
  EXPECT_EQ(store_.runs.at(41).state, RunState::failed);
  for (const RunId later : {42, 43}) {
    EXPECT_EQ(store_.runs.at(later).state, RunState::canceled);
    EXPECT_EQ(store_.runs.at(later).record->error,
              "not measured, since run 41 could not be prepared: network namespace \"left\" does not exist");
  }
}

TEST_F(LackingRun, ends_a_job_whose_first_run_measured_less_than_was_declared) {
  ASSERT_TRUE(scheduler_.submit(a_job(3), 0));
  clock_.turn();
  workload_.last().become_prepared();
  WorkloadResult lacking;
  lacking.error = "figure rate: nothing in client.stdout";
  lacking.lacks_something = true;
  workload_.last().end(lacking);
  clock_.turn();
  EXPECT_EQ(workload_.runs.size(), 1U);
  EXPECT_EQ(store_.runs.at(41).state, RunState::failed);
  for (const RunId later : {42, 43}) {
    EXPECT_EQ(store_.runs.at(later).state, RunState::canceled);
    EXPECT_EQ(store_.runs.at(later).record->error,
              "not measured, since run 41 lacks what each run needs: figure rate: nothing in client.stdout");
  }
}

TEST_F(LackingRun, goes_on_if_only_a_later_run_lacks_a_figure) {
  ASSERT_TRUE(scheduler_.submit(a_job(3), 0));
  clock_.turn();
  workload_.last().become_prepared();
  workload_.last().end({});
  clock_.turn();
  workload_.last().become_prepared();
  WorkloadResult lacking;
  lacking.error = "figure rate: nothing in client.stdout";
  lacking.lacks_something = true;
  workload_.last().end(lacking);
  clock_.turn();
  EXPECT_EQ(workload_.runs.size(), 3U);
}

// Before the workload is released.
TEST_F(LackingRun, ends_a_job_whose_figure_no_counter_can_give) {
  counters_.lacks = "the figure \"counter.eth9.rx_packets\": nothing has such a counter";
  ASSERT_TRUE(scheduler_.submit(a_job(2), 0));
  clock_.turn();
  workload_.last().become_prepared();
  EXPECT_FALSE(workload_.last().released);
  workload_.last().end({});
  EXPECT_EQ(scheduler_.job(1)->error, counters_.lacks);
  EXPECT_EQ(store_.runs.at(41).state, RunState::failed);
  EXPECT_EQ(store_.runs.at(41).record->counters, std::nullopt);
  EXPECT_EQ(store_.runs.at(42).state, RunState::canceled);
}

TEST_F(LackingRun, goes_on_after_a_first_run_that_failed_for_another_reason) {
  workload_.refusal = Error{ErrorKind::unsupported, "no sctp here"};
  ASSERT_TRUE(scheduler_.submit(a_job(2), 0));
  clock_.turn();
  EXPECT_EQ(store_.runs.at(41).state, RunState::failed);
  EXPECT_EQ(store_.runs.at(42).state, RunState::failed);
}

}  // namespace
}  // namespace netperfd::core
