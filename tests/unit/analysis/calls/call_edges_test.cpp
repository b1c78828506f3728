// SPDX-License-Identifier: GPL-2.0-or-later
// Interrupts between a call's time and its entry, or between its return and its exit.
#include <gmock/gmock.h>

#include <cstdint>
#include <optional>

#include "tests/unit/analysis/calls/call_script.hpp"

namespace netperfd::analysis {
namespace {

constexpr std::uint64_t kUs = 1'000;

// ---- The kernel's times -----------------------------------------------------------------------------------

// At both depths: older kernels raise it before they take the time, and functions of another tracer count.
TEST(CallEdges, of_calltimes_take_an_interrupt_before_the_entry_off_the_call) {
  for (const int depth : {1, 2}) {
    CallScript script;
    script.enter(100, 'n', 0).context(ContextRank::hardirq);
    script.enter(202, 'i', depth).call(203, 205, 'h', depth + 1).leave(302, 'i', depth, 202, 302);
    script.context(ContextRank::task).enter(303, 'p', 1).leave(304, 'p', 1, 201, 304);
    const FunctionProfile profile = script.leave(311, 'n', 0, 99, 310).profile();
    EXPECT_EQ(function(profile, "p").total_ns, 3U);
    EXPECT_EQ(function(profile, "p").interrupted_ns, 100U);
    EXPECT_EQ(function(profile, "p").interruptions, 1U);
    EXPECT_EQ(function(profile, "n").total_ns, 111U);
    EXPECT_EQ(function(profile, "n").self_ns, 108U);
    EXPECT_EQ(function(profile, "n").interruptions, 0U);
    EXPECT_EQ(profile.damage, CallDamage{});
  }
}

TEST(CallEdges, of_calltimes_leave_an_interrupt_before_the_call_to_its_caller) {
  CallScript script;
  script.enter(100, 'n', 0).context(ContextRank::hardirq).enter(202, 'i', 1).leave(302, 'i', 1, 202, 302);
  script.context(ContextRank::task).enter(304, 'p', 1).leave(310, 'p', 1, 303, 309);
  const FunctionProfile profile = script.leave(311, 'n', 0, 99, 310).profile();
  EXPECT_EQ(function(profile, "p").total_ns, 6U);
  EXPECT_EQ(function(profile, "p").interruptions, 0U);
  EXPECT_EQ(function(profile, "n").self_ns, 105U);
  EXPECT_EQ(function(profile, "n").interruptions, 1U);
}

// More roots than any fixed number, some before the call and some within it.
TEST(CallEdges, of_calltimes_take_every_one_of_many_interrupts) {
  CallScript script;
  script.enter(100, 'n', 0).context(ContextRank::softirq);
  for (std::uint64_t at = 200; at < 380; at += 20)
    script.enter(at, 's', 1).leave(at + 10, 's', 1, at, at + 10);
  // Of the nine, the last six came after p's time.
  script.context(ContextRank::task).enter(400, 'p', 1).call(402, 405, 'c', 2).leave(410, 'p', 1, 255, 409);
  const FunctionProfile profile = script.leave(420, 'n', 0, 100, 420).profile();
  EXPECT_EQ(function(profile, "p").total_ns, 154U - 60U);
  EXPECT_EQ(function(profile, "p").self_ns, 91U);
  EXPECT_EQ(function(profile, "p").interruptions, 6U);
  EXPECT_EQ(function(profile, "n").interruptions, 3U);
  EXPECT_EQ(function(profile, "n").self_ns, 320U - 90U - 94U);
}

TEST(CallEdges, of_calltimes_work_for_a_call_of_no_traced_caller_and_within_interrupts) {
  CallScript script;
  script.context(ContextRank::hardirq).enter(202, 'i', 1).leave(302, 'i', 1, 202, 302);
  script.context(ContextRank::task).enter(303, 'p', 0);
  // A hardirq in the first moment of a softirq, and one in its last, both within p.
  script.context(ContextRank::hardirq).enter(402, 'i', 2).leave(412, 'i', 2, 402, 412);
  script.context(ContextRank::softirq).enter(413, 's', 1);
  script.context(ContextRank::hardirq).enter(430, 'i', 1).leave(437, 'i', 1, 430, 437);
  script.context(ContextRank::softirq).leave(438, 's', 1, 401, 429);
  const FunctionProfile profile = script.context(ContextRank::task).leave(500, 'p', 0, 201, 499).profile();
  EXPECT_EQ(function(profile, "s").total_ns, 18U);
  EXPECT_EQ(function(profile, "s").interrupted_ns, 10U);
  EXPECT_EQ(function(profile, "s").interruptions, 1U);
  EXPECT_EQ(function(profile, "p").interrupted_ns, 100U + 28U + 7U);
  EXPECT_EQ(function(profile, "p").total_ns, 298U - 135U);
  EXPECT_EQ(function(profile, "p").interruptions, 3U);
  EXPECT_EQ(profile.damage, CallDamage{});
}

// An idle task may be interrupted at any length without a call of its own.
TEST(CallEdges, of_an_idle_task_stay_within_bounds) {
  CallScript script;
  script.pid(0).context(ContextRank::hardirq);
  std::uint64_t at = 100;
  for (int i = 0; i < 1'000; ++i, at += 20) script.enter(at, 'i', 0).leave(at + 10, 'i', 0, at, at + 10);
  script.context(ContextRank::task).enter(at, 'p', 0).leave(at + 20, 'p', 0, at - 45, at + 20);
  EXPECT_EQ(function(script.profile(), "p").total_ns, 65U - 20U);
}

// ---- Durations alone, as in a text ------------------------------------------------------------------------

class TextScript : public CallScript {
 public:
  explicit TextScript(std::uint64_t start)
      : CallScript(CallSettings{.sleep_in_recorded = {}}), start_(start) {}
  TextScript& end(std::uint64_t time, char function, int depth, std::uint64_t us) {
    leave(time, function, depth, start_, start_ + us * kUs);
    return *this;
  }
  // Entry and exit in one line.
  TextScript& leaf(std::uint64_t time, char function, int depth, std::uint64_t us) {
    enter(time, function, depth);
    return end(time, function, depth, us);
  }
  TextScript& interrupt(std::uint64_t time, int depth, std::uint64_t us) {
    context(ContextRank::hardirq);
    leaf(time, 'i', depth, us);
    context(ContextRank::task);
    return *this;
  }
  TextScript& begin(std::uint64_t time, char function, int depth) {
    enter(time, function, depth);
    return *this;
  }

 private:
  std::uint64_t start_;
};

TEST(CallEdges, of_durations_follow_from_what_the_caller_leaves_room_for) {
  TextScript script(kOnlyDuration);
  script.begin(1, 'n', 0).leaf(2, 'g', 1, 1).interrupt(3, 1, 100).leaf(4, 'p', 1, 103).end(5, 'n', 0, 110);
  script.begin(6, 'r', 0).leaf(7, 'l', 1, 1).interrupt(8, 1, 100).end(9, 'r', 0, 6);
  const FunctionProfile profile = script.profile();
  EXPECT_EQ(function(profile, "p").total_ns, 3 * kUs);
  EXPECT_EQ(function(profile, "p").max_ns, 3 * kUs);
  EXPECT_EQ(function(profile, "p").interrupted_ns, 100 * kUs);
  EXPECT_EQ(function(profile, "n").total_ns, 10 * kUs);
  EXPECT_EQ(function(profile, "n").self_ns, 6 * kUs);
  EXPECT_EQ(function(profile, "r").total_ns, 6 * kUs);
  EXPECT_EQ(function(profile, "r").self_ns, 5 * kUs);
  EXPECT_EQ(profile.damage, CallDamage{});
  EXPECT_THAT(edges(profile), testing::UnorderedElementsAre("n>p 1 3000", "n>g 1 1000", "r>l 1 1000"));
}

TEST(CallEdges, of_durations_leave_a_call_alone_that_fits_after_the_interrupt) {
  TextScript script(kOnlyDuration);
  script.begin(1, 'n', 0).interrupt(3, 1, 100).leaf(4, 'p', 1, 103).end(5, 'n', 0, 400);
  const FunctionProfile profile = script.profile();
  EXPECT_EQ(function(profile, "p").total_ns, 103 * kUs);
  EXPECT_EQ(function(profile, "n").self_ns, 197 * kUs);
}

TEST(CallEdges, of_durations_follow_from_a_depth_that_only_the_first_moment_has) {
  TextScript script(kOnlyDuration);
  script.begin(1, 'n', 0).interrupt(3, 2, 100).leaf(4, 'p', 1, 103).end(5, 'n', 0, 400);
  const FunctionProfile profile = script.profile();
  EXPECT_EQ(function(profile, "p").total_ns, 3 * kUs);
  EXPECT_EQ(function(profile, "n").self_ns, 297 * kUs);
}

TEST(CallEdges, of_durations_follow_from_stamps) {
  // The caller would have room for either.
  TextScript script(kDurationAndStamp);
  script.begin(1'000 * kUs, 'n', 0).interrupt(1'001 * kUs, 1, 100).begin(1'101 * kUs, 'p', 1);
  script.end(1'104 * kUs, 'p', 1, 103).interrupt(1'110 * kUs, 1, 50).leaf(1'160 * kUs, 'q', 1, 55);
  script.leaf(1'165 * kUs, 'c', 1, 1).begin(1'170 * kUs, 'r', 1).interrupt(1'175 * kUs, 2, 100);
  script.end(1'275 * kUs, 'r', 1, 5).interrupt(1'280 * kUs, 1, 20).leaf(1'300 * kUs, 's', 1, 30);
  const FunctionProfile profile = script.end(1'700 * kUs, 'n', 0, 700).profile();
  EXPECT_EQ(function(profile, "p").total_ns, 3 * kUs);
  EXPECT_EQ(function(profile, "q").total_ns, 5 * kUs);
  EXPECT_EQ(function(profile, "r").total_ns, 5 * kUs);
  EXPECT_EQ(function(profile, "s").total_ns, 30 * kUs) << "it fits before the next record";
  EXPECT_EQ(function(profile, "n").total_ns, (700 - 270) * kUs);
  EXPECT_EQ(function(profile, "n").self_ns, (430 - 3 - 5 - 1 - 5 - 30) * kUs);
  EXPECT_EQ(profile.damage, CallDamage{});
}

TEST(CallEdges, of_durations_follow_from_the_next_stamp_without_a_caller) {
  TextScript script(kDurationAndStamp);
  script.interrupt(1'000 * kUs, 0, 100).leaf(1'100 * kUs, 'p', 0, 103).leaf(1'105 * kUs, 'c', 0, 1);
  const FunctionProfile profile = script.profile();
  EXPECT_EQ(function(profile, "p").total_ns, 3 * kUs);
  EXPECT_EQ(function(profile, "p").hits, 1U);
}

TEST(CallEdges, of_durations_count_each_call_once_whatever_ends_first) {
  TextScript script(kOnlyDuration);
  script.begin(1, 'n', 0).interrupt(2, 1, 10).leaf(3, 'p', 1, 20);
  EXPECT_EQ(function(script.profile(), "p").hits, 1U) << "n has not returned";
  script.interrupt(4, 1, 10).leaf(5, 'p', 1, 20).leaf(6, 'o', 0, 5);
  const FunctionProfile profile = script.profile();
  EXPECT_EQ(function(profile, "p").hits, 2U) << "the exit of n is missing";
  EXPECT_EQ(function(profile, "p").total_ns, 40 * kUs);
  EXPECT_EQ(profile.damage.unmatched_entries, 1U);
}

// Whatever is made of it, a total below what was called within it is counted.
TEST(CallEdges, of_durations_count_a_call_that_holds_more_than_its_time) {
  TextScript script(kOnlyDuration);
  script.begin(1, 'n', 0).leaf(2, 'p', 1, 103).leaf(3, 'q', 1, 100).end(4, 'n', 0, 110);
  const FunctionProfile profile = script.profile();
  EXPECT_EQ(function(profile, "n").self_ns, 0U);
  EXPECT_EQ(profile.damage.clipped, 1U);
}

TEST(CallEdges, of_durations_forgive_the_digits_that_a_text_has_not) {
  CallScript script;
  script.enter(1, 'n', 0).enter(2, 'p', 1).leave(3, 'p', 1, kOnlyDuration, kOnlyDuration + 10'000'008);
  script.leave(4, 'n', 0, kOnlyDuration, kOnlyDuration + 10'000'000);
  EXPECT_EQ(script.profile().damage, CallDamage{});
}

}  // namespace
}  // namespace netperfd::analysis
