// SPDX-License-Identifier: GPL-2.0-or-later
// Interrupts, time off the CPU, time slices and bounds.
#include <gmock/gmock.h>

#include "tests/unit/analysis/calls/call_script.hpp"

namespace netperfd::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Interrupts, are_roots_whose_time_is_taken_from_all_below_them) {
  CallScript script;
  script.enter(0, 'a', 0).enter(10, 'b', 1);
  script.context(ContextRank::hardirq).enter(20, 'i', 2).call(30, 40, 'j', 3).leave(50, 'i', 2);
  script.context(ContextRank::task).leave(60, 'b', 1).leave(100, 'a', 0);
  const FunctionProfile profile = script.profile();
  EXPECT_EQ(function(profile, "b").total_ns, 20U);
  EXPECT_EQ(function(profile, "b").self_ns, 20U);
  EXPECT_EQ(function(profile, "b").interrupted_ns, 30U);
  EXPECT_EQ(function(profile, "b").recorded_ns, 50U);
  EXPECT_EQ(function(profile, "b").callees, 0U);
  EXPECT_EQ(function(profile, "a").total_ns, 70U);
  EXPECT_EQ(function(profile, "a").interrupted_ns, 30U);
  EXPECT_EQ(function(profile, "i").interrupt_roots, 1U);
  EXPECT_EQ(function(profile, "i").roots, 1U);
  EXPECT_THAT(edges(profile), ElementsAre("a>b 1 20", "i>j 1 10"));
  EXPECT_THAT(tree(profile), ElementsAre("a 1 70 50", "a>b 1 20 20", "!i 1 30 20", "!i>j 1 10 10"));
}

TEST(Interrupts, over_one_another_are_taken_once) {
  CallScript script;
  script.enter(0, 'a', 0);
  script.context(ContextRank::softirq).enter(10, 's', 1);
  script.context(ContextRank::hardirq).call(20, 25, 'h', 2);
  script.context(ContextRank::nmi).call(30, 33, 'n', 2);
  script.context(ContextRank::softirq).leave(50, 's', 1);
  script.context(ContextRank::hardirq).call(60, 64, 'h', 1);
  script.context(ContextRank::task).leave(100, 'a', 0);
  const FunctionProfile profile = script.profile();
  EXPECT_EQ(function(profile, "s").total_ns, 32U);
  EXPECT_EQ(function(profile, "s").interrupted_ns, 8U);
  EXPECT_EQ(function(profile, "a").interrupted_ns, 44U);
  EXPECT_EQ(function(profile, "a").total_ns, 56U);
  EXPECT_EQ(function(profile, "h").interrupt_roots, 2U);
}

TEST(Interrupts, are_roots_over_untraced_code_too) {
  CallScript script;
  script.context(ContextRank::softirq).enter(0, 'a', 0).call(10, 20, 'b', 1).leave(30, 'a', 0);
  EXPECT_THAT(tree(script.profile()), ElementsAre("!a 1 30 20", "!a>b 1 10 10"));
}

TEST(Interrupts, are_kept_apart_from_the_same_function_in_a_task) {
  CallScript script;
  script.call(0, 10, 'a', 0).context(ContextRank::softirq).call(20, 25, 'a', 0);
  const FunctionProfile profile = script.profile();
  EXPECT_THAT(tree(profile), ElementsAre("a 1 10 10", "!a 1 5 5"));
  EXPECT_EQ(function(profile, "a").roots, 2U);
  EXPECT_EQ(function(profile, "a").interrupt_roots, 1U);
}

// If an interrupt calls the function that the interrupted task is in, this is not a recursion: the outer
// call's time does not include it.
TEST(Interrupts, begin_no_recursion) {
  CallScript script;
  script.enter(0, 'a', 0).context(ContextRank::softirq).call(10, 20, 'a', 1);
  script.context(ContextRank::task).leave(100, 'a', 0);
  EXPECT_EQ(function(script.profile(), "a").total_ns, 100U);
}

// irq_exit() is entered as part of the hardirq, but runs softirqs after the hardirq has ended.
TEST(Interrupts, may_call_code_of_a_lower_rank) {
  CallScript script;
  script.context(ContextRank::hardirq).enter(0, 'e', 0);
  script.context(ContextRank::softirq).enter(10, 's', 1);
  script.context(ContextRank::hardirq).call(20, 24, 'h', 2);
  script.context(ContextRank::softirq).leave(30, 's', 1);
  script.context(ContextRank::hardirq).leave(40, 'e', 0);
  EXPECT_THAT(tree(script.profile()), ElementsAre("!e 1 36 20", "!e>s 1 16 16", "!h 1 4 4"));
}

