// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/stack_deltas.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tests/unit/analysis/compare/profile_of_stacks.hpp"
#include "tests/unit/analysis/compare/sampled_sides.hpp"

namespace netperfd::analysis {
namespace {

using testing::ElementsAre;

RunList runs_of(const std::vector<ComparedRun>& runs) {
  RunList list;
  for (const ComparedRun& run : runs) list.push_back(&run);
  return list;
}

// Two runs of A with `a` and two of B with `b`; a sample is half a nanosecond of each byte.
StackComparison compared(const SampleProfile& a, const SampleProfile& b,
                         StackScope scope = StackScope::workload) {
  const SampledSides sides = blocks(1, 1);
  StackTree tree{scope};
  for (int run = 0; run < 2; ++run) {
    tree.add(StackTree::side_a, a, 0.5);
    tree.add(StackTree::side_b, b, 0.5);
  }
  StackComparison comparison;
  tree.compare(runs_of(sides.a), runs_of(sides.b), {}, comparison);
  return comparison;
}

std::vector<std::string> shown(const StackComparison& comparison) {
  std::vector<std::string> lines;
  for (const FrameDelta& frame : comparison.frames) {
    lines.push_back(fmt::format("{} {} {:g}+{:g} {:g}+{:g}", frame.depth,
                                frame.depth == 0 ? "all" : name_of(frame.frame), frame.self_a,
                                frame.total_a - frame.self_a, frame.self_b, frame.total_b - frame.self_b));
  }
  return lines;
}

TEST(StackDeltas, have_the_paths_of_both_sides_in_one_tree) {
  ProfileOfStacks a, b;
  a.add(10, {kIperf3, function("send")}).add(4, {kIperf3, function("send"), function("old")});
  b.add(6, {kIperf3, function("send"), function("new")}).add(2, {kIperf3, function("send")});
  EXPECT_THAT(
      shown(compared(a.profile(), b.profile())),
      ElementsAre("0 all 0+7 0+4", "1 iperf3 0+7 0+4", "2 send 5+2 1+3", "3 new 0+0 3+0", "3 old 2+0 0+0"));
}

// Another build may have split another clone off.
TEST(StackDeltas, take_clones_of_a_function_for_the_function) {
  ProfileOfStacks a, b;
  a.add(4, {kIperf3, function("find.isra.0", "hsr"), function("leaf")});
  b.add(6, {kIperf3, function("find.constprop.1", "hsr"), function("leaf")});
  EXPECT_THAT(shown(compared(a.profile(), b.profile())),
              ElementsAre("0 all 0+2 0+3", "1 iperf3 0+2 0+3", "2 find.isra.0 0+2 0+3", "3 leaf 2+0 3+0"));
}

TEST(StackDeltas, are_of_the_workload_and_of_packets_unless_all_tasks_are_asked_for) {
  ProfileOfStacks profile;
  profile.add(8, {kIperf3, function("send")})
      .add(100, {kOthers, kUser})
      .add(50, {kOthers, function("kthread")})
      .add(4, {kOthers, function("handle_softirqs"), function("net_rx_action"), function("receive")})
      .add(2, {kOthers, function("net_rx_action", "a_module")});
  EXPECT_THAT(shown(compared(profile.profile(), profile.profile())),
              ElementsAre("0 all 0+6 0+6", "1 iperf3 0+4 0+4", "2 send 4+0 4+0", "1 others 0+2 0+2",
                          "2 handle_softirqs 0+2 0+2", "3 net_rx_action 0+2 0+2", "4 receive 2+0 2+0"));
  const StackComparison host = compared(profile.profile(), profile.profile(), StackScope::host);
  EXPECT_EQ(host.frames.front().total_a, 82);
}

TEST(StackDeltas, test_frames_with_one_percent_of_the_samples) {
  ProfileOfStacks profile;
  profile.add(990, {kIperf3, function("frequent")}).add(9, {kIperf3, function("rare")});
  const SampledSides sides = blocks(6, 1);
  StackTree tree{StackScope::workload};
  for (std::size_t run = 0; run < sides.a.size(); ++run) {
    tree.add(StackTree::side_a, profile.profile(), 1);
    tree.add(StackTree::side_b, profile.profile(), 1);
  }
  StackComparison comparison;
  tree.compare(runs_of(sides.a), runs_of(sides.b), {}, comparison);
  EXPECT_EQ(comparison.tested, 3U);  // all, iperf3, frequent
  ASSERT_EQ(comparison.frames.size(), 4U);
  EXPECT_TRUE(comparison.frames[2].shift->together.p);
  EXPECT_EQ(comparison.frames[2].shift->cost.shift, 0);
  EXPECT_FALSE(comparison.frames[3].shift);
}

// What is restored or imported may be as deep as a document allows.
TEST(StackDeltas, may_be_deeper_than_a_stack_of_calls) {
  constexpr std::uint32_t kDeep = 300'000;
  SampleProfile deep;
  deep.frames = {kIperf3, function("again")};
  deep.nodes.push_back({.parent = {}, .frame = 0, .samples = 0});
  for (std::uint32_t i = 0; i < kDeep; ++i) deep.nodes.push_back({.parent = i, .frame = 1, .samples = 0});
  deep.nodes.back().samples = 1;
  StackTree tree{StackScope::workload};
  tree.add(StackTree::side_a, deep, 1);
  EXPECT_EQ(tree.paths(), kDeep + 1);
}

TEST(StackDeltas, leave_out_the_thinnest_frames_and_keep_the_callers_of_others) {
  ProfileOfStacks profile;
  for (int i = 1; i <= 20; ++i)
    profile.add(static_cast<std::uint64_t>(i),
                {kIperf3, function(fmt::format("f{:02}", i)), function("leaf")});
  StackComparison comparison = compared(profile.profile(), profile.profile());
  const std::size_t all = comparison.frames.size();
  thin_out(comparison, 10);
  EXPECT_LE(comparison.frames.size(), 10U);
  EXPECT_GE(comparison.frames.size(), 8U);
  EXPECT_EQ(comparison.left_out, all - comparison.frames.size());
  std::uint32_t depth = 0;
  for (const FrameDelta& frame : comparison.frames) {
    EXPECT_LE(frame.depth, depth + 1);
    depth = frame.depth;
  }
  thin_out(comparison, 10);
  EXPECT_EQ(comparison.left_out, all - comparison.frames.size());
}

}  // namespace
}  // namespace netperfd::analysis
