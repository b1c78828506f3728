// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/queue/scheduler.hpp"

#include <gmock/gmock.h>

#include "tests/unit/core/scheduler_fixture.hpp"

namespace netperfd::core {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

class SchedulerTest : public SchedulerFixture {
 protected:
  void run_one(WorkloadResult result) {
    clock_.turn();
    workload_.last().become_prepared();
    workload_.last().end(std::move(result));
    clock_.turn();
  }
  [[nodiscard]] RunState state_of(RunId run) const { return store_.runs.at(run).state; }
};

TEST_F(SchedulerTest, takes_a_run_through_every_state_and_announces_it_when_stored) {
  submit();
  EXPECT_THAT(seen_.take(), ElementsAre("job 1 added"));
  clock_.turn();
  EXPECT_THAT(seen_.take(), ElementsAre("job 1 running 0/1 preparing 0.00"));
  EXPECT_FALSE(workload_.last().released);

  workload_.last().become_prepared();
  EXPECT_TRUE(workload_.last().released);
  EXPECT_THAT(seen_.take(), ElementsAre("job 1 running 0/1 running 0.00"));

  workload_.last().end(a_measurement());
  EXPECT_THAT(store_.runs.at(41).states,
              ElementsAre(RunState::pending, RunState::preparing, RunState::running, RunState::collecting,
                          RunState::finished));
  EXPECT_THAT(seen_.take(), ElementsAre("job 1 running 0/1 collecting 0.00", "run 41 finished",
                                        "job 1 finished 1/1 finished 1.00"));
}

TEST_F(SchedulerTest, stores_flags_and_figures_of_a_workload_as_those_of_the_run) {
  submit();
  WorkloadResult result = a_measurement();
  result.flags = {{"too-short", "short"}};
  result.figures = {{.name = "calls", .unit = "calls", .better = Better::lower, .value = 7}};
  run_one(result);
  const RunRecord& record = *store_.runs.at(41).record;
  EXPECT_THAT(record.flags, ElementsAre(QualityFlag{"too-short", "short"}));
  EXPECT_THAT(record.figures, ElementsAre(result.figures.front()));
  EXPECT_TRUE(record.workload.flags.empty() && record.workload.figures.empty()) << "they have one owner";
}

TEST_F(SchedulerTest, stores_running_before_it_releases_the_client) {
  submit();
  clock_.turn();
  store_.refusal = Error{ErrorKind::io, "disk on fire"};
  workload_.last().become_prepared();
  EXPECT_FALSE(workload_.last().released);
  EXPECT_TRUE(workload_.last().stop_asked);
}

TEST_F(SchedulerTest, starts_nothing_inside_the_call_that_submits) {
  submit();
  EXPECT_TRUE(workload_.runs.empty());
}

TEST_F(SchedulerTest, runs_the_repeats_of_a_job_in_a_row_and_goes_on_after_a_failure) {
  submit(3);
  run_one(a_measurement());
  run_one(a_failure("connection refused"));
  run_one(a_measurement());
  EXPECT_EQ(state_of(41), RunState::finished);
  EXPECT_EQ(state_of(42), RunState::failed);
  EXPECT_EQ(state_of(43), RunState::finished);
  const auto job = scheduler_.job(1);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->state, JobState::failed);
  EXPECT_EQ(job->runs_finished, 2U);
  EXPECT_EQ(job->error, "connection refused");
}

TEST_F(SchedulerTest, runs_one_run_at_a_time_and_jobs_in_the_order_of_their_acceptance) {
  submit(2);
  submit(1);
  for (int i = 0; i < 3; ++i) {
    clock_.turn();
    EXPECT_EQ(workload_.alive(), 1);
    workload_.last().become_prepared();
    workload_.last().end(a_measurement());
  }
  clock_.turn();
  EXPECT_EQ(workload_.runs.size(), 3U);
  EXPECT_THAT(seen_.take(), testing::IsSupersetOf({"run 41 finished", "run 42 finished", "run 43 finished"}));
}

TEST_F(SchedulerTest, refuses_more_jobs_than_the_queue_holds) {
  submit();
  submit();
  submit();
  const auto fourth = scheduler_.submit(a_job(), 1000);
  ASSERT_FALSE(fourth);
  EXPECT_EQ(fourth.error().kind, ErrorKind::busy);
  EXPECT_EQ(store_.runs.size(), 3U) << "a refused job leaves nothing behind";
}

TEST_F(SchedulerTest, passes_on_why_the_store_refuses_a_job) {
  store_.refusal = Error{ErrorKind::no_space, "less than 64 MiB free"};
  const auto job = scheduler_.submit(a_job(), 1000);
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().kind, ErrorKind::no_space);
  EXPECT_TRUE(seen_.take().empty());
}

