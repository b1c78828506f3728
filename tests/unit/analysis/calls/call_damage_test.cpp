// SPDX-License-Identifier: GPL-2.0-or-later
// The handling of entries and exits that are no whole call.
#include <gmock/gmock.h>

#include "tests/unit/analysis/calls/call_script.hpp"

namespace netperfd::analysis {
namespace {

using testing::ElementsAre;

TEST(CallDamage, counts_calls_from_before_the_trace_as_open_at_its_start) {
  const FunctionProfile profile =
      CallScript().leave(10, 'c', 2).leave(20, 'b', 1).call(30, 40, 'd', 1).leave(50, 'a', 0).profile();
  EXPECT_EQ(profile.damage.open_at_start, 3U);
  EXPECT_EQ(profile.damage.unmatched_exits, 0U);
  EXPECT_THAT(tree(profile), ElementsAre("d 1 10 10"));
}

TEST(CallDamage, counts_an_exit_without_its_entry_as_unmatched_once_the_task_was_as_far_out) {
  const FunctionProfile profile =
      CallScript().leave(20, 'a', 0).leave(30, 'b', 0).call(40, 50, 'c', 1).leave(60, 'd', 1).profile();
  EXPECT_EQ(profile.damage.open_at_start, 1U);
  EXPECT_EQ(profile.damage.unmatched_exits, 2U);
}

TEST(CallDamage, counts_each_task_by_itself) {
  const FunctionProfile profile = CallScript().call(10, 20, 'a', 0).pid(8).leave(30, 'b', 0).profile();
  EXPECT_EQ(profile.damage.open_at_start, 1U);
}

TEST(CallDamage, tells_calls_from_before_the_trace_by_their_duration_after_a_loss) {
  const FunctionProfile profile = CallScript()
                                      .call(1'000, 1'100, 'a', 0)
                                      .lost(1'200)
                                      .pid(8)
                                      .leave(2'000, 'b', 1, 50, 1'049)
                                      .leave(2'001, 'c', 0, 50, 1'052)
                                      .pid(9)
                                      .leave(2'002, 'c', 0)
                                      .profile();
  EXPECT_EQ(profile.damage.open_at_start, 1U);
  EXPECT_EQ(profile.damage.unmatched_exits, 2U);
}

TEST(CallDamage, counts_calls_that_had_not_returned_as_open_at_the_end) {
  const FunctionProfile profile = CallScript()
                                      .enter(10, 'a', 0)
                                      .enter(20, 'b', 1)
                                      .call(30, 40, 'c', 2)
                                      .pid(8)
                                      .enter(50, 'a', 0)
                                      .profile();
  EXPECT_EQ(profile.damage.open_at_end, 3U);
  EXPECT_EQ(profile.damage.unmatched_entries, 0U);
  EXPECT_EQ(function(profile, "a").hits, 0U);
  EXPECT_THAT(tree(profile), ElementsAre("a 0 0 0", "a>b 0 0 0", "a>b>c 1 10 10"));
  EXPECT_THAT(edges(profile), ElementsAre("b>c 1 10"));
}

TEST(CallDamage, leaves_out_functions_that_only_stayed_open) {
  const FunctionProfile profile =
      CallScript().call(10, 20, 'a', 0).enter(30, 'a', 0).enter(40, 'b', 1).profile();
  EXPECT_THAT(tree(profile), ElementsAre("a 1 10 10"));
  EXPECT_EQ(profile.functions.size(), 1U);
}

TEST(CallDamage, drops_entries_that_a_new_one_shows_not_to_have_returned) {
  const FunctionProfile profile = CallScript()
                                      .enter(10, 'a', 0)
                                      .enter(20, 'b', 1)
                                      .call(30, 40, 'c', 2)
                                      .enter(100, 'd', 1)
                                      .leave(150, 'd', 1)
                                      .leave(200, 'a', 0)
                                      .profile();
  EXPECT_EQ(profile.damage.unmatched_entries, 1U);
  // The time in c does not count as a's own, whoever called c.
  EXPECT_EQ(function(profile, "a").self_ns, 190U - 10U - 50U);
  EXPECT_EQ(function(profile, "a").callees, 1U);
  EXPECT_THAT(edges(profile), ElementsAre("a>d 1 50", "b>c 1 10"));
}

// do_exit() never returns; the next task with the same pid starts afresh.
TEST(CallDamage, drops_the_calls_of_a_task_that_ended_within_them) {
  const FunctionProfile profile = CallScript()
                                      .enter(10, 'a', 0)
                                      .enter(20, 'b', 1)
                                      .switch_to(30, 8)
                                      .switch_to(1'000, 7)
                                      .call(1'100, 1'150, 'c', 0)
                                      .profile();
  EXPECT_EQ(profile.damage.unmatched_entries, 2U);
  EXPECT_EQ(profile.damage.open_at_end, 0U);
  EXPECT_THAT(tree(profile), ElementsAre("c 1 50 50"));
}

TEST(CallDamage, closes_a_lower_call_over_those_whose_exits_are_missing) {
  const FunctionProfile profile =
      CallScript().enter(10, 'a', 0).enter(20, 'b', 1).enter(30, 'c', 2).leave(100, 'a', 0).profile();
  EXPECT_EQ(profile.damage.unmatched_entries, 2U);
  EXPECT_EQ(profile.damage.unmatched_exits, 0U);
  EXPECT_EQ(function(profile, "a").total_ns, 90U);
}

TEST(CallDamage, takes_an_exit_of_another_function_at_the_same_depth_for_no_end) {
  const FunctionProfile profile =
      CallScript().enter(10, 'a', 0).enter(20, 'b', 1).leave(30, 'c', 1).leave(100, 'a', 0).profile();
  EXPECT_EQ(profile.damage.unmatched_entries, 1U);
  EXPECT_EQ(profile.damage.unmatched_exits, 1U);
  EXPECT_THAT(tree(profile), ElementsAre("a 1 90 90"));
}

TEST(CallDamage, marks_calls_under_way_on_a_cpu_that_lost_records) {
  const FunctionProfile profile = CallScript()
                                      .enter(10, 'a', 0)
                                      .call(11, 12, 'b', 1)
                                      .lost(50)
                                      .call(60, 70, 'b', 1)
                                      .leave(100, 'a', 0)
                                      .profile();
  EXPECT_EQ(profile.damage.over_losses, 1U);
  EXPECT_EQ(function(profile, "b").hits, 2U);
}

TEST(CallDamage, marks_the_idle_task_and_who_runs_next_with_the_one_that_ran) {
  CallScript script;
  script.pid(0).enter(10, 'i', 0).switch_to(20, 8).enter(21, 'b', 0).switch_to(30, 7).enter(31, 'a', 0);
  script.lost(40)
      .pid(8)
      .leave(50, 'b', 0)
      .switch_to(60, 7)
      .leave(70, 'a', 0)
      .switch_to(80, 0)
      .leave(90, 'i', 0);
  EXPECT_EQ(script.profile().damage.over_losses, 3U);
}

TEST(CallDamage, does_not_mark_calls_on_other_cpus_or_asleep_elsewhere) {
  CallScript script;
  script.enter(10, 'a', 0).cpu(1).pid(8).enter(20, 'b', 0).lost(30).leave(40, 'b', 0);
  script.cpu(0).pid(7).leave(50, 'a', 0);
  EXPECT_EQ(script.profile().damage.over_losses, 1U);
}

TEST(CallDamage, counts_the_growth_of_what_the_kernel_could_not_follow) {
  CallScript script;
  script.enter(1, 'a', 0).leave_overrun(2, 'a', 0, 5);  // from before the trace: nothing overflowed here
  script.enter(3, 'a', 0).leave_overrun(4, 'a', 0, 5);
  EXPECT_EQ(script.profile().damage.depth_overruns, 0U);
  script.enter(5, 'a', 0).leave_overrun(6, 'a', 0, 8);
  EXPECT_EQ(script.profile().damage.depth_overruns, 3U);
  script.pid(8).enter(7, 'a', 0).leave_overrun(8, 'a', 0, 0).enter(9, 'a', 0).leave_overrun(10, 'a', 0, 2);
  EXPECT_EQ(script.profile().damage.depth_overruns, 5U);
}

TEST(CallDamage, counts_what_was_too_deep_before_a_tasks_first_exit) {
  CallScript script;
  for (int depth = 0; depth < 50; ++depth) script.enter(static_cast<std::uint64_t>(depth), 'a', depth);
  script.leave_overrun(100, 'a', 49, 4).leave_overrun(101, 'a', 48, 4);
  EXPECT_EQ(script.profile().damage.depth_overruns, 4U);
}

TEST(CallDamage, takes_times_below_0_for_0_and_counts_them) {
  CallScript script;
  script.enter(10, 'a', 0).enter(20, 'b', 1).leave(30, 'b', 1, 5'000, 5'020).leave(40, 'a', 0, 5'000, 5'015);
  FunctionProfile profile = script.profile();
  EXPECT_EQ(function(profile, "a").self_ns, 0U);
  EXPECT_EQ(function(profile, "a").total_ns, 15U);
  EXPECT_EQ(profile.damage.clipped, 1U);
}

TEST(CallDamage, knows_no_time_of_a_call_whose_duration_cannot_be) {
  constexpr std::uint64_t kYear = 365ULL * 24 * 3'600 * 1'000'000'000;
  for (const std::uint64_t end : {std::uint64_t{4'999}, 5'000 + kYear, ~std::uint64_t{0}}) {
    CallScript script;
    script.enter(5, 'o', 0).enter(10, 'a', 1).call(12, 14, 'b', 2).leave(20, 'a', 1, 5'000, end);
    const FunctionProfile profile = script.leave(30, 'o', 0, 4'995, 5'020).profile();
    EXPECT_EQ(function(profile, "a").hits, 1U);
    EXPECT_EQ(function(profile, "a").total_ns, std::nullopt);
    EXPECT_EQ(function(profile, "a").self_ns, std::nullopt);
    EXPECT_EQ(function(profile, "b").total_ns, 2U);
    EXPECT_EQ(function(profile, "o").total_ns, 25U);
    EXPECT_EQ(function(profile, "o").self_ns, 23U) << "of what a took, that of b is known";
    EXPECT_EQ(profile.damage, CallDamage{});
  }
}

TEST(CorrectedSelfTime, is_without_the_tracers_cost_of_calls_and_callees) {
  FunctionProfile profile;
  profile.functions.resize(2);
  profile.functions[0].hits = 10;
  profile.functions[0].callees = 20;
  profile.functions[0].self_ns = 10'000;
  profile.functions[1].hits = 10;
  profile.functions[1].self_ns = 1'004;
  correct_self_times(profile, {.entry_ns = 100.25, .callee_ns = 90, .calls = 1});
  EXPECT_EQ(profile.functions[0].corrected_self_ns, 10'000U - 1'003U - 1'800U);
  EXPECT_EQ(profile.functions[1].corrected_self_ns, 1U);
  EXPECT_EQ(profile.functions[0].self_ns, 10'000U);
  EXPECT_EQ(profile.damage.clipped, 0U);
}

TEST(CorrectedSelfTime, is_not_below_0_and_counts_where_it_would_be) {
  FunctionProfile profile;
  profile.functions.resize(1);
  profile.functions[0].hits = 10;
  profile.functions[0].self_ns = 999;
  correct_self_times(profile, {.entry_ns = 100, .callee_ns = 0, .calls = 1});
  EXPECT_EQ(profile.functions[0].corrected_self_ns, 0U);
  EXPECT_EQ(profile.damage.clipped, 1U);
}

}  // namespace
}  // namespace netperfd::analysis
