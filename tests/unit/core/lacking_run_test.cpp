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

TEST_F(LackingRun, goes_on_after_a_first_run_that_failed_for_another_reason) {
  workload_.refusal = Error{ErrorKind::unsupported, "no sctp here"};
  ASSERT_TRUE(scheduler_.submit(a_job(2), 0));
  clock_.turn();
  EXPECT_EQ(store_.runs.at(41).state, RunState::failed);
  EXPECT_EQ(store_.runs.at(42).state, RunState::failed);
}

}  // namespace
}  // namespace netperfd::core