TEST_F(SchedulerTest, fails_a_run_whose_workload_cannot_be_prepared) {
  workload_.refusal = Error{ErrorKind::unsupported, "no sctp here"};
  submit();
  clock_.turn();
  EXPECT_EQ(state_of(41), RunState::failed);
  EXPECT_EQ(store_.runs.at(41).record->error, "no sctp here");
}

TEST_F(SchedulerTest, keeps_what_was_measured_of_a_run_past_its_deadline) {
  submit();
  clock_.turn();
  workload_.last().become_prepared();
  clock_.advance(seconds{29});
  EXPECT_FALSE(workload_.last().stop_asked);
  clock_.advance(seconds{1});
  EXPECT_TRUE(workload_.last().stop_asked);
  EXPECT_EQ(state_of(41), RunState::running) << "children still live";
  workload_.last().end(a_failure("interrupt - the client has terminated"));
  EXPECT_EQ(state_of(41), RunState::failed);
  const auto& record = store_.runs.at(41).record;
  EXPECT_THAT(record->error, HasSubstr("30 s"));
  EXPECT_EQ(record->workload.error, "interrupt - the client has terminated");
}

TEST_F(SchedulerTest, counts_the_deadline_from_the_preparation) {
  submit();
  clock_.turn();
  clock_.advance(seconds{30});
  EXPECT_TRUE(workload_.last().stop_asked);
  workload_.last().become_prepared();
  EXPECT_FALSE(workload_.last().released) << "prepared too late";
  workload_.last().end(a_failure("stopped"));
  EXPECT_EQ(state_of(41), RunState::failed);
}

TEST_F(SchedulerTest, cancels_a_pending_job) {
  submit();
  const JobId second = submit(2);
  clock_.turn();
  ASSERT_TRUE(scheduler_.stop(second, "stopped by uid 1000"));
  clock_.turn();
  EXPECT_EQ(state_of(42), RunState::canceled);
  EXPECT_EQ(state_of(43), RunState::canceled);
  EXPECT_EQ(store_.runs.at(42).record->error, "stopped by uid 1000");
  EXPECT_EQ(scheduler_.job(second)->state, JobState::canceled);
  EXPECT_FALSE(workload_.last().stop_asked) << "the job under way is another";
}

TEST_F(SchedulerTest, cancels_a_job_before_its_first_turn) {
  const JobId job = submit(2);
  ASSERT_TRUE(scheduler_.stop(job, "changed my mind"));
  clock_.turn();
  EXPECT_TRUE(workload_.runs.empty());
  EXPECT_EQ(scheduler_.job(job)->state, JobState::canceled);
}

TEST_F(SchedulerTest, cancels_while_preparing) {
  const JobId job = submit(2);
  clock_.turn();
  ASSERT_TRUE(scheduler_.stop(job, "stopped"));
  EXPECT_TRUE(workload_.last().stop_asked);
  workload_.last().become_prepared();
  EXPECT_FALSE(workload_.last().released);
  workload_.last().end(a_failure("killed"));
  clock_.turn();
  EXPECT_EQ(state_of(41), RunState::canceled);
  EXPECT_EQ(state_of(42), RunState::canceled);
  EXPECT_EQ(workload_.runs.size(), 1U);
}

TEST_F(SchedulerTest, cancels_while_running_and_starts_no_further_repeat) {
  const JobId job = submit(3);
  clock_.turn();
  workload_.last().become_prepared();
  ASSERT_TRUE(scheduler_.stop(job, "stopped"));
  ASSERT_TRUE(scheduler_.stop(job, "again")) << "asking twice does no harm";
  workload_.last().end(a_measurement());
  clock_.turn();
  for (const RunId run : {41, 42, 43}) {
    EXPECT_EQ(state_of(run), RunState::canceled);
    EXPECT_EQ(store_.runs.at(run).record->error, "stopped");
  }
  EXPECT_EQ(workload_.runs.size(), 1U);
}

TEST_F(SchedulerTest, cancels_between_two_runs) {
  const JobId job = submit(2);
  clock_.turn();
  workload_.last().become_prepared();
  workload_.last().end(a_measurement());
  ASSERT_TRUE(scheduler_.stop(job, "stopped"));
  clock_.turn();
  EXPECT_EQ(state_of(41), RunState::finished);
  EXPECT_EQ(state_of(42), RunState::canceled);
  EXPECT_EQ(scheduler_.job(job)->state, JobState::canceled);
}

TEST_F(SchedulerTest, refuses_to_stop_what_has_ended_or_never_was) {
  const JobId job = submit();
  run_one(a_measurement());
  EXPECT_EQ(scheduler_.stop(job, "").error().kind, ErrorKind::not_running);
  EXPECT_EQ(scheduler_.stop(99, "").error().kind, ErrorKind::not_found);
}

