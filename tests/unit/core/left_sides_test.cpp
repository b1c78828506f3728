// SPDX-License-Identifier: GPL-2.0-or-later
// What a job could not bring back: what it was, whom it keeps from switching, and when it is tried again.
#include <gmock/gmock.h>

#include "tests/unit/core/design_fixture.hpp"

namespace netperfd::core {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> ip(const std::string& netns, const std::string& segments) {
  return {"/usr/sbin/ip", "-n", netns, "link", "set", "dev", "veth0", "gso_max_segs", segments};
}
std::string ip_line(const std::string& netns, const std::string& segments) {
  return fmt::format("{}", fmt::join(ip(netns, segments), " "));
}

class LeftByJobs : public DesignRuns {
 protected:
  // Like the shipped veth-offload, but without checks, and side A is the state of the lab and comes first.
  static JobSpec offload_in(const std::string& netns) {
    JobSpec spec = without_checks(a_design());
    spec.design->a->name = "gso-on";
    spec.design->a->apply = ip(netns, "65535");
    spec.design->b->name = "gso-off";
    spec.design->b->apply = ip(netns, "1");
    std::uint64_t seed = 0;
    while (draw_slots(spec, seed).front().variant != 'A') ++seed;
    spec.design->seed = seed;
    return spec;
  }
  void end_one() { commands_.is_running() ? end_command() : end_run(); }
  // Answers all commands, and measures, until no job is under way.
  void finish_all() {
    while (commands_.is_running() || workload_.alive() > 0) end_one();
  }
  // A job on side B whose way back fails: what it left is noted.
  JobId leave_changed(const std::string& netns) {
    const JobId job = submit(offload_in(netns));
    while (command() != ip_line(netns, "1")) end_one();
    end_command("exit code 2: busy");
    EXPECT_EQ(command(), ip_line(netns, "65535")) << "the way back";
    end_command("exit code 2: busy");
    EXPECT_EQ(scheduler_.job(job)->state, JobState::failed);
    EXPECT_THAT(left_jobs(), ElementsAre(job));
    commands_.take();
    return job;
  }
  [[nodiscard]] std::vector<JobId> left_jobs() const {
    std::vector<JobId> jobs;
    const auto all = scheduler_.left_sides();
    for (const LeftSide& left : all.value()) jobs.push_back(left.note.job);
    return jobs;
  }
  std::string error_of_job(JobId job) { return scheduler_.job(job)->error; }
};

// ---- What has changed nothing -----------------------------------------------------------------------------

TEST_F(LeftByJobs, nothing_is_left_by_a_switch_in_an_absent_namespace) {
  parts_.gone = {"netns left", "device veth0"};
  const JobId first = submit(offload_in("left"));
  end_command("exit code 1: Cannot open network namespace \"left\"");
  EXPECT_FALSE(commands_.is_running()) << "there is nothing to bring back";
  EXPECT_EQ(scheduler_.job(first)->side_error, "");
  EXPECT_THAT(error_of_job(first), HasSubstr("Cannot open network namespace"));
  EXPECT_FALSE(sides_.kept);
  parts_.gone.clear();
  const JobId second = submit(offload_in("left"));
  finish_all();
  EXPECT_EQ(scheduler_.job(second)->state, JobState::finished);
}

TEST_F(LeftByJobs, nothing_is_left_by_a_switch_of_an_absent_device) {
  parts_.gone = {"device veth0@left"};
  submit(offload_in("left"));
  end_command("exit code 1: Cannot find device \"veth0\"");
  EXPECT_FALSE(commands_.is_running());
  EXPECT_THAT(left_jobs(), IsEmpty());
}

TEST_F(LeftByJobs, a_switch_that_takes_its_own_device_away_and_fails_is_undone) {
  submit(offload_in("left"));
  parts_.gone = {"device veth0@left"};
  end_command("exit code 2: Numerical result out of range");
  EXPECT_EQ(command(), ip_line("left", "65535"));
}

TEST_F(LeftByJobs, nothing_is_left_by_a_program_that_could_not_be_executed) {
  const JobId job = submit(without_checks(a_design()));
  commands_.end_without_running("exit code 203 (it could not be run)");
  clock_.turn();
  EXPECT_FALSE(commands_.is_running());
  EXPECT_EQ(scheduler_.job(job)->side_error, "");
  EXPECT_FALSE(sides_.kept);
}

// The device may be half of what the switch changed: only what is gone has nothing to restore.
TEST_F(LeftByJobs, a_switch_that_ran_and_failed_is_undone) {
  submit(offload_in("left"));
  end_command("exit code 2: busy");
  EXPECT_EQ(command(), ip_line("left", "65535"));
}

TEST_F(LeftByJobs, a_switch_that_could_not_run_leaves_what_an_earlier_one_has_done) {
  const JobId job = submit(offload_in("left"));
  end_command();  // A
  end_run();
  end_command();  // B
  end_run();
  ASSERT_TRUE(commands_.is_running());
  commands_.end_without_running("it could not be run");
  clock_.turn();
  EXPECT_EQ(command(), ip_line("left", "65535")) << "the machine is on side B";
  end_command();
  EXPECT_THAT(left_jobs(), IsEmpty());
  EXPECT_EQ(scheduler_.job(job)->side_error, "");
}

TEST_F(LeftByJobs, nothing_is_switched_if_there_is_no_program_for_the_way_back) {
  parts_.gone = {"program /x/switch"};
  const JobId job = submit(without_checks(a_design()));
  EXPECT_THAT(commands_.said, IsEmpty());
  EXPECT_THAT(error_of_job(job), HasSubstr("the way back could not be run: there is no program /x/switch"));
}

TEST_F(LeftByJobs, what_is_gone_by_the_end_of_a_job_has_nothing_to_restore) {
  const JobId job = submit(offload_in("left"));
  end_command();  // A
  end_run();
  end_command();  // B
  ASSERT_TRUE(scheduler_.stop(job, "enough"));
  workload_.last().end(a_measurement());
  clock_.turn();
  ASSERT_EQ(command(), ip_line("left", "65535"));
  parts_.gone = {"netns left", "device veth0"};
  end_command("exit code 1");
  EXPECT_EQ(scheduler_.job(job)->side_error, "");
  EXPECT_THAT(left_jobs(), IsEmpty());
}

// ---- Whom it blocks ---------------------------------------------------------------------------------------

TEST_F(LeftByJobs, designs_of_the_same_namespace_wait_until_it_is_brought_back) {
  const JobId first = leave_changed("left");
  const JobId second = submit(offload_in("left"));
  ASSERT_EQ(command(), ip_line("left", "65535")) << "it is tried again before the job";
  end_command("exit code 2: still busy");
  EXPECT_FALSE(commands_.is_running());
  EXPECT_THAT(
      error_of_job(second),
      AllOf(HasSubstr("side gso-on: not applied, since job 1 left the machine off side gso-on (device "
                      "veth0@left, namespace left); netperfd tries again before the next job"),
            HasSubstr("`netperfctl undo 1`"), HasSubstr("`netperfctl doctor`")));
  EXPECT_THAT(left_jobs(), ElementsAre(first));
}

TEST_F(LeftByJobs, designs_of_another_namespace_go_on_and_have_a_note_of_their_own) {
  const JobId first = leave_changed("left");
  const JobId second = submit(offload_in("right"));
  end_command("exit code 2");  // what the first one left
  ASSERT_EQ(command(), ip_line("right", "65535"));
  ASSERT_TRUE(sides_.kept);
  EXPECT_EQ(sides_.kept->job, second);
  EXPECT_THAT(left_jobs(), ElementsAre(first)) << "the way back of a job under way is not due";
  finish_all();
  EXPECT_EQ(scheduler_.job(second)->state, JobState::finished);
  EXPECT_THAT(left_jobs(), ElementsAre(first));
}

TEST_F(LeftByJobs, a_note_that_does_not_say_what_it_concerns_blocks_all_designs) {
  sides_.kept = SideNote{.job = 77, .side = "list", .apply = {"/y/switch", "list"}};
  const JobId job = submit(offload_in("left"));
  ASSERT_EQ(command(), "/y/switch list");
  end_command("exit code 1");
  EXPECT_THAT(error_of_job(job), HasSubstr("since job 77 left the machine off side list;"));
}

TEST_F(LeftByJobs, without_the_journal_no_design_switches_and_other_jobs_run) {
  sides_.unreadable = Error{ErrorKind::io, "/d.side: input error"};
  const JobId design = submit(offload_in("left"));
  EXPECT_THAT(commands_.said, IsEmpty());
  EXPECT_THAT(error_of_job(design), HasSubstr("what is to be brought back: /d.side: input error"));
  const JobId plain = submit(a_job());
  end_run();
  EXPECT_EQ(scheduler_.job(plain)->state, JobState::finished);
}

TEST_F(LeftByJobs, settings_that_are_left_keep_the_note_of_the_switch_program) {
  const auto setting = [](const std::string& target) {
    JobSpec spec = without_checks(a_design());
    spec.design->a->apply = spec.design->b->apply = {};
    spec.design->a->settings = {{target, "1400"}};
    spec.design->b->settings = {{target, "1300"}};
    return spec;
  };
  const JobId first = submit(setting("mtu.eth1"));
  end_command("exit code 1: could not be set");
  EXPECT_EQ(command(), "/x/switch undo /x/note");
  end_command("exit code 1: could not bring back mtu.eth1");
  ASSERT_THAT(left_jobs(), ElementsAre(first));
  submit(setting("mtu.eth2"));
  EXPECT_EQ(command(), "/x/switch undo /x/note") << "tried again";
  end_command("exit code 1");
  EXPECT_THAT(command(), AllOf(HasSubstr("/x/switch to /x/note.2 mtu.eth2="), Not(HasSubstr("eth1"))));
  EXPECT_THAT(sides_.kept->apply, ElementsAre("/x/switch", "undo", "/x/note.2"));
}

// ---- When it is tried again -------------------------------------------------------------------------------

TEST_F(LeftByJobs, it_is_tried_again_before_any_next_job) {
  leave_changed("left");
  submit(a_job());
  EXPECT_EQ(command(), ip_line("left", "65535"));
  EXPECT_TRUE(workload_.runs.size() == 1) << "only the run of the first job: this one waits";
  EXPECT_THAT(scheduler_.job(2)->waiting, HasSubstr("brings back what earlier jobs left"));
  end_command();
  EXPECT_THAT(seen_.take(), Contains("before job 2: brought back"));
  EXPECT_THAT(left_jobs(), IsEmpty());
  EXPECT_EQ(scheduler_.job(2)->waiting, "");
  end_run();
  EXPECT_EQ(scheduler_.job(2)->state, JobState::finished);
}

TEST_F(LeftByJobs, it_is_tried_once_for_each_job) {
  leave_changed("left");
  submit(a_job(2));
  end_command("exit code 2");
  EXPECT_THAT(seen_.take(), Contains(AllOf(HasSubstr("before job 2: job 1 left"), HasSubstr("exit code 2"))));
  end_run();
  EXPECT_FALSE(commands_.is_running()) << "not before its second run";
  end_run();
  EXPECT_THAT(commands_.said, ElementsAre(ip_line("left", "65535")));
}

TEST_F(LeftByJobs, what_is_gone_by_then_blocks_nobody) {
  leave_changed("left");
  parts_.gone = {"device veth0@left"};
  const JobId second = submit(offload_in("left"));
  end_command("exit code 1: Cannot find device");
  EXPECT_THAT(left_jobs(), IsEmpty());
  parts_.gone.clear();
  finish_all();
  EXPECT_EQ(scheduler_.job(second)->state, JobState::finished);
}

TEST_F(LeftByJobs, a_job_that_is_stopped_meanwhile_ends_and_the_next_one_begins) {
  leave_changed("left");
  const JobId second = submit(a_job());
  const JobId third = submit(a_job());
  ASSERT_TRUE(commands_.is_running());
  ASSERT_TRUE(scheduler_.stop(second, "enough"));
  clock_.turn();
  EXPECT_EQ(scheduler_.job(second)->state, JobState::canceled);
  EXPECT_TRUE(commands_.is_running()) << "a way back is not cut short";
  end_command();
  end_run();
  EXPECT_EQ(scheduler_.job(third)->state, JobState::finished);
}

TEST_F(LeftByJobs, a_daemon_that_is_stopped_meanwhile_waits_for_it) {
  leave_changed("left");
  submit(a_job());
  bool is_down = false;
  scheduler_.shut_down("stopped", [&] { is_down = true; });
  clock_.turn();
  EXPECT_FALSE(is_down);
  end_command();
  EXPECT_TRUE(is_down);
}

// The time in which a daemon may end is limited.
TEST_F(LeftByJobs, a_daemon_that_is_stopped_waits_for_one_way_back_of_several) {
  leave_changed("left");
  sides_.older.push_back({.job = 77, .side = "list", .apply = {"/y/switch", "list"}});
  submit(a_job());
  bool is_down = false;
  scheduler_.shut_down("stopped", [&] { is_down = true; });
  clock_.turn();
  EXPECT_FALSE(is_down);
  end_command("exit code 1");
  EXPECT_TRUE(is_down);
  EXPECT_EQ(commands_.said.size(), 1U);
}

// ---- When somebody asks -----------------------------------------------------------------------------------

class AskedToBringBack : public LeftByJobs {
 protected:
  void ask(JobId job) {
    answer.reset();
    const Status asked = scheduler_.bring_back(job, [this](const Status& status) { answer = status; });
    ASSERT_TRUE(asked) << asked.error().message;
    EXPECT_FALSE(answer) << "never inside the call";
    clock_.turn();
  }
  std::optional<Status> answer;
};

TEST_F(AskedToBringBack, it_is_done_at_once) {
  const JobId job = leave_changed("left");
  ask(job);
  EXPECT_EQ(command(), ip_line("left", "65535"));
  end_command();
  ASSERT_TRUE(answer);
  EXPECT_TRUE(*answer);
  EXPECT_THAT(left_jobs(), IsEmpty());
}

TEST_F(AskedToBringBack, a_failure_is_told_and_kept) {
  const JobId job = leave_changed("left");
  ask(job);
  end_command("exit code 2: no");
  ASSERT_TRUE(answer && !*answer);
  EXPECT_THAT(answer->error().message,
              AllOf(HasSubstr("job 1 left the machine off side gso-on"), HasSubstr("exit code 2: no"),
                    HasSubstr("to try it, run as root: " + ip_line("left", "65535"))));
  ASSERT_THAT(left_jobs(), ElementsAre(job));
  EXPECT_EQ(scheduler_.left_sides().value().front().failure, "exit code 2: no");
}

TEST_F(AskedToBringBack, only_what_this_job_left_is) {
  const JobId first = leave_changed("left");
  const JobId second = submit(offload_in("right"));
  end_command("exit code 2");  // of the first
  end_command("exit code 2");  // the switch of the second
  end_command("exit code 2");  // and its way back
  ASSERT_THAT(left_jobs(), ElementsAre(first, second));
  ask(second);
  EXPECT_EQ(command(), ip_line("right", "65535"));
  end_command();
  EXPECT_FALSE(commands_.is_running());
  EXPECT_THAT(left_jobs(), ElementsAre(first));
}

TEST_F(AskedToBringBack, again_and_again_it_does_not_hold_up_the_queue) {
  const JobId job = leave_changed("left");
  ask(job);
  submit(a_job());
  commands_.end("exit code 2");
  EXPECT_EQ(scheduler_.bring_back(job, [](const Status&) {}).error().kind, ErrorKind::busy);
}

TEST_F(AskedToBringBack, a_job_that_left_nothing_has_nothing) {
  const auto done = [](const Status&) {};
  EXPECT_EQ(scheduler_.bring_back(1, done).error().kind, ErrorKind::not_found);
  leave_changed("left");
  EXPECT_EQ(scheduler_.bring_back(2, done).error().kind, ErrorKind::not_found);
}

TEST_F(AskedToBringBack, it_is_refused_while_a_job_is_under_way) {
  const JobId first = leave_changed("left");
  submit(a_job());
  const auto done = [](const Status&) {};
  EXPECT_EQ(scheduler_.bring_back(first, done).error().kind, ErrorKind::busy) << "it is tried already";
  end_command("exit code 2");
  const Status refused = scheduler_.bring_back(first, done);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::busy);
  EXPECT_THAT(refused.error().message, HasSubstr("job 2 is under way"));
}

TEST_F(AskedToBringBack, it_is_not_said_to_be_done_by_a_daemon_that_stops_before) {
  const JobId job = leave_changed("left");
  ASSERT_TRUE(scheduler_.bring_back(job, [this](const Status& status) { answer = status; }));
  scheduler_.shut_down("stopped", [] {});
  clock_.turn();
  ASSERT_TRUE(answer && !*answer);
  EXPECT_THAT(answer->error().message, HasSubstr("netperfd is stopping"));
  EXPECT_THAT(commands_.said, IsEmpty());
  EXPECT_THAT(left_jobs(), ElementsAre(job));
}

TEST_F(AskedToBringBack, a_job_that_is_submitted_meanwhile_waits) {
  ask(leave_changed("left"));
  const JobId second = submit(a_job());
  EXPECT_EQ(workload_.alive(), 0);
  end_command();
  end_run();
  EXPECT_EQ(scheduler_.job(second)->state, JobState::finished);
}

}  // namespace
}  // namespace netperfd::core
