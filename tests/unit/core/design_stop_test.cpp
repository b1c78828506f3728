// SPDX-License-Identifier: GPL-2.0-or-later
// Stopping a job with two sides: the machine goes back to its side.
#include <gmock/gmock.h>

#include "tests/unit/core/design_fixture.hpp"

namespace netperfd::core {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(DesignRuns, a_stop_during_a_switch_waits_for_its_end_and_undoes_it) {
  seed_ = 0;
  while (draw_slots(a_design(), seed_).front().variant != 'B') ++seed_;
  const JobId job = submit(without_checks(a_design()));
  EXPECT_EQ(command(), "/x/switch hash");
  ASSERT_TRUE(scheduler_.stop(job, "stopped by uid 1000"));
  clock_.turn();
  EXPECT_EQ(scheduler_.job(job)->state, JobState::running);
  end_command();
  EXPECT_EQ(command(), "/x/switch list");
  ASSERT_TRUE(scheduler_.stop(job, "again")) << "asking twice does no harm";
  end_command();
  EXPECT_THAT(commands_.said, ElementsAre("/x/switch hash", "/x/switch list"));
  EXPECT_EQ(scheduler_.job(job)->state, JobState::canceled);
  for (RunId run = 41; run <= 44; ++run) EXPECT_EQ(error_of(run), "stopped by uid 1000");
  EXPECT_TRUE(workload_.runs.empty());
}

TEST_F(DesignRuns, a_stop_during_a_check_ends_it_at_once) {
  const JobId job = submit(a_design());
  ASSERT_TRUE(scheduler_.stop(job, "stopped"));
  clock_.turn();
  EXPECT_THAT(commands_.said, ElementsAre("/x/check list", "killed /x/check list"));
  EXPECT_EQ(scheduler_.job(job)->state, JobState::canceled);
}

TEST_F(DesignRuns, a_stop_before_the_first_command_runs_none) {
  const auto job = scheduler_.submit(a_design(), 1000);
  ASSERT_TRUE(scheduler_.stop(*job, "stopped"));
  clock_.turn();
  EXPECT_THAT(commands_.said, IsEmpty());
  EXPECT_EQ(scheduler_.job(*job)->state, JobState::canceled);
}

TEST_F(DesignRuns, a_shutdown_during_a_switch_is_done_when_the_machine_is_back) {
  seed_ = 0;
  while (draw_slots(a_design(), seed_).front().variant != 'B') ++seed_;
  submit(without_checks(a_design()));
  int done = 0;
  scheduler_.shut_down("netperfd was stopped", [&] { ++done; });
  clock_.turn();
  EXPECT_EQ(done, 0);
  end_command();
  EXPECT_EQ(command(), "/x/switch list");
  EXPECT_EQ(done, 0);
  end_command();
  EXPECT_EQ(done, 1);
  EXPECT_FALSE(sides_.kept);
  for (const RunState state : states()) EXPECT_EQ(state, RunState::pending);
}

TEST_F(DesignRuns, the_next_job_waits_until_the_machine_is_back) {
  seed_ = 0;
  while (draw_slots(a_design(), seed_).front().variant != 'B') ++seed_;
  const JobId first = submit(without_checks(a_design()));
  submit(a_job());
  end_command();
  ASSERT_TRUE(scheduler_.stop(first, "stopped"));
  workload_.last().end(a_measurement());
  clock_.turn();
  EXPECT_EQ(command(), "/x/switch list");
  EXPECT_EQ(workload_.runs.size(), 1U);
  end_command();
  EXPECT_EQ(workload_.runs.size(), 2U);
}

TEST_F(DesignRuns, each_job_finds_out_anew_where_the_machine_is) {
  const JobId first = submit(a_design());
  submit(a_design());
  end_commands("list");
  ASSERT_TRUE(scheduler_.stop(first, "stopped"));
  workload_.last().end(a_measurement());
  clock_.turn();
  while (command().starts_with("/x/switch")) end_command();
  EXPECT_EQ(command(), "/x/check list");
  EXPECT_EQ(scheduler_.job(first)->state, JobState::canceled);
}

TEST_F(DesignRuns, variants_without_commands_run_none) {
  JobSpec spec = without_checks(a_design());
  spec.design->a->apply.clear();
  spec.design->b->apply.clear();
  const JobId job = submit(spec);
  for (int run = 0; run < 4; ++run) end_run();
  EXPECT_THAT(commands_.said, IsEmpty());
  EXPECT_EQ(scheduler_.job(job)->state, JobState::finished);
}

}  // namespace
}  // namespace netperfd::core
