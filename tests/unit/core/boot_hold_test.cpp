// SPDX-License-Identifier: GPL-2.0-or-later
// Holding and stopping a job that reboots the machine.
#include <gmock/gmock.h>

#include <string>

#include "tests/unit/core/boot_fixture.hpp"

namespace netperfd::core {
namespace {

using std::chrono::minutes;
using testing::HasSubstr;
using testing::StartsWith;

TEST_F(Reboots, of_a_held_job_wait_until_it_is_let_go_on) {
  const JobId job = submit(a_rebooting_job());
  answer();
  ASSERT_TRUE(scheduler_->hold(job, true));
  pass(minutes{60});
  EXPECT_EQ(command(), "");
  EXPECT_THAT(status(job).waiting, HasSubstr("is held"));
  ASSERT_TRUE(scheduler_->hold(job, false));
  answer();
  EXPECT_THAT(said_.back(), StartsWith("/usr/bin/wall")) << "it is announced again";
  pass(minutes{2});
  EXPECT_THAT(command(), StartsWith("/x/switch "));
  EXPECT_EQ(scheduler_->hold(job, true).error().kind, ErrorKind::not_running);
}

TEST_F(Reboots, stay_held_over_a_restart_of_the_daemon) {
  const JobId job = submit(a_rebooting_job());
  notice();
  boot();
  come_up(job);
  ASSERT_TRUE(scheduler_->hold(job, true));
  end_run();
  answer();
  EXPECT_THAT(status(job).waiting, HasSubstr("is held"));
  next_ = on_;
  boot();
  resume(job);
  answer();
  EXPECT_THAT(status(job).waiting, HasSubstr("is held"));
  pass(minutes{60});
  EXPECT_EQ(command(), "");
}

TEST_F(Reboots, a_job_without_them_cannot_be_held) {
  const JobId job = submit(a_design());
  EXPECT_EQ(scheduler_->hold(job, true).error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(scheduler_->hold(job + 1, true).error().kind, ErrorKind::not_found);
}

TEST_F(Reboots, of_a_stopped_job_do_not_come) {
  const JobId job = submit(a_rebooting_job());
  notice();
  boot();
  come_up(job);
  ASSERT_TRUE(scheduler_->stop(job, "stopped by uid 1000"));
  workload_.last().end(a_measurement());
  turn();
  EXPECT_EQ(command(), "");
  EXPECT_TRUE(has_ended(status(job).state));
  EXPECT_FALSE(journal_.kept) << "the next daemon does not go on";
}

TEST_F(Reboots, held_while_announced_are_still_to_come_after_a_restart_of_the_daemon) {
  const JobId job = submit(a_rebooting_job());
  answer();
  ASSERT_TRUE(scheduler_->hold(job, true));
  ASSERT_EQ(status(job).boots, 0U);
  const std::string boot_id = journal_.boot;
  const std::string side = on_;
  next_ = on_;
  boot();  // ends the daemon
  journal_.boot = boot_id;
  on_ = side;
  said_.clear();
  resume(job);
  answer();
  pass(minutes{1});
  answer();
  EXPECT_THAT(said_, testing::Not(testing::Contains(StartsWith("/x/prepare")))) << "no boot has come";
  EXPECT_TRUE(workload_.runs.empty()) << "measured without a boot";
}

TEST_F(Reboots, of_a_job_that_is_stopped_and_held_at_once_end) {
  const JobId job = submit(a_rebooting_job());
  answer();
  ASSERT_TRUE(scheduler_->stop(job, "stopped by uid 1000"));
  (void)scheduler_->hold(job, true);
  turn();
  answer();
  pass(minutes{60});
  EXPECT_FALSE(scheduler_->job(job).has_value() && !has_ended(scheduler_->job(job)->state))
      << status(job).waiting;
}

TEST_F(Reboots, of_a_held_job_that_is_stopped_end) {
  const JobId job = submit(a_rebooting_job());
  answer();
  ASSERT_TRUE(scheduler_->hold(job, true));
  ASSERT_TRUE(scheduler_->stop(job, "stopped by uid 1000"));
  turn();
  EXPECT_TRUE(has_ended(status(job).state));
}

}  // namespace
}  // namespace netperfd::core
