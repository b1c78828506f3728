// SPDX-License-Identifier: GPL-2.0-or-later
// Designs that reboot. The machine is a fake, which comes up on the side that the last `switch` asked for, or
// on another one; a daemon ends with each boot, and the next one goes on with what was stored and noted.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daemon/core/boot_switch.hpp"
#include "daemon/core/resumption.hpp"
#include "tests/unit/core/design_fixture.hpp"

namespace netperfd::core {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

JobSpec a_rebooting_job(std::uint32_t runs = 1) {
  JobSpec spec = a_design();
  spec.design->seed = 7;
  spec.design->reboots.emplace();
  spec.design->reboots->runs = runs;
  spec.design->reboots->prepare = {"/x/prepare"};
  return spec;
}

class Reboots : public testing::Test {
 protected:
  Reboots() { boot(); }

  // Ends the daemon as a shutdown of the machine does, and boots on the side that was asked for last.
  void boot() {
    if (scheduler_) {
      bool ended = false;
      scheduler_->shut_down("netperfd was stopped", [&] { ended = true; });
      turn();
      EXPECT_TRUE(ended) << "the daemon did not end";
    }
    boot_anew();
  }

  // As after a power cut: the daemon had no time to do anything.
  void boot_anew() {
    scheduler_.reset();
    commands_ = std::make_unique<FakeCommands>();
    journal_.boot = fmt::format("boot-{}", ++boots_);
    on_ = std::exchange(next_, "list");
    scheduler_ = std::make_unique<Scheduler>(RunPorts{workload_, tracer_, store_, clock_, packets_, counters_,
                                                      fingerprints_, *commands_, sides_, journal_},
                                             3, [] { return 1; });
  }

  JobId submit(JobSpec spec) {
    spec_ = spec;
    const auto job = scheduler_->submit(std::move(spec), 0);
    EXPECT_TRUE(job) << job.error().message;
    turn();
    return job.value_or(0);
  }

  // The job goes on in a new daemon, as resume_jobs() lets it.
  void resume(JobId job) {
    UnfinishedJob unfinished{
        .id = job, .owner = 0, .tied = false, .text = {}, .options = {}, .seed = 7, .runs = {}};
    std::uint32_t index = 0;
    const auto arms = draw_arms(spec_, 7);
    for (const auto& [id, run] : store_.runs) {
      unfinished.runs.push_back(
          {.id = id, .index = index + 1, .state = run.state, .error = {}, .arm = arms[index], .build = {}});
      ++index;
    }
    auto plan = plan_resumption(std::move(unfinished), spec_);
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_THAT(plan->given_up, testing::IsEmpty()) << "runs of a boot are not given up";
    scheduler_->resume(std::move(plan->job));
    turn();
  }

  void turn() { clock_.turn(); }
  [[nodiscard]] std::string command() const { return commands_->is_running() ? commands_->said.back() : ""; }
  // The machine answers commands until one reboots it, or none is under way.
  void answer() {
    while (commands_->is_running()) {
      const std::string asked = command();
      const std::string word = asked.substr(asked.rfind(' ') + 1);
      said_.push_back(asked);
      const bool is_switch = asked.starts_with("/x/switch ");
      if (is_switch) next_ = lost_ ? "list" : word;
      commands_->end(asked.starts_with("/x/check ") && word != on_ ? "exit code 1" : "");
      turn();
      if (is_switch) return;
    }
  }
  void pass(milliseconds time) {
    clock_.advance(time);
    turn();
  }
  void end_run() {
    workload_.last().become_prepared();
    workload_.last().end(a_measurement());
    turn();
  }
  [[nodiscard]] JobStatus status(JobId job) const { return *scheduler_->job(job); }
  // Announces and asks for the reboot, as far as the job waits for it.
  void notice() {
    answer();
    pass(minutes{2});
    answer();
  }
  // From the boot to the first run.
  void come_up(JobId job) {
    resume(job);
    answer();
    pass(minutes{1});
  }

  FakeClock clock_;
  FakeWorkload workload_;
  FakeTracer tracer_;
  FakeStore store_;
  FakePacketCounter packets_;
  FakeCounterSource counters_;
  FakeFingerprintSource fingerprints_;
  std::unique_ptr<FakeCommands> commands_;
  FakeSideJournal sides_;
  FakeBootJournal journal_;
  JobSpec spec_;
  std::unique_ptr<Scheduler> scheduler_;
  std::string on_ = "list", next_ = "list";
  std::vector<std::string> said_;
  bool lost_ = false;  // the boot loader does not do what it is asked
  int boots_ = 0;
};

TEST_F(Reboots, come_before_each_letter_and_once_more_for_the_way_back) {
  const JobId job = submit(a_rebooting_job(2));
  std::string order;
  for (int letter = 0; letter < 4; ++letter) {
    notice();
    ASSERT_THAT(said_.back(), StartsWith("/x/switch ")) << letter;
    boot();
    come_up(job);
    ASSERT_EQ(workload_.runs.size(), 2U * static_cast<unsigned>(letter) + 1);
    order += on_ == "list" ? 'A' : 'B';
    end_run();
    answer();  // the check before the second run
    end_run();
  }
  EXPECT_THAT(order, testing::AnyOf("ABBA", "BAAB"));
  answer();
  if (on_ == "hash") {
    pass(minutes{2});
    answer();
    boot();
    EXPECT_EQ(journal_.kept->letter, 0U) << "for the log of the next daemon";
    EXPECT_EQ(journal_.kept->boots, 5U);
  } else {
    EXPECT_EQ(status(job).state, JobState::finished);
    EXPECT_FALSE(journal_.kept);
  }
  EXPECT_EQ(on_, "list");
  for (const auto& [id, run] : store_.runs) EXPECT_EQ(run.state, RunState::finished) << id;
}

TEST_F(Reboots, are_announced_and_wait_for_the_notice) {
  const JobId job = submit(a_rebooting_job());
  answer();
  EXPECT_THAT(said_.back(), HasSubstr("/usr/bin/wall netperfd: job 1 reboots into side"));
  EXPECT_THAT(status(job).waiting, HasSubstr("reboots into side"));
  pass(minutes{2} - milliseconds{1});
  EXPECT_EQ(command(), "");
  pass(milliseconds{1});
  EXPECT_THAT(command(), StartsWith("/x/switch "));
  ASSERT_TRUE(journal_.kept) << "noted before it is asked";
  EXPECT_EQ(journal_.kept->from, "boot-1");
  EXPECT_EQ(status(job).boots, 1U);
}

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

TEST_F(Reboots, into_another_side_twice_end_the_design) {
  lost_ = true;
  JobSpec spec = a_rebooting_job();
  while (draw_arms(spec, *spec.design->seed).front().variant != 'B') ++*spec.design->seed;
  ASSERT_EQ(*spec.design->seed, 7U) << "resume() draws with this one";
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
  EXPECT_THAT(status(job).error, HasSubstr("side hash: /x/check hash: exit code 1"));
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
  EXPECT_THAT(status(job).error, HasSubstr("has rebooted the machine 1 times"));
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
