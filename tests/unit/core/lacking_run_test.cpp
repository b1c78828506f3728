// SPDX-License-Identifier: GPL-2.0-or-later
// A job that lacks something which each of its runs needs.
#include <gtest/gtest.h>

#include "tests/unit/core/design_fixture.hpp"
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

// One block: four runs, of which the second is the first one of the other side, and the third is of that side
// too.
class LackingSide : public DesignRuns {
 protected:
  static JobSpec a_block() {
    JobSpec spec = a_design();
    for (auto* variant : {&*spec.design->a, &*spec.design->b}) variant->apply = variant->verify = {};
    return spec;
  }
  void lack() {
    workload_.last().become_prepared();
    WorkloadResult lacking;
    lacking.error = "the congestion control bbr cannot be used";
    lacking.lacks_something = true;
    workload_.last().end(lacking);
    clock_.turn();
  }
};

TEST_F(LackingSide, ends_the_job_with_the_first_run_of_that_side) {
  submit(a_block());
  end_run();
  lack();
  EXPECT_EQ(workload_.runs.size(), 2U);
  EXPECT_EQ(scheduler_.job(1)->state, JobState::failed);
  EXPECT_EQ(store_.runs.at(41).state, RunState::finished);
  EXPECT_EQ(store_.runs.at(42).state, RunState::failed);
  for (const RunId later : {43, 44}) {
    EXPECT_EQ(store_.runs.at(later).state, RunState::canceled);
    EXPECT_EQ(error_of(later),
              "not measured, since run 42 lacks what each run of its side needs: the congestion control bbr "
              "cannot be used");
  }
}

TEST_F(LackingSide, goes_on_if_the_side_was_measured_before) {
  submit(a_block());
  end_run();
  end_run();
  lack();
  EXPECT_EQ(workload_.runs.size(), 4U);
}

TEST_F(LackingSide, goes_on_in_a_sweep_whose_other_points_may_have_it) {
  JobSpec spec = a_block();
  spec.design->sweep = {{.key = "streams", .values = {"4", "16"}}};
  submit(spec);
  end_run();
  lack();
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
