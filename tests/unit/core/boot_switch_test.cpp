// SPDX-License-Identifier: GPL-2.0-or-later
// When a design reboots the machine, and what ends it.
#include <gmock/gmock.h>

#include <string>

#include "tests/unit/core/boot_fixture.hpp"

namespace netperfd::core {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using testing::HasSubstr;
using testing::StartsWith;

TEST_F(Reboots, come_before_each_letter_and_once_more_for_the_way_back) {
  const JobId job = submit(a_rebooting_job(2, "BAAB"));
  EXPECT_EQ(measure_letters(job, 2), "BAAB");
  EXPECT_EQ(workload_.runs.size(), 8U);
  notice();
  boot();
  EXPECT_EQ(on_, "list");
  EXPECT_EQ(journal_.kept->letter, 0U) << "for the log of the next daemon";
  EXPECT_EQ(journal_.kept->boots, 5U);
  for (const auto& [id, run] : store_.runs) EXPECT_EQ(run.state, RunState::finished) << id;
}

TEST_F(Reboots, end_with_the_last_letter_if_that_is_of_the_original_side) {
  const JobId job = submit(a_rebooting_job(1, "ABBA"));
  EXPECT_EQ(measure_letters(job, 1), "ABBA");
  answer();
  EXPECT_EQ(status(job).state, JobState::finished);
  EXPECT_EQ(status(job).boots, 4U);
  EXPECT_FALSE(journal_.kept);
}

TEST_F(Reboots, are_announced_and_wait_for_the_notice) {
  const JobId job = submit(a_rebooting_job());
  answer();
  EXPECT_THAT(said_.back(),
              HasSubstr("/usr/bin/wall netperfd will reboot this machine in 2 min, since job 1 needs"));
  EXPECT_THAT(said_.back(), HasSubstr("`netperfctl hold 1`"));
  EXPECT_THAT(said_.back(), HasSubstr("`netperfctl stop 1`"));
  EXPECT_THAT(status(job).waiting, HasSubstr("reboots into side"));
  pass(minutes{2} - milliseconds{1});
  EXPECT_EQ(command(), "");
  pass(milliseconds{1});
  EXPECT_THAT(command(), StartsWith("/x/switch "));
  ASSERT_TRUE(journal_.kept) << "noted before it is asked";
  EXPECT_EQ(journal_.kept->from, "boot-1");
  EXPECT_EQ(status(job).boots, 1U);
}

TEST_F(Reboots, into_another_side_twice_end_the_design) {
  lost_ = true;
  JobSpec spec = a_rebooting_job();
  const JobId job = submit(spec);
  notice();
  boot();
  resume(job);
  notice();  // the check has failed once: it is tried again
  EXPECT_THAT(said_.back(), StartsWith("/x/switch "));
  boot();
  resume(job);
  answer();
  EXPECT_EQ(status(job).state, JobState::failed);
  EXPECT_THAT(status(job).error, HasSubstr("side hash: its check failed: exit code 1"));
  EXPECT_THAT(status(job).error, HasSubstr("boot 2 of the job"));
  EXPECT_EQ(status(job).side_error, "") << "the machine is on its side";
  EXPECT_FALSE(journal_.kept);
  pass(minutes{600});
  EXPECT_EQ(command(), "") << "no further reboot";
}

TEST_F(Reboots, that_do_not_come_count_as_failed) {
  const JobId job = submit(a_rebooting_job());
  notice();
  pass(BootSwitch::kShutdownTimeout);
  notice();
  pass(BootSwitch::kShutdownTimeout);
  answer();
  EXPECT_EQ(status(job).state, JobState::failed);
  EXPECT_THAT(status(job).error, HasSubstr("the machine did not reboot"));
}

TEST_F(Reboots, end_at_their_limits) {
  JobSpec spec = a_rebooting_job();
  spec.design->reboots->most = 1;
  JobId job = submit(spec);
  notice();
  boot();
  come_up(job);
  end_run();
  ASSERT_EQ(on_, "hash");
  notice();
  EXPECT_EQ(said_.back(), "/x/switch list") << "the way back is always allowed";
  EXPECT_THAT(status(job).error,
              HasSubstr("reboots of the job so far: 1, as many as `design.reboots.most` allows"));
  EXPECT_EQ(status(job).runs_ended, 4U);
}

TEST_F(Reboots, begin_no_later_than_the_limit_of_time) {
  JobSpec spec = a_rebooting_job();
  spec.design->reboots->within = minutes{10};
  const JobId job = submit(spec);
  notice();
  boot();
  clock_.advance(minutes{11});
  come_up(job);
  ASSERT_EQ(workload_.runs.size(), 1U) << "the boot that has come is measured";
  end_run();
  notice();
  EXPECT_EQ(said_.back(), "/x/switch list");
  EXPECT_THAT(status(job).error, HasSubstr("the job has taken 10 min"));
}

// The job's second reboot, after so much time in the boot of its first one.
class RebootsOfAClockThatIsSet : public Reboots {
 protected:
  // `before`, `while_down` and `after` are what somebody sets the clock by: before the first reboot, while
  // the machine is down and after it.
  std::string error_after(minutes in_boot, minutes before, minutes while_down, minutes after) {
    JobSpec spec = a_rebooting_job();
    spec.design->reboots->within = minutes{60};
    spec.limits.timeout = minutes{120};
    const JobId job = submit(spec);
    answer();
    clock_.set(before);
    pass(minutes{2});
    answer();
    clock_.set(while_down);
    boot();
    come_up(job);
    clock_.set(after);
    clock_.advance(in_boot);
    end_run();
    notice();
    return status(job).error;
  }
};

TEST_F(RebootsOfAClockThatIsSet, within_a_boot_are_limited_by_the_time_since_the_boot) {
  EXPECT_EQ(error_after(minutes{10}, minutes{0}, minutes{0}, minutes{500}), "") << "forward";
  EXPECT_EQ(said_.back(), "/x/switch list");
}

TEST_F(RebootsOfAClockThatIsSet, before_the_first_one_too) {
  EXPECT_EQ(error_after(minutes{10}, minutes{500}, minutes{0}, minutes{0}), "");
}

TEST_F(RebootsOfAClockThatIsSet, back_within_a_boot_come_no_later) {
  EXPECT_THAT(error_after(minutes{61}, minutes{0}, minutes{0}, minutes{-500}),
              HasSubstr("the job has taken 1 h, as long as `design.reboots.within` allows"));
}

TEST_F(RebootsOfAClockThatIsSet, back_while_the_machine_is_down_come_no_later_than_it_is_up) {
  EXPECT_THAT(error_after(minutes{61}, minutes{0}, minutes{-500}, minutes{0}),
              HasSubstr("the job has taken 1 h"));
}

TEST_F(RebootsOfAClockThatIsSet, by_the_time_that_the_machine_was_down_count_it) {
  EXPECT_THAT(error_after(minutes{1}, minutes{0}, minutes{60}, minutes{0}),
              HasSubstr("the job has taken 1 h"));
}

TEST_F(Reboots, a_power_cut_within_a_boot_boots_the_letter_again) {
  const JobId job = submit(a_rebooting_job(2));
  notice();
  boot();
  come_up(job);
  const std::string side = on_;
  const RunId first = store_.runs.begin()->first;
  workload_.last().become_prepared();
  store_.runs.at(first).state = RunState::interrupted;  // as the next daemon finds it
  boot_anew();
  on_ = "list";
  resume(job);
  notice();
  EXPECT_EQ(said_.back(), "/x/switch " + side);
  boot();
  come_up(job);
  EXPECT_EQ(status(job).runs_ended, 1U);
  EXPECT_EQ(status(job).current_run, first + 1) << "the second run of the same letter";
  EXPECT_EQ(journal_.kept->failures, 0U);
}

TEST_F(Reboots, a_restart_of_the_daemon_within_a_boot_goes_on_there) {
  const JobId job = submit(a_rebooting_job(2));
  notice();
  boot();
  come_up(job);
  end_run();
  answer();
  const std::string boot_id = journal_.boot;
  const std::string side = on_;
  scheduler_.reset();
  boot_anew();
  journal_.boot = boot_id;
  on_ = side;
  for (auto& [id, run] : store_.runs) {
    if (run.state != RunState::pending && run.state != RunState::finished) run.state = RunState::interrupted;
  }
  said_.clear();
  resume(job);
  answer();
  EXPECT_THAT(said_, testing::Not(testing::Contains(StartsWith("/x/prepare")))) << "only after a boot";
  EXPECT_EQ(journal_.kept->boots, 1U);
}

TEST_F(Reboots, are_not_asked_if_they_cannot_be_noted) {
  journal_.refusal = Error{ErrorKind::io, "disk full"};
  const JobId job = submit(a_rebooting_job());
  answer();
  pass(minutes{2});
  answer();
  EXPECT_THAT(said_, testing::Not(testing::Contains(StartsWith("/x/switch"))));
  EXPECT_EQ(status(job).state, JobState::failed);
  EXPECT_THAT(status(job).error, HasSubstr("disk full"));
}

TEST_F(Reboots, between_letters_of_one_side_are_not_skipped_by_a_restart_of_the_daemon) {
  const JobId job = submit(a_rebooting_job());
  for (int letter = 0; letter < 2; ++letter) {
    notice();
    boot();
    come_up(job);
    end_run();
    answer();
  }
  ASSERT_EQ(workload_.runs.size(), 2U);
  ASSERT_TRUE(scheduler_->hold(job, true));
  const std::string boot_id = journal_.boot;
  const std::string side = on_;
  next_ = on_;
  boot();  // ends the daemon
  journal_.boot = boot_id;
  on_ = side;
  resume(job);
  answer();
  pass(minutes{1});
  answer();
  EXPECT_EQ(workload_.runs.size(), 2U) << "letter 3 was measured in the boot of letter 2";
}

}  // namespace
}  // namespace netperfd::core
