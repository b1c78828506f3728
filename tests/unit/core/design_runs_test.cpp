// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs with a design: the order of the runs, and the side of the machine during each.
#include <gmock/gmock.h>

#include "tests/unit/core/design_fixture.hpp"

namespace netperfd::core {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// ---- Refusals ---------------------------------------------------------------------------------------------

TEST_F(DesignRuns, a_name_that_only_a_switch_brings_about_is_left_to_the_runs) {
  JobSpec spec = a_design();
  spec.trace.emplace().function_graph.emplace().module = "hsr";
  tracer_.check_refusal = Error{ErrorKind::invalid_argument, "module hsr is not loaded"};
  EXPECT_TRUE(scheduler_.submit(spec, 1000));
  spec.design->a->apply = spec.design->a->verify = {};
  spec.design->b->apply = spec.design->b->verify = {};
  EXPECT_FALSE(scheduler_.submit(spec, 1000)) << "nothing brings it about";
}

TEST_F(DesignRuns, a_kernel_that_cannot_trace_refuses_a_job_with_commands_too) {
  JobSpec spec = a_design();
  spec.trace.emplace().function_graph.emplace().module = "hsr";
  tracer_.check_refusal = Error{ErrorKind::unsupported, "locked down"};
  EXPECT_FALSE(scheduler_.submit(spec, 1000));
  spec.trace->optional = true;
  EXPECT_TRUE(scheduler_.submit(spec, 1000));
}

// ---- Order of the runs ------------------------------------------------------------------------------------

TEST_F(DesignRuns, draws_a_seed_where_the_scenario_has_none_and_stores_it) {
  seed_ = 4711;
  const JobId job = submit(a_design());
  EXPECT_EQ(store_.jobs.at(job).spec.design->seed, 4711U);
  EXPECT_EQ(store_.jobs.at(job).slots, draw_slots(a_design(), 4711));
  const auto status = scheduler_.job(job);
  EXPECT_EQ(status->design->seed, 4711U);
  EXPECT_EQ(status->slots, store_.jobs.at(job).slots);
  EXPECT_EQ(status->runs.size(), 4U);
  EXPECT_EQ(status->repeat, 1U) << "blocks";
}

TEST_F(DesignRuns, keeps_the_seed_of_the_scenario) {
  JobSpec spec = a_design();
  spec.design->seed = 42;
  const JobId job = submit(spec);
  EXPECT_EQ(store_.jobs.at(job).spec.design->seed, 42U);
  EXPECT_EQ(store_.jobs.at(job).slots, draw_slots(spec, 42));
}

TEST_F(DesignRuns, tells_the_purpose_of_a_job) {
  JobSpec spec = a_job();
  spec.purpose = JobPurpose::pilot;
  EXPECT_EQ(scheduler_.job(submit(spec))->purpose, JobPurpose::pilot);
}

TEST_F(DesignRuns, trace_the_traced_runs_and_leave_the_plain_ones_alone) {
  JobSpec spec = a_traced_job();
  spec.repeat = 2;
  spec.forced = true;
  spec.design.emplace().plain = true;
  const JobId job = submit(spec);
  const auto slots = store_.jobs.at(job).slots;
  ASSERT_EQ(slots.size(), 4U);
  std::size_t traced = 0;
  for (const Slot& slot : slots) {
    if (slot.traced) ++traced;
    ASSERT_EQ(tracer_.traces.size(), traced);
    workload_.last().become_prepared();
    workload_.last().end(a_measurement());
    if (slot.traced) tracer_.last().end({});
    clock_.turn();
  }
  EXPECT_EQ(traced, 2U);
  RunId run = 41;
  for (const Slot& slot : slots) {
    const RunRecord& record = *store_.runs.at(run++).record;
    EXPECT_EQ(record.trace.has_value(), slot.traced);
    EXPECT_EQ(record.fingerprint->facts.front(),
              (Fact{"trace", slot.traced ? "events" : "tracer", slot.traced ? "skb:kfree_skb" : "none"}));
  }
  EXPECT_EQ(scheduler_.job(job)->state, JobState::finished);
  EXPECT_THAT(commands_.said, IsEmpty()) << "a design without variants runs no command";
}

TEST_F(DesignRuns, refuse_marks_in_a_plain_run) {
  JobSpec spec = a_traced_job();
  spec.forced = true;
  spec.design.emplace().plain = true;
  const JobId job = submit(spec);
  if (store_.jobs.at(job).slots.front().traced) {
    workload_.last().become_prepared();
    workload_.last().end(a_measurement());
    tracer_.last().end({});
    clock_.turn();
  }
  workload_.last().become_prepared();
  EXPECT_EQ(scheduler_.mark(job, "x").error().kind, ErrorKind::not_running);
}

// ---- Side of the machine ----------------------------------------------------------------------------------

TEST_F(DesignRuns, bring_the_machine_to_the_side_of_each_run_and_back_at_the_end) {
  const JobId job = submit(a_design());
  std::string now = "list";
  for (const Slot& slot : store_.jobs.at(job).slots) {
    end_commands(now);
    now = now_on_;
    EXPECT_EQ(now, name_of(slot));
    EXPECT_EQ(commands_.said.back(), "/x/check " + now) << "each run is checked";
    end_run();
  }
  end_commands(now);
  EXPECT_EQ(now_on_, "list");
  EXPECT_EQ(scheduler_.job(job)->state, JobState::finished);
  EXPECT_FALSE(sides_.kept);
}

TEST_F(DesignRuns, find_out_by_the_checks_where_the_machine_is_before_the_first_switch) {
  seed_ = 0;
  while (draw_slots(a_design(), seed_).front().variant != 'B') ++seed_;
  submit(a_design());
  EXPECT_EQ(command(), "/x/check list");
  end_command("exit code 1");
  EXPECT_EQ(command(), "/x/check hash");
  end_command();
  EXPECT_EQ(command(), "/x/switch hash") << "it is on side hash already, and each letter switches anew";
  end_command();
  EXPECT_EQ(command(), "/x/check hash");
  end_command();
  EXPECT_EQ(workload_.runs.size(), 1U);
  EXPECT_EQ(sides_.kept->side, "hash") << "where it was";
}

TEST_F(DesignRuns, go_back_to_side_b_where_the_machine_was_there) {
  const JobId job = submit(a_design());
  std::string now = "hash";
  for (int run = 0; run < 4; ++run) {
    end_commands(now);
    now = now_on_;
    end_run();
  }
  end_commands(now);
  EXPECT_EQ(now_on_, "hash");
  EXPECT_EQ(scheduler_.job(job)->state, JobState::finished);
}

TEST_F(DesignRuns, of_a_self_test_go_back_to_side_b_where_the_machine_was_there) {
  JobSpec spec = a_design();
  spec.purpose = JobPurpose::selftest;
  spec.design->home = spec.design->b;
  spec.design->b = spec.design->a;
  const JobId job = submit(spec);
  std::string now = "hash";
  for (int run = 0; run < 4; ++run) {
    end_commands(now);
    now = now_on_;
    EXPECT_EQ(now, "list");
    end_run();
  }
  EXPECT_EQ(sides_.kept->side, "hash") << "also for a daemon that is killed";
  end_commands(now);
  EXPECT_EQ(now_on_, "hash");
  EXPECT_EQ(scheduler_.job(job)->state, JobState::finished);
}

TEST_F(DesignRuns, take_side_a_for_the_original_where_no_check_tells) {
  seed_ = 0;
  while (draw_slots(a_design(), seed_).front().variant != 'A') ++seed_;
  submit(without_checks(a_design()));
  EXPECT_EQ(command(), "/x/switch list") << "it is not known that it is there";
  for (int run = 0; run < 4; ++run) {
    if (commands_.is_running()) end_command();
    end_run();
  }
  // ABBA: each letter has its switch, and at the end there is nothing to undo.
  EXPECT_THAT(commands_.said,
              ElementsAre("/x/switch list", "/x/switch hash", "/x/switch hash", "/x/switch list"));
  EXPECT_FALSE(sides_.kept);
}

TEST_F(DesignRuns, switch_once_for_the_plain_and_the_traced_run_of_a_letter) {
  JobSpec spec = without_checks(a_design());
  spec.trace.emplace();
  spec.design->plain = true;
  const JobId job = submit(spec);
  for (const Slot& slot : std::vector<Slot>(store_.jobs.at(job).slots)) {
    if (commands_.is_running()) end_command();
    workload_.last().become_prepared();
    workload_.last().end(a_measurement());
    if (slot.traced) tracer_.last().end({});
    clock_.turn();
  }
  if (commands_.is_running()) end_command();
  EXPECT_LE(commands_.said.size(), 5U) << "four letters, and perhaps the way back";
  EXPECT_GE(commands_.said.size(), 4U);
}

TEST_F(DesignRuns, give_both_commands_the_build_of_their_run) {
  JobSpec spec = a_design();
  spec.repeat = 2;
  spec.design->a->builds = {"l1", "l2"};
  spec.design->b->builds = {"h1", "h2"};
  const JobId job = submit(spec);
  for (const std::string candidate : {"list l1", "list l2", "hash h1"}) {
    EXPECT_EQ(command(), "/x/check " + candidate) << "where is the machine?";
    end_command("exit code 1");
  }
  EXPECT_EQ(command(), "/x/check hash h2");
  end_command();
  for (const Slot& slot : store_.jobs.at(job).slots) {
    const std::string place = name_of(slot) + " " + spec.design->build_name(slot.variant, slot.build);
    EXPECT_EQ(command(), "/x/switch " + place);
    end_command();
    EXPECT_EQ(command(), "/x/check " + place);
    end_command();
    EXPECT_THAT(sides_.kept->apply, ElementsAre("/x/switch", "hash", "h2")) << "the way back";
    end_run();
  }
  if (commands_.is_running()) {
    EXPECT_EQ(command(), "/x/switch hash h2");
    end_command();
  }
  EXPECT_EQ(scheduler_.job(job)->state, JobState::finished);
  EXPECT_FALSE(sides_.kept);
}

TEST_F(DesignRuns, note_the_way_back_before_the_first_switch) {
  submit(without_checks(a_design()));
  ASSERT_TRUE(sides_.kept);
  EXPECT_EQ(sides_.kept->job, 1U);
  EXPECT_EQ(sides_.kept->side, "list");
  EXPECT_THAT(sides_.kept->apply, ElementsAre("/x/switch", "list"));
  EXPECT_EQ(sides_.writes, 1);
}

TEST_F(DesignRuns, switch_nothing_where_the_way_back_cannot_be_noted) {
  sides_.refusal = Error{ErrorKind::no_space, "disk full"};
  const JobId job = submit(without_checks(a_design()));
  EXPECT_THAT(commands_.said, IsEmpty());
  EXPECT_EQ(scheduler_.job(job)->state, JobState::failed);
  EXPECT_THAT(error_of(41), HasSubstr("disk full"));
}

TEST_F(DesignRuns, give_each_command_a_minute) {
  submit(a_design());
  EXPECT_THAT(commands_.timeouts, ElementsAre(kCommandTimeout));
}

TEST_F(DesignRuns, do_not_count_a_switch_into_the_deadline_of_a_run) {
  submit(without_checks(a_design()));
  clock_.advance(seconds{59});
  end_command();
  EXPECT_EQ(workload_.alive(), 1);
  EXPECT_FALSE(workload_.last().stop_asked);
}

// ---- Failures ---------------------------------------------------------------------------------------------

TEST_F(DesignRuns, a_switch_that_fails_ends_the_job) {
  const JobId job = submit(without_checks(a_design()));
  const std::string first = name_of(store_.jobs.at(job).slots.front());
  commands_.end("exit code 1: no such module", "loading\nno such module\n");
  clock_.turn();
  EXPECT_EQ(error_of(41), "side " + first +
                              ": its switch failed: exit code 1: no such module; to try it, "
                              "run as root: /x/switch " +
                              first);
  const auto& documents = store_.runs.at(41).record->workload.documents;
  ASSERT_EQ(documents.size(), 1U) << "the output is kept";
  EXPECT_EQ(documents.front().name, "command.output");
  EXPECT_EQ(documents.front().bytes, "loading\nno such module\n");
  EXPECT_EQ(command(), "/x/switch list") << "half a switch is undone too";
  EXPECT_EQ(scheduler_.job(job)->state, JobState::running) << "not before the machine is back";
  end_command();
  EXPECT_THAT(states(),
              ElementsAre(RunState::failed, RunState::canceled, RunState::canceled, RunState::canceled));
  EXPECT_EQ(error_of(42), "not measured, since run 41 did not get its side");
  EXPECT_EQ(scheduler_.job(job)->state, JobState::failed);
  EXPECT_EQ(scheduler_.job(job)->error, error_of(41));
  EXPECT_TRUE(workload_.runs.empty());
  EXPECT_FALSE(sides_.kept);
}

TEST_F(DesignRuns, a_failure_of_a_long_command_is_still_one_sentence) {
  JobSpec spec = without_checks(a_design());
  for (Variant* side : {&*spec.design->a, &*spec.design->b})
    side->apply = {"/bin/sh", "-c", std::string(1000, 'x')};
  const JobId job = submit(spec);
  const std::string first = name_of(store_.jobs.at(job).slots.front());
  end_command("exit code 2");
  EXPECT_EQ(error_of(41),
            "side " + first + ": its switch failed: exit code 2; its switch begins with /bin/sh");
}

TEST_F(DesignRuns, a_check_that_fails_ends_the_job_on_the_side_where_it_began) {
  const JobId job = submit(a_design());
  end_commands("list");
  end_run();
  while (command().starts_with("/x/switch")) end_command();
  const std::string check = command();
  end_command("exit code 3");
  end_commands("");
  EXPECT_THAT(error_of(42), HasSubstr(": its check failed: exit code 3; to try it, run as root: " + check));
  EXPECT_THAT(states(),
              ElementsAre(RunState::finished, RunState::failed, RunState::canceled, RunState::canceled));
  EXPECT_EQ(scheduler_.job(job)->state, JobState::failed);
  EXPECT_FALSE(sides_.kept);
}

TEST_F(DesignRuns, a_command_that_cannot_be_started_fails_like_one_that_ends_badly) {
  commands_.refusal = Error{ErrorKind::not_found, "no such file"};
  const JobId job = submit(without_checks(a_design()));
  EXPECT_THAT(error_of(41),
              HasSubstr("its switch failed: no such file; to try it, run as root: /x/switch list"));
  EXPECT_EQ(scheduler_.job(job)->state, JobState::failed);
  EXPECT_EQ(scheduler_.job(job)->side_error, "") << "it has changed nothing";
  EXPECT_FALSE(sides_.kept);
}

TEST_F(DesignRuns, a_switch_whose_check_fails_brought_nothing_back) {
  seed_ = 0;
  while (draw_slots(a_design(), seed_).front().variant != 'B') ++seed_;
  const JobId job = submit(a_design());
  end_commands("list");
  end_run();
  ASSERT_EQ(command(), "/x/switch list");
  end_command();
  ASSERT_EQ(command(), "/x/check list");
  end_command("exit code 1");
  EXPECT_EQ(command(), "/x/switch list") << "once more, for the way back";
  end_command("exit code 1");
  EXPECT_THAT(scheduler_.job(job)->side_error, HasSubstr("could not be brought back"));
  EXPECT_TRUE(sides_.kept);
}

TEST_F(DesignRuns, a_machine_that_does_not_come_back_is_told_of_by_the_job) {
  seed_ = 0;
  while (draw_slots(a_design(), seed_).front().variant != 'B') ++seed_;
  JobSpec spec = without_checks(a_design());
  const JobId job = submit(spec);
  end_command();
  ASSERT_TRUE(scheduler_.stop(job, "enough"));
  workload_.last().end(a_measurement());
  clock_.turn();
  EXPECT_EQ(command(), "/x/switch list");
  end_command("exit code 7: busy");
  const auto status = scheduler_.job(job);
  EXPECT_EQ(status->state, JobState::failed);
  EXPECT_EQ(status->side_error,
            "the machine was on side list and could not be brought back: side list: its switch failed: "
            "exit code 7: busy; to try it, run as root: /x/switch list; netperfd tries again before the next "
            "job, `netperfctl undo 1` tries now, and `netperfctl doctor` says more");
  EXPECT_EQ(status->error, status->side_error);
  EXPECT_TRUE(sides_.kept) << "it is tried again";
}

}  // namespace
}  // namespace netperfd::core