TEST(Interrupts, whose_end_is_missing_take_what_their_callees_took) {
  CallScript script;
  script.enter(0, 'a', 0).context(ContextRank::hardirq).enter(10, 'i', 1).call(20, 50, 'j', 2);
  script.context(ContextRank::task).leave(100, 'a', 0);
  const FunctionProfile profile = script.profile();
  EXPECT_EQ(function(profile, "a").interrupted_ns, 30U);
  EXPECT_EQ(function(profile, "a").self_ns, 70U);
  EXPECT_EQ(profile.damage.unmatched_entries, 1U);
}

// The kernel takes a call off its stack and its time, and then writes the record: an interrupt between the
// two stands at the call's own depth.
TEST(Interrupts, between_a_return_and_its_record_take_no_time_of_the_call) {
  for (const int deeper : {0, 1}) {
    CallScript script;
    script.enter(0, 'a', 0).enter(10, 'b', 1).call(12, 15, 'c', 2);
    script.context(ContextRank::softirq).enter(30, 's', 1 + deeper);
    script.context(ContextRank::hardirq).enter(32, 'h', 2 + deeper).leave(36, 'h', 2 + deeper, 32, 36);
    script.context(ContextRank::softirq).leave(45, 's', 1 + deeper, 30, 45);
    script.context(ContextRank::hardirq).enter(46, 'h', 1 + deeper).leave(49, 'h', 1 + deeper, 46, 49);
    script.context(ContextRank::task).leave(50, 'b', 1, 10, 28).leave(100, 'a', 0, 1, 100);
    const FunctionProfile profile = script.profile();
    EXPECT_EQ(profile.damage, CallDamage{});
    EXPECT_EQ(function(profile, "b").total_ns, 18U);
    EXPECT_EQ(function(profile, "b").self_ns, 15U);
    EXPECT_EQ(function(profile, "b").interrupted_ns, 0U);
    EXPECT_EQ(function(profile, "b").interruptions, 0U);
    EXPECT_EQ(function(profile, "s").interrupted_ns, 4U);
    EXPECT_EQ(function(profile, "a").interrupted_ns, 18U);
    EXPECT_EQ(function(profile, "a").interruptions, 2U);
    EXPECT_EQ(function(profile, "a").self_ns, 99U - 18U - 18U);
    EXPECT_THAT(edges(profile), ElementsAre("a>b 1 18", "b>c 1 3"));
  }
}

TEST(Interrupts, at_the_depth_of_a_call_but_before_its_return_take_its_time) {
  CallScript script;
  script.enter(0, 'a', 0).enter(10, 'b', 1);
  script.context(ContextRank::hardirq).enter(30, 'i', 1).leave(45, 'i', 1, 30, 45);
  script.context(ContextRank::task).leave(50, 'b', 1, 10, 46).leave(100, 'a', 0, 1, 100);
  const FunctionProfile profile = script.profile();
  EXPECT_EQ(profile.damage, CallDamage{});
  EXPECT_EQ(function(profile, "b").self_ns, 36U - 15U);
  EXPECT_EQ(function(profile, "b").interruptions, 1U);
  EXPECT_EQ(function(profile, "a").self_ns, 99U - 15U - 21U);
}

TEST(Interrupts, between_a_return_and_its_record_take_time_where_only_records_tell_it) {
  CallScript script;
  script.enter(10, 'b', 0).context(ContextRank::hardirq).call(30, 45, 'i', 0);
  script.context(ContextRank::task).leave(50, 'b', 0);
  const FunctionProfile profile = script.profile();
  EXPECT_EQ(function(profile, "b").total_ns, 25U);
  EXPECT_EQ(function(profile, "b").interrupted_ns, 15U);
}

TEST(Interrupts, whose_end_is_missing_keep_no_call_open_that_has_returned) {
  CallScript script;
  script.enter(0, 'a', 0).enter(10, 'b', 1).context(ContextRank::hardirq).enter(20, 'i', 1);
  script.context(ContextRank::task).leave(50, 'b', 1, 10, 19).call(60, 70, 'b', 1).leave(100, 'a', 0);
  const FunctionProfile profile = script.profile();
  EXPECT_EQ(function(profile, "b").hits, 2U);
  EXPECT_EQ(function(profile, "b").total_ns, 9U + 10U);
  EXPECT_EQ(profile.damage.unmatched_entries, 1U);
  EXPECT_EQ(profile.damage.unmatched_exits, 0U);
}

