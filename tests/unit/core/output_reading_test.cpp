// SPDX-License-Identifier: GPL-2.0-or-later
// A run whose processes have ended while their output is still being read.
#include <gmock/gmock.h>

#include "tests/unit/core/scheduler_fixture.hpp"

namespace netperfd::core {
namespace {

class OutputReading : public SchedulerFixture {
 protected:
  // Two runs of one job, the first of which has come so far.
  void SetUp() override {
    JobSpec spec = a_job();
    spec.repeat = 2;
    const auto job = scheduler_.submit(std::move(spec), 1000);
    ASSERT_TRUE(job) << job.error().message;
    job_ = *job;
    clock_.turn();
    workload_.last().become_prepared();
    workload_.last().become_stopped();
    clock_.turn();
  }
  [[nodiscard]] RunState state_of(RunId run = 41) const { return store_.runs.at(run).state; }

  JobId job_ = 0;
};

TEST_F(OutputReading, delays_the_next_run) {
  EXPECT_EQ(state_of(), RunState::collecting);
  EXPECT_EQ(workload_.runs.size(), 1U);
  workload_.last().end(a_measurement());
  EXPECT_EQ(state_of(), RunState::finished);
  clock_.turn();
  EXPECT_EQ(workload_.runs.size(), 2U);
}

TEST_F(OutputReading, that_fails_makes_the_run_fail_with_its_words) {
  workload_.last().end(a_failure("iperf3's output could not be read: the process that read it was killed"));
  EXPECT_EQ(state_of(), RunState::failed);
  EXPECT_EQ(store_.runs.at(41).record->error,
            "iperf3's output could not be read: the process that read it was killed");
}

TEST_F(OutputReading, of_a_job_that_is_stopped_is_told_to_end) {
  EXPECT_FALSE(workload_.last().stop_asked);
  ASSERT_TRUE(scheduler_.stop(job_, "changed my mind"));
  EXPECT_TRUE(workload_.last().stop_asked);
  EXPECT_EQ(state_of(), RunState::collecting) << "its end is still to come";
  workload_.last().end(a_failure("not read within 5 s of the stop"));
  EXPECT_EQ(state_of(), RunState::canceled);
  EXPECT_EQ(store_.runs.at(41).record->error, "changed my mind");
  clock_.turn();
  EXPECT_EQ(state_of(42), RunState::canceled);
  EXPECT_EQ(workload_.runs.size(), 1U);
}

TEST_F(OutputReading, delays_the_end_of_the_daemon_and_is_told_to_end) {
  bool done = false;
  scheduler_.shut_down("netperfd was stopped", [&] { done = true; });
  clock_.turn();
  EXPECT_FALSE(done);
  EXPECT_TRUE(workload_.last().stop_asked);
  workload_.last().end(a_measurement());
  clock_.turn();
  EXPECT_TRUE(done);
  EXPECT_EQ(state_of(), RunState::interrupted);
  EXPECT_EQ(store_.runs.at(41).record->workload.report.sums.size(), 1U) << "what was read is kept";
}

TEST_F(OutputReading, does_not_count_to_the_time_that_the_job_allows_its_run) {
  clock_.advance(a_job().limits.timeout + std::chrono::seconds{1});
  EXPECT_FALSE(workload_.last().stop_asked);
  workload_.last().end(a_measurement());
  EXPECT_EQ(state_of(), RunState::finished);
}

}  // namespace
}  // namespace netperfd::core