TEST_F(SchedulerTest, shows_an_ended_job_for_a_minute) {
  const JobId job = submit();
  run_one(a_measurement());
  clock_.advance(seconds{59});
  EXPECT_TRUE(scheduler_.job(job));
  (void)seen_.take();
  clock_.advance(seconds{1});
  EXPECT_FALSE(scheduler_.job(job));
  EXPECT_THAT(seen_.take(), ElementsAre("job 1 removed"));
  EXPECT_EQ(clock_.waiting(), 0U) << "idle means that nothing is timed";
}

TEST_F(SchedulerTest, forgets_the_oldest_ended_job_early_when_there_are_many) {
  for (int i = 0; i < Scheduler::kLingerLimit + 1; ++i) {
    submit();
    run_one(a_measurement());
  }
  EXPECT_FALSE(scheduler_.job(1));
  EXPECT_TRUE(scheduler_.job(2));
  EXPECT_EQ(scheduler_.jobs().size(), static_cast<std::size_t>(Scheduler::kLingerLimit));
}

TEST_F(SchedulerTest, passes_live_intervals_on) {
  submit();
  clock_.turn();
  workload_.last().become_prepared();
  (void)seen_.take();
  Interval interval;
  interval.end_s = 1;
  workload_.last().listener->workload_interval(interval);
  EXPECT_THAT(seen_.take(), ElementsAre("job 1 run 41 interval 1.0"));
}

TEST_F(SchedulerTest, says_that_a_run_failed_whose_record_could_not_be_stored) {
  submit();
  clock_.turn();
  workload_.last().become_prepared();
  (void)seen_.take();
  store_.refusal = Error{ErrorKind::no_space, "disk full"};
  workload_.last().end(a_measurement());
  EXPECT_THAT(seen_.take(), testing::Contains("run 41 failed: the run could not be stored: disk full"));
}

TEST_F(SchedulerTest, fails_a_run_without_room_and_measures_nothing_more_of_its_job) {
  submit(3);
  submit();
  run_one(a_measurement());
  workload_.last().become_prepared();
  store_.room_refusal = Error{ErrorKind::no_space, "its file system /var has 0.0 MiB free"};
  workload_.last().end(a_measurement());
  (void)seen_.take();
  clock_.turn();
  EXPECT_EQ(state_of(42), RunState::finished) << "a run under way is not cut short";
  EXPECT_THAT(seen_.take(), testing::IsSupersetOf({"run 43 failed: its file system /var has 0.0 MiB free",
                                                   "job 1 failed 3/3 failed 1.00",
                                                   "run 44 failed: its file system /var has 0.0 MiB free"}));
  EXPECT_EQ(workload_.runs.size(), 2U);
  store_.room_refusal.reset();
  submit();
  run_one(a_measurement());
  EXPECT_EQ(state_of(45), RunState::finished);
}

TEST_F(SchedulerTest, shuts_down_only_when_no_child_is_left) {
  submit(2);
  submit(1);
  clock_.turn();
  workload_.last().become_prepared();
  bool done = false;
  scheduler_.shut_down("netperfd was stopped", [&] { done = true; });
  clock_.turn();
  EXPECT_FALSE(done);
  EXPECT_EQ(scheduler_.submit(a_job(), 1000).error().kind, ErrorKind::busy);
  workload_.last().end(a_failure("terminated"));
  clock_.turn();
  EXPECT_TRUE(done);
  EXPECT_EQ(state_of(41), RunState::interrupted);
  EXPECT_EQ(store_.runs.at(41).record->error, "netperfd was stopped");
  for (const RunId run : {42, 43}) EXPECT_EQ(state_of(run), RunState::pending);
}

TEST_F(SchedulerTest, is_idle_unless_a_job_has_begun) {
  EXPECT_TRUE(scheduler_.is_idle());
  ASSERT_TRUE(scheduler_.submit(a_job(2), 1000));
  EXPECT_TRUE(scheduler_.is_idle()) << "nothing starts inside the call";
  clock_.turn();
  EXPECT_FALSE(scheduler_.is_idle());
  workload_.last().become_prepared();
  workload_.last().end(a_measurement());
  EXPECT_FALSE(scheduler_.is_idle()) << "between two runs of a job";
  clock_.turn();
  workload_.last().become_prepared();
  workload_.last().end(a_measurement());
  clock_.turn();
  EXPECT_TRUE(scheduler_.is_idle());
}

TEST_F(SchedulerTest, shuts_down_at_once_when_idle) {
  bool done = false;
  scheduler_.shut_down("netperfd was stopped", [&] { done = true; });
  clock_.turn();
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace netperfd::core