// On a PREEMPT_RT kernel, softirqs may lose the CPU.
TEST(Interrupts, take_no_time_that_they_were_off_the_cpu) {
  CallScript script;
  script.enter(0, 'a', 0).context(ContextRank::softirq).enter(10, 's', 1);
  script.switch_to(20, 8).switch_to(50, 7).leave(60, 's', 1).context(ContextRank::task).leave(100, 'a', 0);
  const FunctionProfile profile = script.profile();
  EXPECT_EQ(function(profile, "s").total_ns, 20U);
  EXPECT_EQ(function(profile, "a").interrupted_ns, 20U);
  EXPECT_EQ(function(profile, "a").off_cpu_ns, 30U);
  EXPECT_EQ(function(profile, "a").total_ns, 50U);
}

CallScript& sleep_in_a_call(CallScript& script) {
  script.enter(0, 'a', 0).enter(10, 'b', 1).switch_to(20, 8).call(30, 35, 'c', 0).switch_to(50, 7);
  return script.leave(60, 'b', 1).leave(100, 'a', 0);
}

TEST(TimeOffTheCpu, is_taken_from_every_call_it_fell_in) {
  CallScript script;
  const FunctionProfile profile = sleep_in_a_call(script).profile();
  EXPECT_EQ(function(profile, "b").total_ns, 20U);
  EXPECT_EQ(function(profile, "b").off_cpu_ns, 30U);
  EXPECT_EQ(function(profile, "a").total_ns, 70U);
  EXPECT_EQ(function(profile, "a").self_ns, 50U);
  EXPECT_EQ(function(profile, "a").off_cpu_ns, 30U);
  EXPECT_EQ(function(profile, "a").recorded_ns, 100U);
  EXPECT_EQ(function(profile, "c").off_cpu_ns, 0U);
  EXPECT_EQ(profile.sleep_in_recorded, true);
  EXPECT_TRUE(profile.off_cpu_known);
}

TEST(TimeOffTheCpu, is_told_but_not_taken_where_the_kernel_left_it_out) {
  CallScript script(CallSettings{.sleep_in_recorded = false});
  script.enter(0, 'a', 0).switch_to(20, 8).switch_to(50, 7).leave(100, 'a', 0, 1'030, 1'100);
  const FunctionProfile profile = script.profile();
  EXPECT_EQ(function(profile, "a").total_ns, 70U);
  EXPECT_EQ(function(profile, "a").off_cpu_ns, 30U);
  EXPECT_EQ(profile.sleep_in_recorded, false);
}

TEST(TimeOffTheCpu, is_always_taken_from_a_duration_between_two_stamps) {
  CallScript script(CallSettings{.sleep_in_recorded = false});
  const FunctionProfile profile = sleep_in_a_call(script).profile();
  EXPECT_EQ(function(profile, "a").total_ns, 70U);
  EXPECT_EQ(function(profile, "a").recorded_ns, 100U);
}

TEST(TimeOffTheCpu, is_taken_where_nobody_knows_whether_the_kernel_left_it_out) {
  CallScript script(CallSettings{.sleep_in_recorded = std::nullopt});
  script.enter(0, 'a', 0).switch_to(20, 8).switch_to(50, 7).leave(100, 'a', 0, 1'000, 1'100);
  const FunctionProfile profile = script.profile();
  EXPECT_EQ(function(profile, "a").total_ns, 70U);
  EXPECT_FALSE(profile.sleep_in_recorded.has_value());
}

TEST(TimeOffTheCpu, is_not_told_where_switches_are_not_known) {
  CallScript script(CallSettings{.off_cpu_known = false});
  const FunctionProfile profile = sleep_in_a_call(script).profile();
  EXPECT_EQ(function(profile, "a").total_ns, 100U);
  EXPECT_EQ(function(profile, "a").off_cpu_ns, 0U);
  EXPECT_FALSE(profile.off_cpu_known);
}

TEST(TimeOffTheCpu, ends_on_whatever_cpu_the_task_goes_on) {
  CallScript script;
  script.cpu(0).enter(0, 'a', 0).switch_to(20, 0);
  script.cpu(1).pid(0).switch_to(70, 7).leave(100, 'a', 0);
  EXPECT_EQ(function(script.profile(), "a").off_cpu_ns, 50U);
}

