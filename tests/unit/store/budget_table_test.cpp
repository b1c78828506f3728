// SPDX-License-Identifier: GPL-2.0-or-later
// The budgets of jobs.
#include <gmock/gmock.h>

#include <string>

#include "tests/unit/store/store_fixture.hpp"
#include "tests/unit/store/stored_runs.hpp"

namespace netperfd::store {
namespace {

class Budgets : public StoreTest {
 protected:
  Budgets() { open(); }
  JobId a_stored_job() { return must(add_job(*store, a_job(), 0, kMorning)).id; }
};

TEST_F(Budgets, come_back_as_they_were_chosen) {
  const JobId job = a_stored_job();
  EXPECT_FALSE(must(store->budget_of_job(job)));
  must(store->set_budget(job, the_budget()));
  const auto found = must(store->budget_of_job(job));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->budget.asked, 0.2);
  EXPECT_EQ(found->budget.predicted, 0.17);
  EXPECT_EQ(found->budget.window_s, 1.5);
  EXPECT_EQ(found->budget.failure, "none really");
  EXPECT_EQ(found->functions, the_budget().functions);
  EXPECT_FALSE(must(store->budget_of_job(a_stored_job())));
}

TEST_F(Budgets, without_a_count_have_no_prediction) {
  const JobId job = a_stored_job();
  must(store->set_budget(
      job, {.budget = {.asked = 1, .predicted = {}, .window_s = {}, .failure = "busy"}, .functions = {}}));
  const auto found = must(store->budget_of_job(job));
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->budget.predicted);
  EXPECT_FALSE(found->budget.window_s);
  EXPECT_TRUE(found->functions.empty());
}

TEST_F(Budgets, are_chosen_once) {
  const JobId job = a_stored_job();
  must(store->set_budget(job, the_budget()));
  EXPECT_FALSE(store->set_budget(job, the_budget()));
}

TEST_F(Budgets, are_with_an_unfinished_job_after_a_restart) {
  const JobId job = a_stored_job();
  must(store->set_budget(job, the_budget()));
  a_stored_job();
  close();
  open();
  const auto jobs = must(store->unfinished_jobs());
  ASSERT_EQ(jobs.size(), 2U);
  ASSERT_TRUE(jobs[0].budget);
  EXPECT_EQ(jobs[0].budget->functions, the_budget().functions);
  EXPECT_FALSE(jobs[1].budget);
}

TEST_F(Budgets, are_deleted_with_their_job) {
  const auto job = must(add_job(*store, a_job(), 0, kMorning));
  must(store->set_budget(job.id, the_budget()));
  must(store->cancel_pending(job.id, "stopped"));
  for (const RunId run : job.runs) must(store->remove(run));
  EXPECT_FALSE(must(store->budget_of_job(job.id)));
}

TEST_F(Budgets, are_compared_with_what_tracing_took_in_each_run) {
  const auto job = must(add_job(*store, a_job(), 0, kMorning));
  bring_to_collecting(*store, job.runs[0]);
  RunRecord record = a_record(job.runs[0], 1, 1);
  record.trace = a_trace();
  record.trace->profile = a_profile();
  record.trace->profile->tracer_share = 0.1875;
  must(store->finish(record));
  const auto run = must(store->run(job.runs[0]));
  ASSERT_TRUE(run.trace);
  EXPECT_EQ(run.trace->tracer_share, 0.1875);
  EXPECT_EQ(must(store->compared_runs({job.runs[0]}, core::ComparedParts::all)).front().trace->tracer_share,
            0.1875);
}

TEST_F(Budgets, leave_a_job_that_confirms_another_one_its_number_as_long_as_that_exists) {
  const auto first = must(add_job(*store, a_job(), 0, kMorning));
  JobSpec spec = a_job();
  spec.confirms = first.id;
  const auto second = must(add_job(*store, spec, 0, kMorning));
  EXPECT_EQ(must(store->runs_of_job(second.id)).front().spec.confirms, first.id);
  EXPECT_EQ(must(store->jobs({}, "", 1)).rows.front().confirms, first.id);
  must(store->cancel_pending(first.id, "stopped"));
  for (const RunId run : first.runs) must(store->remove(run));
  EXPECT_FALSE(must(store->runs_of_job(second.id)).front().spec.confirms);
}

}  // namespace
}  // namespace netperfd::store
