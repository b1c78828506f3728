// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/calls/call_tracker.hpp"

#include <gmock/gmock.h>

#include "tests/unit/analysis/calls/call_script.hpp"

namespace netperfd::analysis {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(CallTracker, gives_an_empty_profile_of_nothing) {
  const FunctionProfile profile = CallScript().profile();
  EXPECT_THAT(profile.functions, IsEmpty());
  EXPECT_THAT(profile.edges, IsEmpty());
  EXPECT_THAT(profile.tree, IsEmpty());
  EXPECT_EQ(profile.damage, CallDamage{});
  EXPECT_EQ(profile.slice_ns, 0U);
  EXPECT_TRUE(profile.timed);
}

TEST(CallTracker, counts_self_time_without_traced_callees) {
  const FunctionProfile profile = CallScript()
                                      .enter(100, 'a', 0)
                                      .call(110, 140, 'b', 1)
                                      .call(150, 155, 'c', 1)
                                      .leave(200, 'a', 0)
                                      .profile();
  EXPECT_EQ(function(profile, "a").total_ns, 100U);
  EXPECT_EQ(function(profile, "a").self_ns, 65U);
  EXPECT_EQ(function(profile, "a").callees, 2U);
  EXPECT_EQ(function(profile, "a").roots, 1U);
  EXPECT_EQ(function(profile, "b").self_ns, 30U);
  EXPECT_EQ(function(profile, "b").roots, 0U);
  EXPECT_EQ(profile.damage, CallDamage{});
}

TEST(CallTracker, takes_a_grandchild_from_its_parent_alone) {
  const FunctionProfile profile = CallScript()
                                      .enter(0, 'a', 0)
                                      .enter(10, 'b', 1)
                                      .call(20, 50, 'c', 2)
                                      .leave(60, 'b', 1)
                                      .leave(100, 'a', 0)
                                      .profile();
  EXPECT_EQ(function(profile, "a").self_ns, 50U);
  EXPECT_EQ(function(profile, "a").callees, 1U);
  EXPECT_EQ(function(profile, "b").self_ns, 20U);
}

TEST(CallTracker, measures_with_the_kernels_own_times_where_it_tells_them) {
  const FunctionProfile profile = CallScript().enter(9'000, 'a', 0).leave(9'500, 'a', 0, 100, 350).profile();
  EXPECT_EQ(function(profile, "a").total_ns, 250U);
  EXPECT_EQ(function(profile, "a").recorded_ns, 250U);
}

TEST(CallTracker, counts_the_total_time_of_a_recursion_once) {
  const FunctionProfile profile = CallScript()
                                      .enter(0, 'a', 0)
                                      .enter(10, 'b', 1)
                                      .call(20, 50, 'a', 2)
                                      .leave(60, 'b', 1)
                                      .leave(100, 'a', 0)
                                      .profile();
  const FunctionStats& a = function(profile, "a");
  EXPECT_EQ(a.hits, 2U);
  EXPECT_EQ(a.total_ns, 100U);
  EXPECT_EQ(a.self_ns, 50U + 30U);
  EXPECT_EQ(a.recorded_ns, 130U);
  EXPECT_EQ(a.min_ns, 30U);
  EXPECT_EQ(a.max_ns, 100U);
  EXPECT_THAT(edges(profile), ElementsAre("a>b 1 50", "b>a 1 30"));
  EXPECT_THAT(tree(profile), ElementsAre("a 1 100 50", "a>b 1 50 20", "a>b>a 1 30 30"));
}

TEST(CallTracker, pairs_by_task_not_by_cpu) {
  const FunctionProfile profile = CallScript()
                                      .cpu(0)
                                      .enter(0, 'a', 0)
                                      .cpu(1)
                                      .pid(8)
                                      .enter(10, 'a', 0)
                                      .pid(7)
                                      .leave(100, 'a', 0)
                                      .cpu(0)
                                      .pid(8)
                                      .leave(130, 'a', 0)
                                      .profile();
  EXPECT_EQ(function(profile, "a").hits, 2U);
  EXPECT_EQ(function(profile, "a").min_ns, 100U);
  EXPECT_EQ(function(profile, "a").max_ns, 120U);
  EXPECT_EQ(profile.damage, CallDamage{});
}

TEST(CallTracker, knows_an_idle_task_for_each_cpu) {
  const FunctionProfile profile = CallScript()
                                      .pid(0)
                                      .cpu(0)
                                      .enter(0, 'a', 0)
                                      .cpu(1)
                                      .enter(10, 'a', 0)
                                      .leave(20, 'a', 0)
                                      .cpu(0)
                                      .leave(100, 'a', 0)
                                      .profile();
  EXPECT_EQ(function(profile, "a").hits, 2U);
  EXPECT_EQ(function(profile, "a").min_ns, 10U);
  EXPECT_EQ(profile.damage, CallDamage{});
}

TEST(CallTracker, needs_no_depth_without_gaps) {
  const FunctionProfile profile =
      CallScript().enter(0, 'a', 2).call(10, 20, 'b', 5).call(30, 40, 'b', 4).leave(50, 'a', 2).profile();
  EXPECT_THAT(tree(profile), ElementsAre("a 1 50 30", "a>b 2 20 20"));
  EXPECT_EQ(profile.damage, CallDamage{});
}

// The caller's frame is gone when the callee runs, but its return is recorded after the callee's.
TEST(CallTracker, takes_a_tail_call_for_a_call) {
  const FunctionProfile profile =
      CallScript().enter(0, 'a', 0).enter(30, 'b', 1).leave(100, 'b', 1).leave(101, 'a', 0).profile();
  EXPECT_THAT(tree(profile), ElementsAre("a 1 101 31", "a>b 1 70 70"));
}

TEST(CallTracker, adds_edges_up_over_all_paths) {
  CallScript script;
  script.enter(0, 'a', 0).call(10, 20, 'c', 1).leave(30, 'a', 0);
  script.enter(40, 'b', 0).enter(50, 'a', 1).call(60, 65, 'c', 2).leave(80, 'a', 1).leave(90, 'b', 0);
  const FunctionProfile profile = script.profile();
  EXPECT_THAT(edges(profile), ElementsAre("b>a 1 30", "a>c 2 15"));
  EXPECT_THAT(tree(profile),
              ElementsAre("b 1 50 20", "b>a 1 30 25", "b>a>c 1 5 5", "a 1 30 20", "a>c 1 10 10"));
}

TEST(CallTracker, sorts_functions_by_self_time_and_then_by_name) {
  const FunctionProfile profile = CallScript()
                                      .call(0, 10, 'd', 0)
                                      .call(20, 30, 'b', 0)
                                      .call(40, 90, 'c', 0)
                                      .call(100, 105, 'a', 0)
                                      .profile();
  std::string names;
  for (const FunctionStats& stats : profile.functions) names += stats.name;
  EXPECT_EQ(names, "cbda");
}

TEST(CallTracker, takes_addresses_of_one_name_for_one_function) {
  CallScript script;
  script.enter(0, 'a', 0).call(10, 30, 'x', 1).call(40, 45, 'y', 1).leave(100, 'a', 0).call(200, 203, 'y', 0);
  const FunctionProfile profile = script.tracker().finish(
      [](std::uint64_t address) { return address == 'a' ? letter(address) : FunctionName{"xy", "hsr", 2}; });
  const FunctionStats& both = function(profile, "xy");
  EXPECT_EQ(both.module, "hsr");
  EXPECT_EQ(both.duplicate, 2U);
  EXPECT_EQ(both.hits, 3U);
  EXPECT_EQ(both.total_ns, 28U);
  EXPECT_EQ(both.min_ns, 3U);
  EXPECT_EQ(both.max_ns, 20U);
  EXPECT_EQ(both.histogram.buckets.size(), 3U);
  EXPECT_THAT(edges(profile), ElementsAre("a>xy 2 25"));
  EXPECT_THAT(tree(profile), ElementsAre("a 1 100 75", "a>xy 2 25 25", "xy 1 3 3"));
}

TEST(CallTracker, counts_records_that_come_after_later_ones_of_their_task) {
  CallScript script;
  script.pid(1).enter(100, 'a', 0).leave(200, 'a', 0);
  script.pid(2).cpu(1).call(50, 60, 'b', 0);  // there is no order between different tasks
  script.pid(1).call(150, 160, 'c', 0);
  EXPECT_EQ(script.profile().damage.out_of_order, 2U);
}

TEST(CallTracker, keeps_names_of_different_modules_apart) {
  CallScript script;
  script.call(0, 10, 'x', 0).call(20, 40, 'y', 0);
  const FunctionProfile profile = script.tracker().finish(
      [](std::uint64_t address) { return FunctionName{"f", address == 'x' ? "hsr" : "", 0}; });
  ASSERT_EQ(profile.functions.size(), 2U);
  EXPECT_EQ(profile.functions[0].module, "");
  EXPECT_EQ(profile.functions[1].module, "hsr");
}

TEST(CallTracker, gives_percentiles_within_what_was_met) {
  CallScript script;
  for (std::uint64_t i = 0; i < 1000; ++i) script.call(i * 10'000, i * 10'000 + 1000 + i, 'a', 0);
  const FunctionProfile profile = script.profile();
  const FunctionStats& a = function(profile, "a");
  EXPECT_EQ(a.min_ns, 1000U);
  EXPECT_EQ(a.max_ns, 1999U);
  EXPECT_NEAR(static_cast<double>(a.p50_ns.value()), 1499, 1499 / 32.0);
  EXPECT_NEAR(static_cast<double>(a.p90_ns.value()), 1899, 1899 / 32.0);
  EXPECT_NEAR(static_cast<double>(a.p99_ns.value_or(0)), 1989, 1989 / 32.0);
}

TEST(CallTracker, gives_no_percentile_that_less_than_ten_calls_lie_beyond) {
  const auto calls = [](std::uint64_t count) {
    CallScript script;
    for (std::uint64_t i = 0; i < count; ++i) script.call(i * 100, i * 100 + 1 + i % 10, 'a', 0);
    return script.profile().functions.at(0);
  };
  EXPECT_FALSE(calls(19).p50_ns);
  EXPECT_EQ(calls(20).p50_ns, 5U);
  EXPECT_FALSE(calls(99).p90_ns);
  EXPECT_EQ(calls(100).p90_ns, 9U);
  EXPECT_FALSE(calls(999).p99_ns);
  EXPECT_EQ(calls(1'000).p99_ns, 10U);
  EXPECT_FALSE(calls(9'999).p999_ns);
  EXPECT_EQ(calls(10'000).p999_ns, 10U);
}

TEST(CallTracker, counts_what_interrupts_and_sleep_took_of_a_recursion_once) {
  CallScript script;
  script.enter(0, 'a', 0).enter(10, 'a', 1);
  script.context(ContextRank::hardirq).call(20, 25, 'i', 2).context(ContextRank::task);
  const FunctionProfile profile =
      script.switch_to(30, 8).switch_to(50, 7).leave(60, 'a', 1).leave(100, 'a', 0).profile();
  const FunctionStats& a = function(profile, "a");
  EXPECT_EQ(a.hits, 2U);
  EXPECT_EQ(a.interrupted_ns, 5U);
  EXPECT_EQ(a.off_cpu_ns, 20U);
  EXPECT_EQ(a.total_ns, 75U);
  EXPECT_EQ(a.recorded_ns, 150U);
}

TEST(CallTracker, takes_the_tracers_cost_of_callees_and_of_interrupts_from_the_self_time) {
  CallScript script;
  script.enter(0, 'a', 0).enter(10, 'b', 1);
  script.context(ContextRank::softirq).enter(20, 's', 2).call(30, 40, 't', 3);
  script.context(ContextRank::hardirq).call(45, 50, 'h', 3);
  script.context(ContextRank::softirq).leave(60, 's', 2).call(70, 75, 't', 2);
  script.context(ContextRank::task).leave(100, 'b', 1).leave(200, 'a', 0);
  FunctionProfile profile = script.profile();
  EXPECT_EQ(function(profile, "a").interruptions, 0U) << "they came over what it called";
  EXPECT_EQ(function(profile, "b").interruptions, 2U);
  EXPECT_EQ(function(profile, "s").interruptions, 1U);
  EXPECT_EQ(function(profile, "h").interruptions, 0U);
  correct_self_times(profile, {.entry_ns = 2, .callee_ns = 5, .calls = 1});
  EXPECT_EQ(function(profile, "a").corrected_self_ns, 110U - 2U - 5U);
  EXPECT_EQ(function(profile, "b").corrected_self_ns, 45U - 2U - 2U * 5U);
  EXPECT_EQ(function(profile, "s").corrected_self_ns, 25U - 2U - 2U * 5U);
  EXPECT_EQ(function(profile, "h").corrected_self_ns, 5U - 2U);
}

TEST(CallTracker, counts_hits_of_the_function_tracer_as_roots_without_times) {
  CallScript script;
  script.hit(10, 'a').hit(20, 'a').context(ContextRank::softirq).hit(30, 'a');
  const FunctionProfile profile = script.profile();
  const FunctionStats& a = function(profile, "a");
  EXPECT_EQ(a.hits, 3U);
  EXPECT_EQ(a.roots, 3U);
  EXPECT_EQ(a.interrupt_roots, 1U);
  for (const auto& time : {a.total_ns, a.self_ns, a.recorded_ns, a.min_ns, a.max_ns, a.p50_ns})
    EXPECT_FALSE(time);
  EXPECT_THAT(a.histogram.buckets, IsEmpty());
  EXPECT_THAT(tree(profile), ElementsAre("a 2 - -", "!a 1 - -"));
  EXPECT_FALSE(profile.timed);
  FunctionProfile corrected = profile;
  correct_self_times(corrected, {.entry_ns = 2, .callee_ns = 5, .calls = 1});
  EXPECT_FALSE(corrected.functions.at(0).corrected_self_ns) << "of a time that nobody knows";
  EXPECT_EQ(corrected.damage, CallDamage{});
  EXPECT_TRUE(script.call(40, 50, 'b', 0).profile().timed);
}

TEST(CallTracker, tells_of_calls_that_ended_since_it_was_last_asked) {
  CallScript script;
  script.enter(0, 'b', 0).call(10, 30, 'a', 1);
  auto hits = script.tracker().take_hits();
  ASSERT_EQ(hits.size(), 1U);
  EXPECT_EQ(hits[0].function, std::uint64_t{'a'});
  EXPECT_EQ(hits[0].hits, 1U);
  EXPECT_EQ(hits[0].self_ns, 20U);
  EXPECT_THAT(script.tracker().take_hits(), IsEmpty());
  script.call(40, 45, 'a', 1).leave(100, 'b', 0);
  hits = script.tracker().take_hits();
  ASSERT_EQ(hits.size(), 2U);
  EXPECT_EQ(hits[0].self_ns, 5U);
  EXPECT_EQ(hits[1].function, std::uint64_t{'b'});
  EXPECT_EQ(hits[1].self_ns, 75U);
}

TEST(CallTracker, can_be_finished_and_go_on) {
  CallScript script;
  script.call(0, 10, 'a', 0).enter(20, 'a', 0);
  EXPECT_EQ(script.profile().damage.open_at_end, 1U);
  const FunctionProfile profile = script.leave(50, 'a', 0).profile();
  EXPECT_EQ(profile.damage.open_at_end, 0U);
  EXPECT_EQ(function(profile, "a").total_ns, 40U);
}

}  // namespace
}  // namespace netperfd::analysis