TEST(TimeOffTheCpu, is_known_of_the_idle_task_of_each_cpu) {
  CallScript script;
  script.cpu(0).pid(0).enter(0, 'a', 0).cpu(1).pid(0).enter(5, 'a', 0);
  script.cpu(0)
      .switch_to(10, 7)
      .cpu(1)
      .pid(0)
      .leave(25, 'a', 0)
      .cpu(0)
      .pid(7)
      .switch_to(40, 0)
      .leave(50, 'a', 0);
  const FunctionProfile profile = script.profile();
  EXPECT_EQ(function(profile, "a").off_cpu_ns, 30U);
  EXPECT_EQ(function(profile, "a").total_ns, 40U);
}

// The scheduler records a switch before it happens, and continues as the task that is leaving.
TEST(TimeOffTheCpu, holds_what_a_task_does_between_the_record_of_its_switch_and_the_switch) {
  CallScript script;
  script.enter(0, 's', 0).switch_to(10, 8).pid(7).call(11, 13, 't', 1).pid(8).call(20, 30, 'x', 0);
  script.switch_to(60, 7).leave(80, 's', 0);
  const FunctionProfile profile = script.profile();
  EXPECT_EQ(function(profile, "s").off_cpu_ns, 50U);
  EXPECT_EQ(function(profile, "t").total_ns, 2U);
}

TEST(TimeOffTheCpu, ends_where_a_task_is_seen_to_run_after_a_loss) {
  CallScript script;
  script.enter(0, 'a', 0).switch_to(10, 8).lost(50).pid(7).call(60, 70, 'b', 1).leave(100, 'a', 0);
  EXPECT_EQ(function(script.profile(), "a").off_cpu_ns, 50U);
}

TEST(TimeOffTheCpu, ends_where_a_task_leaves_the_cpu_again_after_a_loss) {
  CallScript script;
  script.enter(0, 'a', 0).switch_to(20, 8).lost(40).pid(7).switch_to(60, 8).switch_to(80, 7).leave(100, 'a',
                                                                                                   0);
  const FunctionProfile profile = script.profile();
  EXPECT_EQ(function(profile, "a").off_cpu_ns, 40U + 20U);
  EXPECT_EQ(profile.damage.over_losses, 1U);
}

