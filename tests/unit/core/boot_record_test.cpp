// SPDX-License-Identifier: GPL-2.0-or-later
// What the store and callers learn of a job that reboots the machine.
#include <gmock/gmock.h>

#include <string>

#include "tests/unit/core/boot_fixture.hpp"

namespace netperfd::core {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;

TEST_F(Reboots, are_stored_with_their_times_and_kernels) {
  const JobId job = submit(a_rebooting_job(1, "BAAB"));
  notice();
  const WallTime asked = clock_.now();
  ASSERT_EQ(store_.boots[job].size(), 1U) << "before the machine reboots";
  EXPECT_EQ(store_.boots[job][0].asked, asked);
  EXPECT_EQ(store_.boots[job][0].side, 'B');
  EXPECT_EQ(store_.boots[job][0].block, 1U);
  EXPECT_EQ(store_.boots[job][0].letter, 1U);
  EXPECT_FALSE(store_.boots[job][0].settled);
  journal_.release = "6.12.9";
  boot();
  clock_.advance(seconds{40});
  come_up(job);
  const BootRecord& boot = store_.boots[job][0];
  EXPECT_EQ(boot.settled, asked + seconds{40} + minutes{1}) << "after the boot and the time to settle";
  EXPECT_EQ(boot.boot_id, "boot-2");
  EXPECT_EQ(boot.kernel, "6.12.9");
  EXPECT_EQ(boot.failure, "");
}

TEST_F(Reboots, that_fail_are_stored_with_the_reason) {
  lost_ = true;
  const JobId job = submit(a_rebooting_job());
  notice();
  boot();
  resume(job);
  answer();
  const BootRecord& boot = store_.boots[job].at(0);
  EXPECT_THAT(boot.failure, HasSubstr("side hash: its check failed: exit code 1"));
  EXPECT_FALSE(boot.settled);
  EXPECT_EQ(boot.boot_id, "boot-2");
}

TEST_F(Reboots, whose_switch_fails_have_no_boot) {
  const JobId job = submit(a_rebooting_job());
  answer();
  pass(minutes{2});
  ASSERT_THAT(command(), StartsWith("/x/switch "));
  commands_->end("exit code 3");
  turn();
  EXPECT_THAT(store_.boots[job].at(0).failure, HasSubstr("exit code 3"));
  EXPECT_EQ(store_.boots[job].at(0).boot_id, "");
  EXPECT_EQ(store_.boots[job].at(0).kernel, "");
}

TEST_F(Reboots, go_on_if_the_store_refuses_to_keep_them) {
  const JobId job = submit(a_rebooting_job());
  store_.refusal = Error{ErrorKind::io, "disk full"};
  notice();
  EXPECT_THAT(said_.back(), StartsWith("/x/switch "));
  store_.refusal.reset();
  boot();
  come_up(job);
  EXPECT_EQ(workload_.runs.size(), 1U);
}

TEST_F(Reboots, that_failed_are_not_counted_again_by_a_daemon_that_restarts) {
  lost_ = true;
  const JobId job = submit(a_rebooting_job());
  notice();
  boot();
  resume(job);
  answer();  // the check has failed once; the next reboot is announced
  ASSERT_EQ(journal_.kept->failures, 1U) << "noted at once";
  const std::string boot_id = journal_.boot;
  scheduler_.reset();
  boot_anew();
  journal_.boot = boot_id;
  resume(job);
  notice();
  EXPECT_THAT(said_.back(), StartsWith("/x/switch ")) << "tried once more, without another check";
  EXPECT_EQ(journal_.kept->failures, 1U);
  boot();
  resume(job);
  answer();
  EXPECT_EQ(status(job).state, JobState::failed);
}

TEST_F(Reboots, held_before_the_first_one_stay_held_over_a_restart_of_the_daemon) {
  const JobId job = submit(a_rebooting_job());
  answer();
  ASSERT_TRUE(scheduler_->hold(job, true));
  EXPECT_TRUE(store_.held_jobs[job]);
  ASSERT_FALSE(journal_.kept) << "no reboot has been asked";
  next_ = on_;
  boot();
  held_ = true;  // as the store says
  resume(job);
  answer();
  EXPECT_THAT(status(job).waiting, HasSubstr("is held"));
  pass(minutes{60});
  EXPECT_EQ(command(), "");
  ASSERT_TRUE(scheduler_->hold(job, false));
  EXPECT_FALSE(store_.held_jobs[job]);
}

TEST_F(Reboots, that_are_held_say_so_if_that_cannot_be_stored) {
  const JobId job = submit(a_rebooting_job());
  answer();
  store_.refusal = Error{ErrorKind::io, "disk full"};
  const Status held = scheduler_->hold(job, true);
  ASSERT_FALSE(held);
  EXPECT_THAT(held.error().message, HasSubstr("job 1 is held, until netperfd is restarted"));
  pass(minutes{60});
  EXPECT_EQ(command(), "") << "held all the same";
}

TEST_F(Reboots, show_the_side_and_how_many_of_them_are_to_come) {
  const JobId job = submit(a_rebooting_job(2, "BAAB"));
  EXPECT_EQ(status(job).boots_planned, 4U);
  answer();
  EXPECT_EQ(status(job).side, "list") << "by the check before the first one";
  pass(minutes{2});
  answer();
  boot();
  resume(job);
  EXPECT_EQ(status(job).side, "") << "not checked yet";
  answer();
  EXPECT_EQ(status(job).side, "hash");
}

// Runs of 10 s, planned.
TEST_F(Reboots, are_expected_to_end_with_the_notice_and_the_time_of_each_boot) {
  store_.time_of_boots = minutes{3};
  const WallTime began = clock_.now();
  const JobId job = submit(a_rebooting_job(2, "BAAB"));
  const auto run = status(job).planned.value();
  EXPECT_EQ(status(job).expected_end, began + 4 * (minutes{2} + minutes{3}) + 8 * run);
  notice();
  boot();
  resume(job);
  answer();
  const WallTime up = clock_.now();
  EXPECT_EQ(status(job).expected_end, up + minutes{1} + 3 * (minutes{2} + minutes{3}) + 8 * run)
      << "this boot has only to settle";
  pass(minutes{1});
  end_run();
  answer();
  const WallTime first = clock_.now();
  EXPECT_EQ(status(job).expected_end, first + 3 * (minutes{2} + minutes{3}) + 7 * run);
}

TEST_F(Reboots, of_a_scenario_without_earlier_ones_take_at_least_the_notice_and_the_time_to_settle) {
  const WallTime began = clock_.now();
  const JobId job = submit(a_rebooting_job(2, "BAAB"));
  EXPECT_EQ(status(job).expected_end,
            began + 4 * (minutes{2} + minutes{1}) + 8 * status(job).planned.value());
}

TEST_F(Reboots, that_are_held_have_no_expected_end) {
  const JobId job = submit(a_rebooting_job());
  answer();
  ASSERT_TRUE(status(job).expected_end);
  ASSERT_TRUE(scheduler_->hold(job, true));
  EXPECT_FALSE(status(job).expected_end);
  pass(minutes{60});
  ASSERT_TRUE(scheduler_->hold(job, false));
  const WallTime released = clock_.now();
  EXPECT_GT(status(job).expected_end, released + 4 * minutes{3}) << "counted from the release";
}

}  // namespace
}  // namespace netperfd::core
