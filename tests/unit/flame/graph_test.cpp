// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/flame/graph.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "tests/unit/client/golden.hpp"
#include "tests/unit/flame/stacks.hpp"

namespace netperfctl::flame {
namespace {

using testing::HasSubstr;
using testing::Not;

const Box* box_of(const Picture& picture, const std::string& label) {
  const auto found = std::ranges::find(picture.boxes, label, &Box::label);
  return found == picture.boxes.end() ? nullptr : &*found;
}

std::string notes_of(const Picture& picture) {
  std::string text;
  for (const std::string& note : fragment(picture).notes) text += note + "\n";
  return text;
}

// The pictures that tests/unit/flame/check_files.py reads.
TEST(FlameGraph, is_a_file_for_a_browser) {
  expect_golden("flame/samples.svg", svg(flame_graph(hsr_run(), sampled())));
  expect_golden("flame/calls.svg", svg(flame_graph(hsr_run(), traced())));
  expect_golden("flame/hostile.svg", svg(flame_graph(hsr_run(), hostile())));
}

TEST(FlameGraph, puts_callees_within_their_caller) {
  const Picture picture = flame_graph(hsr_run(), sampled());
  EXPECT_EQ(picture.width, 3'000U);
  const Box* const all = box_of(picture, "all");
  ASSERT_NE(all, nullptr);
  EXPECT_EQ(all->width, 3'000U);
  const Box* const sendmsg = box_of(picture, "tcp_sendmsg");
  const Box* const xmit = box_of(picture, "hsr_dev_xmit [hsr]");
  ASSERT_NE(sendmsg, nullptr);
  ASSERT_NE(xmit, nullptr);
  EXPECT_EQ(sendmsg->width, 1'500U);
  EXPECT_EQ(sendmsg->depth, 3U);
  EXPECT_EQ(xmit->width, 600U);
  EXPECT_EQ(xmit->depth, 4U);
  EXPECT_GE(xmit->left, sendmsg->left);
  EXPECT_LE(xmit->left + xmit->width, sendmsg->left + sendmsg->width);
}

TEST(FlameGraph, tells_counts_shares_and_intervals) {
  const Picture samples = flame_graph(hsr_run(), sampled());
  EXPECT_EQ(box_of(samples, "tcp_ack")->figures,
            "120 of 3,000 samples, 4.0 % (95 % interval: 3.4 % to 4.8 %)\nin it alone: 120 samples");
  const Picture calls = flame_graph(hsr_run(), traced());
  EXPECT_THAT(box_of(calls, "hsr_get_node [hsr]")->figures, HasSubstr(" in 4 calls"));
  EXPECT_THAT(box_of(calls, "hsr_get_node [hsr]")->figures, HasSubstr("56 %"));
}

TEST(FlameGraph, says_what_is_missing) {
  const std::string notes = notes_of(flame_graph(hsr_run(), sampled()));
  EXPECT_THAT(notes, HasSubstr("4,020 of cpu-clock on 2 CPUs"));
  EXPECT_THAT(notes, HasSubstr("Left out: 1,020 idle ones."));
  EXPECT_THAT(notes, HasSubstr("Missing: 12 samples lost"));
  EXPECT_THAT(notes, HasSubstr("Missing: 3 samples whose stack found no room"));
  EXPECT_THAT(notes, HasSubstr("A timer takes the samples."));
  EXPECT_THAT(notes, Not(HasSubstr("are not known")));
  SampledDetails less = sampled();
  less.stacks.pop_back();
  EXPECT_THAT(notes_of(flame_graph(hsr_run(), less)),
              HasSubstr("120 busy samples whose stacks are not known"));
  EXPECT_THAT(notes_of(flame_graph(hsr_run(), traced())),
              HasSubstr("7 calls for whose path the tree had no room"));
}

TEST(FlameGraph, has_another_colour_for_kernel_module_and_user) {
  const Picture picture = flame_graph(hsr_run(), sampled());
  const auto hue = [&](const char* label) { return box_of(picture, label)->colour.hue; };
  EXPECT_EQ(hue("tcp_ack"), hue("tcp_sendmsg"));
  EXPECT_EQ(hue("hsr_dev_xmit [hsr]"), hue("hsr_handle_frame [hsr]"));
  EXPECT_NE(hue("tcp_ack"), hue("hsr_dev_xmit [hsr]"));
  EXPECT_NE(hue("tcp_ack"), hue("[user]"));
  EXPECT_NE(hue("hsr_dev_xmit [hsr]"), hue("[user]"));
}

TEST(FlameGraph, draws_deep_stacks_and_leaves_out_what_nobody_can_see) {
  SampledDetails details;
  Names deep;
  for (int i = 0; i < 2'000; ++i) deep.push_back("f" + std::to_string(i));
  details.stacks = {{"iperf3", 1'000'000, {}, deep}, {"iperf3", 1, {}, Names{"rare"}}};
  const std::string text = svg(flame_graph(hsr_run(), details));
  EXPECT_THAT(text, HasSubstr("data-label=\"f0\""));
  EXPECT_THAT(text, HasSubstr("data-depth=\"2001\""));
  EXPECT_THAT(text, Not(HasSubstr("data-label=\"rare\"")));
  EXPECT_THAT(text, HasSubstr("Not drawn: 1 frames that are too narrow to be seen."));
}

TEST(Difference, colours_what_differs_on_one_scale_and_names_the_sign) {
  const Picture picture = difference(compared());
  const Box* const node = box_of(picture, "hsr_get_node [hsr]");
  const Box* const ack = box_of(picture, "tcp_ack");
  const Box* const sendmsg = box_of(picture, "tcp_sendmsg");
  const Box* const rare = box_of(picture, "rare");
  for (const Box* box : {node, ack, sendmsg, rare}) ASSERT_NE(box, nullptr);
  EXPECT_GT(node->colour.saturation, 0U);
  EXPECT_GT(ack->colour.saturation, 0U);
  EXPECT_NE(node->colour.hue, ack->colour.hue);
  EXPECT_LT(node->colour.lightness, ack->colour.lightness);  // the larger change
  EXPECT_EQ(sendmsg->colour.saturation, 0U);
  EXPECT_EQ(rare->colour.saturation, 0U);
  EXPECT_EQ(node->number, "-2.00");
  EXPECT_EQ(ack->number, "+0.50");
  EXPECT_EQ(sendmsg->number, "");
  EXPECT_THAT(node->figures, HasSubstr("-2.00 ns a byte (-2.20 to -1.80, p adj. 0.031): less in B"));
  EXPECT_THAT(node->figures, HasSubstr("A 2.00, B 0 ns a byte, from 400 samples and 0 samples"));
  EXPECT_THAT(sendmsg->figures, HasSubstr("no difference beyond chance"));
  EXPECT_THAT(rare->figures, HasSubstr("not tested: less than 1 % of the samples"));
  expect_golden("flame/difference.svg", svg(picture));
}

TEST(Difference, gives_each_frame_the_width_of_the_side_that_takes_more) {
  const Picture picture = difference(compared());
  const Box* const node = box_of(picture, "hsr_get_node [hsr]");  // B has none of it
  const Box* const ack = box_of(picture, "tcp_ack");
  const Box* const all = box_of(picture, "all");
  for (const Box* box : {node, ack, all}) ASSERT_NE(box, nullptr);
  // 2.0 of hsr_get_node, 1.0 of tcp_ack, 3.0 of tcp_sendmsg itself, 0.02 of rare, and 0.1 of frames without a
  // row.
  EXPECT_EQ(all->width, 1'000'000U);
  EXPECT_NEAR(static_cast<double>(node->width), 2.0 / 6.12 * 1e6, 2);
  EXPECT_NEAR(static_cast<double>(ack->width), 1.0 / 6.12 * 1e6, 2);
}

TEST(Difference, says_what_is_drawn_and_what_is_not) {
  const std::string notes = notes_of(difference(compared()));
  EXPECT_THAT(notes, HasSubstr("A: label:before, 6 sampled runs. Left out, without samples: 1 run."));
  EXPECT_THAT(notes, HasSubstr("`compare --flame FILE --host` draws all tasks"));
  EXPECT_THAT(notes, HasSubstr("3 of 4 tested frames"));
  EXPECT_THAT(notes, HasSubstr("Missing: 3 thin frames."));
  ComparedStacks few = compared();
  few.samples.tested = 0;
  few.host = true;
  for (ComparedFrameView& frame : few.frames) frame.p_adjusted.reset();
  const Picture untested = difference(few);
  EXPECT_THAT(notes_of(untested), HasSubstr("Too few runs on a side for a test: nothing is coloured."));
  EXPECT_THAT(notes_of(untested), HasSubstr("All tasks of the host"));
  for (const Box& box : untested.boxes) EXPECT_EQ(box.colour.saturation, 0U) << box.label;
}

TEST(Difference, of_runs_without_goodput_is_per_second) {
  ComparedStacks latency = compared();
  latency.samples.unit = "second";
  for (ComparedFrameView& frame : latency.frames) {
    for (auto* value : {&frame.total_a, &frame.total_b, &frame.cost_a, &frame.cost_b, &frame.shift,
                        &frame.low, &frame.high})
      if (*value) *value = **value * 1e6;
  }
  latency.functions = {{"tcp_sendmsg", "", -150.0}};  // as of a comparison by bytes
  const Picture picture = difference(latency);
  ASSERT_NE(box_of(picture, "hsr_get_node [hsr]"), nullptr);
  EXPECT_EQ(box_of(picture, "hsr_get_node [hsr]")->number, "-2.00");
  ASSERT_NE(box_of(picture, "tcp_sendmsg"), nullptr);
  EXPECT_EQ(box_of(picture, "tcp_sendmsg")->mark, Mark::none);
  EXPECT_THAT(notes_of(picture), HasSubstr("The whole is A 5.62, B 4.12 ms a second."));
  EXPECT_THAT(notes_of(picture), Not(HasSubstr("over all places")));
}

// The daemon's rows are read, not believed.
TEST(Difference, colours_nothing_for_a_change_of_nothing) {
  ComparedStacks odd = compared();
  for (ComparedFrameView& frame : odd.frames) frame.shift = 0;
  for (const Box& box : difference(odd).boxes) EXPECT_EQ(box.colour.saturation, 0U) << box.label;
}

TEST(Difference, survives_frames_that_are_no_tree) {
  ComparedStacks odd = compared();
  for (std::size_t i = 0; i < odd.frames.size(); ++i) {
    odd.frames[i].depth = i % 2 == 0 ? 4'000'000'000U : 0;
    odd.frames[i].total_a = i % 3 == 0 ? -1 : std::numeric_limits<double>::infinity();
    odd.frames[i].total_b = std::nan("");
  }
  odd.frames[2].total_a = 1;
  const Picture picture = difference(odd);
  for (const Box& box : picture.boxes) EXPECT_LE(box.left + box.width, picture.width);
}

}  // namespace
}  // namespace netperfctl::flame
