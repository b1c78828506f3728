// SPDX-License-Identifier: GPL-2.0-or-later
// A job with a budget: its calls are counted before its first run, and all runs trace the functions that fit.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/unit/core/budget_fixture.hpp"

namespace netperfd::core {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Error kRefusal{ErrorKind::unsupported, "the kernel refuses it"};

TEST_F(BudgetCount, traces_a_second_of_the_workload_before_the_first_run_and_keeps_what_fits) {
  JobSpec spec = a_job_with_budget();
  spec.test.traffic.omit = seconds{3};
  spec.trace->events.push_back({"skb:kfree_skb", "", false});
  const JobId job = submit(spec);
  ASSERT_EQ(workload_.runs.size(), 1U);
  EXPECT_EQ(workload_.specs.back().test.traffic.omit, milliseconds{0});
  EXPECT_THAT(tracer_.specs.back().events, IsEmpty()) << "they are no calls";
  EXPECT_THAT(left_out(), IsEmpty());
  EXPECT_EQ(scheduler_.job(job)->waiting, "counts calls, for the budget of the trace");
  workload_.last().become_prepared();
  EXPECT_TRUE(workload_.last().released);
  EXPECT_THAT(tracer_.last().said, IsEmpty()) << "the connection is still in slow start";
  clock_.advance(CallCounter::kWarmUp);
  EXPECT_THAT(tracer_.last().said, ElementsAre("start 4711", "mark release"));
  EXPECT_THAT(counters_.said, ElementsAre("open 4711"));
  EXPECT_FALSE(workload_.last().stop_asked);
  clock_.advance(CallCounter::kWindow);
  EXPECT_EQ(tracer_.last().said.back(), "stop");
  EXPECT_EQ(counters_.said.back(), "finish");
  EXPECT_TRUE(workload_.last().stop_asked);
  tracer_.last().end(a_trace_of_calls());
  EXPECT_EQ(workload_.runs.size(), 1U) << "its processes have not ended";
  workload_.last().end(a_failure("stopped before its end"));
  clock_.turn();

  ASSERT_EQ(workload_.runs.size(), 2U);
  EXPECT_THAT(left_out(), ElementsAre("hot"));
  count_again();
  ASSERT_EQ(workload_.runs.size(), 3U);
  EXPECT_EQ(tracer_.alive(), 1) << "that of the first run";
  EXPECT_EQ(workload_.specs.back().test, spec.test) << "the run itself is not shortened";
  EXPECT_THAT(left_out(), ElementsAre("hot"));
  const JobBudget& budget = store_.budgets.at(job);
  EXPECT_EQ(budget.budget.asked, 0.2);
  EXPECT_NEAR(*budget.budget.predicted, 100.0 / 700, 1e-9);
  EXPECT_EQ(budget.budget.window_s, 1.0);
  EXPECT_FALSE(budget.budget.failure);
  EXPECT_EQ(budget.functions.size(), 3U);
  end_traced_run();
  EXPECT_THAT(left_out(), ElementsAre("hot")) << "every run of the job traces the same";
  end_traced_run();
  EXPECT_EQ(scheduler_.job(job)->state, JobState::finished);
  EXPECT_EQ(workload_.runs.size(), 4U) << "counted once";
  EXPECT_THAT(flags_of(41), IsEmpty());
}

TEST_F(BudgetCount, is_not_made_without_a_budget) {
  JobSpec spec = a_job_with_budget(1);
  spec.trace->budget.reset();
  submit(spec);
  end_traced_run();
  EXPECT_EQ(workload_.runs.size(), 1U);
  EXPECT_THAT(store_.budgets, IsEmpty());
}

TEST_F(BudgetCount, that_is_stopped_leaves_nothing_and_lets_the_next_job_begin) {
  // How far the count has come when it is stopped.
  for (int phase = 0; phase < 4; ++phase) {
    const JobId job = submit(a_job_with_budget());
    const JobId next = submit(a_job());
    const std::size_t begun = workload_.runs.size();
    if (phase > 0) workload_.last().become_prepared();
    if (phase > 1) clock_.advance(CallCounter::kWarmUp);
    if (phase > 2) clock_.advance(CallCounter::kWindow);
    ASSERT_TRUE(scheduler_.stop(job, "enough")) << phase;
    EXPECT_TRUE(workload_.last().stop_asked) << phase;
    EXPECT_EQ(scheduler_.job(job)->state, JobState::running) << "the processes are still there";
    workload_.last().end(a_failure("stopped before its end"));
    if (phase > 1) {
      EXPECT_EQ(tracer_.last().said.back(), "stop") << phase;
      EXPECT_EQ(std::ranges::count(tracer_.last().said, "stop"), 1) << phase;
      tracer_.last().end({});
    } else {
      EXPECT_EQ(tracer_.last().said.back(), "abandon") << phase;
    }
    clock_.turn();
    EXPECT_EQ(scheduler_.job(job)->state, JobState::canceled) << phase;
    EXPECT_EQ(tracer_.alive(), 0) << phase;
    EXPECT_FALSE(store_.budgets.contains(job)) << phase;
    ASSERT_EQ(workload_.runs.size(), begun + 1) << "the next job begins";
    workload_.last().become_prepared();
    workload_.last().end(a_measurement());
    clock_.turn();
    EXPECT_EQ(scheduler_.job(next)->state, JobState::finished);
  }
}

TEST_F(BudgetCount, that_a_shutdown_ends_is_made_again_by_the_next_daemon) {
  const JobId job = submit(a_job_with_budget());
  workload_.last().become_prepared();
  clock_.advance(CallCounter::kWarmUp);
  int done = 0;
  scheduler_.shut_down("netperfd was stopped", [&] { ++done; });
  clock_.turn();
  EXPECT_TRUE(workload_.last().stop_asked);
  EXPECT_EQ(done, 0);
  workload_.last().end(a_failure("stopped"));
  tracer_.last().end({});
  clock_.turn();
  EXPECT_EQ(done, 1);
  EXPECT_THAT(states(), Each(RunState::pending));
  EXPECT_FALSE(store_.budgets.contains(job));
  expect_nothing_left();
}

TEST_F(BudgetCount, that_fails_lets_the_runs_trace_all_functions_and_say_so) {
  const JobId job = submit(a_job_with_budget(1));
  workload_.last().become_prepared();
  clock_.advance(CallCounter::kWarmUp);
  workload_.last().end(a_failure("the server has closed the connection"));
  EXPECT_EQ(tracer_.last().said.back(), "stop");
  tracer_.last().end({});
  clock_.turn();
  EXPECT_EQ(store_.budgets.at(job).budget.failure, "the server has closed the connection");
  EXPECT_FALSE(store_.budgets.at(job).budget.predicted);
  EXPECT_THAT(left_out(), IsEmpty());
  end_traced_run();
  ASSERT_THAT(flags_of(41), ElementsAre(kBudgetNotApplied));
  EXPECT_THAT(store_.runs.at(41).record->flags[0].message, HasSubstr("the server has closed the connection"));
}

TEST_F(BudgetCount, fails_where_a_figure_is_missing_or_the_trace_is_damaged) {
  const auto failure = [this](TraceRecord record) {
    const JobId job = submit(a_job_with_budget(1));
    count(std::move(record));
    end_traced_run();
    return store_.budgets.at(job).budget.failure.value_or("none");
  };
  TraceRecord record = a_trace_of_calls();
  record.profile->calibration.reset();
  record.profile->not_calibrated = "no such function";
  EXPECT_THAT(failure(record), HasSubstr("the cost of a call is not known: no such function"));
  record = a_trace_of_calls();
  record.broken = "the module was unloaded";
  EXPECT_THAT(failure(record), HasSubstr("the module was unloaded"));
  EXPECT_EQ(failure(a_trace_of_calls(10'000, 0)), "none") << "nothing is left out";
  counters_.counted = {};
  EXPECT_THAT(failure(a_trace_of_calls()), HasSubstr("the CPU time is not known"));
}

TEST_F(BudgetCount, takes_the_time_to_read_for_the_tracers_and_leaves_out_what_was_stolen) {
  counters_.counted.deltas = {{"cpu", "", "busy", 1'200'000'000, "ns"},
                              {"noise", "", "netperfd", 100'000'000, "ns"},
                              {"noise", "", "steal", 100'000'000, "ns"}};
  const JobId job = submit(a_job_with_budget(1));
  count();
  count_again(90'000, 100'000'000);
  // For each of the 200,000 records of 100,000 calls it took 500 ns.
  const double read = 2 * 500e-9;
  const double cost = (10'000 + 90'000) * (1e-6 + read) / 0.6;
  EXPECT_NEAR(*store_.budgets.at(job).budget.predicted,
              10'000 * (1e-6 + read) / 0.6 / (1 + 10'000 * (1e-6 + read) / 0.6), 1e-9);
  EXPECT_GT(cost / (1 + cost), 0.2);
  EXPECT_THAT(left_out(), ElementsAre("hot", "warm")) << "with what reading really takes, warm does not fit";
}

TEST_F(BudgetCount, keeps_the_first_choice_if_the_second_count_fails_and_can_be_stopped_in_it) {
  const JobId job = submit(a_job_with_budget(1));
  count();
  EXPECT_EQ(workload_.runs.size(), 2U) << "the second count";
  workload_.last().end(a_failure("the server has closed the connection"));
  clock_.turn();
  EXPECT_FALSE(store_.budgets.at(job).budget.failure);
  EXPECT_THAT(left_out(), ElementsAre("hot"));
  end_traced_run();
  const JobId stopped = submit(a_job_with_budget(1));
  count();
  ASSERT_TRUE(scheduler_.stop(stopped, "enough"));
  workload_.last().end(a_failure("stopped"));
  clock_.turn();
  EXPECT_EQ(scheduler_.job(stopped)->state, JobState::canceled);
  EXPECT_EQ(workload_.alive() + tracer_.alive(), 0);
}

TEST_F(BudgetCount, that_tracefs_refuses_is_told_by_the_run_as_without_a_budget) {
  tracer_.refusal = kRefusal;
  const JobId job = submit(a_job_with_budget(1));
  clock_.turn();
  EXPECT_EQ(store_.budgets.at(job).budget.failure, kRefusal.message);
  EXPECT_EQ(states().front(), RunState::failed);
  EXPECT_EQ(error_of(41), kRefusal.message);
  EXPECT_THAT(workload_.runs, IsEmpty());
}

TEST_F(BudgetCount, whose_trace_does_not_start_stops_the_workload_first) {
  tracer_.start_refusal = kRefusal;
  const JobId job = submit(a_job_with_budget(1));
  workload_.last().become_prepared();
  clock_.advance(CallCounter::kWarmUp);
  EXPECT_EQ(tracer_.last().said.back(), "abandon");
  EXPECT_TRUE(workload_.last().stop_asked);
  workload_.last().end(a_failure("stopped"));
  clock_.turn();
  EXPECT_EQ(store_.budgets.at(job).budget.failure, kRefusal.message);
}

TEST_F(BudgetCount, that_hangs_ends_at_its_deadline) {
  const JobId job = submit(a_job_with_budget(1));
  clock_.advance(CallCounter::kDeadline);
  EXPECT_TRUE(workload_.last().stop_asked);
  EXPECT_EQ(tracer_.last().said.back(), "abandon");
  workload_.last().end(a_failure("stopped"));
  clock_.turn();
  EXPECT_EQ(store_.budgets.at(job).budget.failure, "not done within 30 s");
  EXPECT_EQ(workload_.runs.size(), 2U) << "the run begins";
}

TEST_F(BudgetCount, waits_for_a_busy_server_as_a_run_does) {
  JobSpec spec = a_job_with_budget(1);
  spec.test.path.server_wait = seconds{60};
  const JobId job = submit(spec);
  WorkloadResult busy = a_failure("the server is busy");
  busy.server = ServerAbsence::busy;
  workload_.last().become_prepared();
  workload_.last().end(busy);
  EXPECT_THAT(scheduler_.job(job)->waiting, HasSubstr("server busy"));
  EXPECT_EQ(tracer_.last().said.back(), "abandon") << "others may trace meanwhile";
  clock_.advance(seconds{1});
  ASSERT_EQ(workload_.runs.size(), 2U);
  count();
  EXPECT_THAT(left_out(), ElementsAre("hot"));
}

TEST_F(BudgetCount, waits_for_an_absent_server_only_once) {
  JobSpec spec = a_job_with_budget(1);
  spec.test.path.server_wait = seconds{1};
  const JobId job = submit(spec);
  WorkloadResult absent = a_failure("no route to host");
  absent.server = ServerAbsence::absent;
  while (!store_.budgets.contains(job)) {
    workload_.last().become_prepared();
    workload_.last().end(absent);
    clock_.advance(seconds{1});
  }
  const std::size_t attempts = workload_.runs.size();
  workload_.last().become_prepared();
  workload_.last().end(absent);
  tracer_.last().end({});
  clock_.advance(seconds{10});
  EXPECT_EQ(workload_.runs.size(), attempts) << "the run made one attempt";
  EXPECT_EQ(states().front(), RunState::failed);
  EXPECT_THAT(error_of(41), HasSubstr("no route to host"));
}

TEST_F(BudgetCount, whose_wait_is_stopped_ends_at_once) {
  JobSpec spec = a_job_with_budget(1);
  spec.test.path.server_wait = seconds{60};
  const JobId job = submit(spec);
  WorkloadResult busy = a_failure("the server is busy");
  busy.server = ServerAbsence::busy;
  workload_.last().become_prepared();
  workload_.last().end(busy);
  ASSERT_TRUE(scheduler_.stop(job, "enough"));
  clock_.turn();
  EXPECT_EQ(scheduler_.job(job)->state, JobState::canceled);
  EXPECT_EQ(workload_.runs.size(), 1U);
}

TEST_F(BudgetCount, that_cannot_be_stored_ends_the_job) {
  const JobId job = submit(a_job_with_budget());
  store_.budgets[job] = {};  // the store refuses a second one
  count();
  count_again();
  EXPECT_EQ(scheduler_.job(job)->state, JobState::failed);
  EXPECT_EQ(workload_.runs.size(), 2U);
}

TEST_F(BudgetCount, of_a_job_that_was_resumed_is_the_one_that_it_began_with) {
  JobSpec spec = a_job_with_budget();
  const auto stored = store_.add_job(spec, draw_slots(spec, 0), 0, clock_.now());
  JobBudget budget;
  budget.budget.asked = 0.2;
  budget.functions = {{.function = "warm", .calls = 7, .cost = 1, .traced = false}};
  ResumedJob resumed{.id = stored->id, .owner = 0, .spec = spec, .runs = {}, .held = false, .budget = budget};
  for (const RunId run : stored->runs) resumed.runs.push_back(a_traced_run(run));
  scheduler_.resume(resumed);
  clock_.turn();
  EXPECT_THAT(left_out(), ElementsAre("warm")) << "the run began at once";
}

TEST_F(BudgetCount, is_not_made_for_a_job_of_an_older_version_that_has_begun) {
  JobSpec spec = a_job_with_budget();
  const auto stored = store_.add_job(spec, draw_slots(spec, 0), 0, clock_.now());
  ResumedJob resumed{.id = stored->id, .owner = 0, .spec = spec, .runs = {}, .held = false};
  for (const RunId run : stored->runs) resumed.runs.push_back(a_traced_run(run));
  resumed.runs.front().state = RunState::finished;
  store_.runs.at(stored->runs.front()).state = RunState::finished;
  scheduler_.resume(resumed);
  clock_.turn();
  EXPECT_THAT(left_out(), IsEmpty());
  EXPECT_THAT(store_.budgets, IsEmpty());
  EXPECT_EQ(workload_.specs.back().test.traffic.duration, spec.test.traffic.duration)
      << "it is a run, no count";
}

}  // namespace
}  // namespace netperfd::core
