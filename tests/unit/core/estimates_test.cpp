// SPDX-License-Identifier: GPL-2.0-or-later
// How far a job is, and when it may end.
#include <gmock/gmock.h>

#include "daemon/core/queue/scheduler.hpp"
#include "tests/unit/core/design_fixture.hpp"
#include "tests/unit/core/scheduler_fixture.hpp"

namespace netperfd::core {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Estimates : public SchedulerFixture {};

TEST_F(Estimates, tells_progress_once_a_second_while_the_client_runs) {
  submit();
  clock_.turn();
  clock_.advance(milliseconds{2500});
  (void)seen_.take();
  workload_.last().become_prepared();
  (void)seen_.take();
  clock_.advance(seconds{2});
  EXPECT_THAT(seen_.take(), ElementsAre("job 1 running 0/1 running 0.05", "job 1 running 0/1 running 0.15"));
}

TEST_F(Estimates, progress_is_of_the_whole_job_and_never_falls) {
  submit(2);
  clock_.turn();
  workload_.last().become_prepared();
  clock_.advance(seconds{5});
  EXPECT_DOUBLE_EQ(scheduler_.job(1)->progress, 0.25) << "half of the first of two runs";
  double highest = 0;
  const auto expect_no_fall = [&] {
    const double progress = scheduler_.job(1)->progress;
    EXPECT_GE(progress, highest);
    highest = progress;
  };
  clock_.advance(seconds{4});
  expect_no_fall();
  workload_.last().end(a_measurement());
  expect_no_fall();
  clock_.turn();
  expect_no_fall();
  EXPECT_DOUBLE_EQ(highest, 0.5);
  workload_.last().become_prepared();
  expect_no_fall();
  workload_.last().end(a_failure("iperf3: connection refused"));
  clock_.turn();
  EXPECT_DOUBLE_EQ(scheduler_.job(1)->progress, 1) << "it is over, whatever came of it";
}

TEST_F(Estimates, a_clock_that_is_set_within_a_run_makes_no_end_later_and_no_progress) {
  for (const std::chrono::hours step : {std::chrono::hours{1}, std::chrono::hours{-24 * 365}}) {
    const JobId job = submit(4);
    clock_.turn();
    workload_.last().become_prepared();
    clock_.advance(seconds{5});
    clock_.set(step);
    EXPECT_LT(scheduler_.job(job)->progress, 0.25);
    clock_.advance(seconds{5});
    workload_.last().end(a_measurement());
    clock_.turn();
    EXPECT_EQ(scheduler_.job(job)->expected_end, clock_.now() + seconds{30});
    ASSERT_TRUE(scheduler_.stop(job, "enough"));
    workload_.last().end(a_measurement());
    clock_.turn();
  }
}

TEST_F(Estimates, a_waiting_job_knows_its_place_and_when_it_may_end) {
  const WallTime start = clock_.now();
  submit(2);
  submit(3);
  submit(1);
  clock_.turn();
  EXPECT_EQ(scheduler_.job(1)->queue_position, 0U);
  EXPECT_EQ(scheduler_.job(2)->queue_position, 1U);
  EXPECT_EQ(scheduler_.job(3)->queue_position, 2U);
  EXPECT_EQ(scheduler_.job(1)->expected_end, start + seconds{20});
  EXPECT_EQ(scheduler_.job(2)->expected_end, start + seconds{50});
  EXPECT_EQ(scheduler_.job(3)->expected_end, start + seconds{60});

  workload_.last().become_prepared();
  clock_.advance(seconds{14});
  workload_.last().end(a_measurement());
  clock_.turn();
  EXPECT_EQ(scheduler_.job(1)->expected_end, start + seconds{28}) << "as long as the first run took";
  EXPECT_EQ(scheduler_.job(3)->expected_end, start + seconds{68});
  clock_.advance(seconds{30});
  EXPECT_EQ(scheduler_.job(1)->expected_end, clock_.now() + seconds{10}) << "it is late, and has not begun";

  (void)seen_.take();
  ASSERT_TRUE(scheduler_.stop(2, "not wanted"));
  clock_.turn();
  EXPECT_EQ(scheduler_.job(3)->queue_position, 1U);
  EXPECT_THAT(seen_.take(), testing::Contains(testing::HasSubstr("job 3"))) << "whoever waits is told";
  EXPECT_FALSE(scheduler_.job(2)->expected_end) << "it has ended";
}

// A design whose switches take 25 s and whose first run waits for a minute of what happens once: 20 runs of
// 10 s take three times as long.
class EstimatesOfDesigns : public DesignRuns {
 protected:
  void end_next_run(const JobId job) {
    const JobStatus status = *scheduler_.job(job);
    if (commands_.is_running()) {
      clock_.advance(seconds{status.runs_ended == 0 ? 85 : 25});
      end_commands(name_of(status.slots.at(status.runs_ended)));
    }
    workload_.last().become_prepared();
    clock_.advance(seconds{12});
    workload_.last().end(a_measurement());
    clock_.turn();
  }
  [[nodiscard]] double expected_s(const JobId job, WallTime begin) const {
    return std::chrono::duration<double>(*scheduler_.job(job)->expected_end - begin).count();
  }
};

TEST_F(EstimatesOfDesigns, learn_from_the_first_block_what_a_switch_takes) {
  JobSpec spec = without_checks(a_design());
  spec.repeat = 5;
  const WallTime begin = clock_.now();
  const JobId job = submit(spec);
  const double at_first = expected_s(job, begin);
  for (int run = 0; run < 4; ++run) end_next_run(job);
  const double after_a_block = expected_s(job, begin);
  for (int run = 4; run < 20; ++run) end_next_run(job);
  const double took = std::chrono::duration<double>(clock_.now() - begin).count();
  std::printf("20 runs of 10 s: %.0f s expected at first, %.0f s after a block, %.0f s taken\n", at_first,
              after_a_block, took);
  EXPECT_EQ(at_first, 200) << "nothing else is known";
  EXPECT_GT(took, 2.4 * at_first);
  EXPECT_NEAR(after_a_block / took, 1, 0.2);
}

TEST_F(EstimatesOfDesigns, begin_with_what_the_last_job_of_the_scenario_took_between_its_runs) {
  store_.between_runs = seconds{19};
  JobSpec spec = without_checks(a_design());
  spec.repeat = 5;
  const WallTime begin = clock_.now();
  EXPECT_EQ(expected_s(submit(spec), begin), 20 * 29);
}

TEST_F(Estimates, nobody_knows_when_a_job_ends_that_only_a_stop_ends) {
  ASSERT_TRUE(scheduler_.submit(a_job_without_workload(), 1000));
  submit(1);
  clock_.turn();
  EXPECT_FALSE(scheduler_.job(1)->expected_end);
  EXPECT_FALSE(scheduler_.job(2)->expected_end) << "it waits for the other one";
  EXPECT_EQ(scheduler_.job(2)->queue_position, 1U);
}

}  // namespace
}  // namespace netperfd::core