TEST(Slices, hold_hits_and_self_time_by_when_a_call_returned) {
  constexpr std::uint64_t kSlice = 1 << 20;
  CallScript script;
  script.call(10, 20, 'a', 0).release(1'000);
  script.enter(2'000, 'a', 0).call(kSlice, kSlice + 10, 'b', 1).leave(3 * kSlice, 'a', 0);
  const FunctionProfile profile = script.profile();
  EXPECT_EQ(profile.slice_ns, kSlice);
  EXPECT_THAT(function(profile, "b").slice_hits, ElementsAre(1));
  EXPECT_THAT(function(profile, "b").slice_self_ns, ElementsAre(10));
  EXPECT_THAT(function(profile, "a").slice_hits, ElementsAre(0, 0, 1));
  EXPECT_THAT(function(profile, "a").slice_self_ns, ElementsAre(0, 0, 3 * kSlice - 2'010));
}

TEST(Slices, become_wider_and_fewer_in_a_long_run) {
  constexpr std::uint64_t kSlice = 1 << 20;
  CallScript script(CallSettings{.slices = 4});
  script.release(0);
  for (std::uint64_t slice = 0; slice < 5; ++slice) script.call(slice * kSlice, slice * kSlice + 10, 'a', 0);
  const FunctionProfile profile = script.profile();
  EXPECT_EQ(profile.slice_ns, 2 * kSlice);
  EXPECT_THAT(function(profile, "a").slice_hits, ElementsAre(2, 2, 1));
  script.call(9 * kSlice, 9 * kSlice + 1, 'b', 0);
  EXPECT_EQ(script.profile().slice_ns, 4 * kSlice);
  EXPECT_THAT(function(script.profile(), "a").slice_hits, ElementsAre(4, 1));
  EXPECT_THAT(function(script.profile(), "b").slice_hits, ElementsAre(0, 0, 1));
}

TEST(Slices, bear_any_time) {
  CallScript script(CallSettings{.slices = 1});
  script.release(0).call(1, 2, 'a', 0).enter(3, 'a', 0).leave(~std::uint64_t{0}, 'a', 0);
  const FunctionProfile profile = script.profile();
  EXPECT_EQ(profile.slice_ns, std::uint64_t{1} << 63);
  EXPECT_THAT(function(profile, "a").slice_hits, ElementsAre(1, 1));
}

TEST(Slices, are_none_without_a_release) {
  const FunctionProfile profile = CallScript().call(10, 20, 'a', 0).profile();
  EXPECT_EQ(profile.slice_ns, 0U);
  EXPECT_THAT(function(profile, "a").slice_hits, IsEmpty());
}

TEST(Slices, begin_with_the_first_release) {
  const FunctionProfile profile =
      CallScript().release(10).release(1 << 21).call((1 << 21) + 100, (1 << 21) + 200, 'a', 0).profile();
  EXPECT_THAT(function(profile, "a").slice_hits, ElementsAre(0, 0, 1));
}

TEST(Slices, hold_no_call_that_returned_before_the_release_but_came_later) {
  const FunctionProfile profile = CallScript().release(1'000).call(900, 910, 'a', 0).profile();
  EXPECT_EQ(function(profile, "a").hits, 1U);
  EXPECT_THAT(function(profile, "a").slice_hits, IsEmpty());
}

TEST(Bounds, count_functions_without_room_together) {
  CallScript script(CallSettings{.tree_nodes = 4, .functions = 3});
  script.call(0, 10, 'a', 0).call(20, 25, 'b', 0);
  script.enter(30, 'c', 0).call(40, 45, 'd', 1).leave(50, 'c', 0).call(60, 62, 'a', 0).call(70, 71, 'e', 0);
  const FunctionProfile profile = script.profile();
  ASSERT_EQ(profile.functions.size(), 3U);
  const FunctionStats& others = function(profile, "others");
  EXPECT_EQ(others.hits, 3U);
  EXPECT_EQ(others.total_ns, 21U);
  EXPECT_EQ(others.self_ns, 21U);
  EXPECT_EQ(profile.damage.tree_overflow, 0U);
  EXPECT_EQ(function(profile, "a").hits, 2U);
  EXPECT_THAT(edges(profile), ElementsAre("others>others 1 5"));
  EXPECT_EQ(profile.damage.unmatched_entries + profile.damage.unmatched_exits, 0U);
}

TEST(Bounds, keep_edges_and_functions_of_calls_without_room_in_the_tree) {
  CallScript script(CallSettings{.tree_nodes = 1});
  for (std::uint64_t time = 0; time < 200; time += 100) {
    script.enter(time, 'a', 0).enter(time + 10, 'b', 1).call(time + 20, time + 30, 'b', 2);
    script.leave(time + 40, 'b', 1).leave(time + 50, 'a', 0);
  }
  script.call(300, 310, 'c', 0);
  const FunctionProfile profile = script.profile();
  EXPECT_THAT(tree(profile), ElementsAre("a 2 100 40"));
  EXPECT_THAT(edges(profile), ElementsAre("a>b 2 60", "b>b 2 20"));
  EXPECT_EQ(function(profile, "b").total_ns, 60U);
  EXPECT_EQ(function(profile, "c").roots, 1U);
  EXPECT_EQ(profile.damage.tree_overflow, 5U);
}

TEST(Bounds, give_up_the_tasks_whose_last_call_began_the_longest_ago) {
  CallScript script(CallSettings{.tasks = 8});
  for (int task = 0; task < 9; ++task)
    script.pid(100 + task).enter(static_cast<std::uint64_t>(10 + task), 'a', 0);
  EXPECT_EQ(script.profile().damage.open_at_end, 9U);
  script.pid(108).leave(50, 'a', 0).pid(102).leave(60, 'a', 0).pid(101).leave(70, 'a', 0);
  const FunctionProfile profile = script.profile();
  EXPECT_EQ(function(profile, "a").hits, 2U);
  EXPECT_EQ(profile.damage.unmatched_exits, 1U);
  EXPECT_EQ(profile.damage.open_at_start, 0U);
  EXPECT_EQ(profile.damage.open_at_end, 7U);
}

TEST(Bounds, forget_tasks_without_calls_before_any_other) {
  CallScript script(CallSettings{.tasks = 8});
  script.pid(98).call(1, 2, 'b', 0).cpu(1).pid(99).enter(3, 'a', 0).cpu(0);
  for (int task = 1; task < 1'000; ++task) {
    const auto time = static_cast<std::uint64_t>(10 * task);
    script.pid(100 + task).call(time, time + 5, 'b', 0);
  }
  script.cpu(1).pid(99).leave(50'000, 'a', 0);
  const FunctionProfile profile = script.profile();
  EXPECT_EQ(function(profile, "a").hits, 1U);
  EXPECT_EQ(function(profile, "b").hits, 1'000U);
  EXPECT_EQ(profile.damage, CallDamage{});
}

}  // namespace
}  // namespace netperfd::analysis
