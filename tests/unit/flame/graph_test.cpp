// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/flame/graph.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <utility>

#include "client/flame/shares.hpp"
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
  for (const std::string& note : picture.notes) text += note + "\n";
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

// Of 3,000 samples in tcp_ack, tcp_sendmsg and [user].
SampledSide side(std::uint64_t ack, std::uint64_t sendmsg, std::uint64_t rare) {
  SampledDetails details;
  details.stacks = {{"iperf3", ack, {}, Names{"tcp_ack"}},
                    {"iperf3", sendmsg, {}, Names{"tcp_sendmsg"}},
                    {"iperf3", rare, {}, Names{"rare"}},
                    {"iperf3", 3'000 - ack - sendmsg - rare, {}, Names{"[user]"}}};
  return {"label:side", {1, 2}, {3}, stacks_of(details)};
}

TEST(Difference, colours_only_what_differs_significantly_and_names_the_sign) {
  const Picture picture = difference(side(300, 900, 1), side(480, 905, 4));
  const Box* const more = box_of(picture, "+6.00 tcp_ack");
  const Box* const less = box_of(picture, "-6.27 [user]");
  const Box* const same = box_of(picture, "tcp_sendmsg");
  const Box* const rare = box_of(picture, "rare");
  for (const Box* box : {more, less, same, rare}) ASSERT_NE(box, nullptr);
  EXPECT_EQ(more->width, 480U);  // by B
  EXPECT_GT(more->colour.saturation, 0U);
  EXPECT_EQ(more->colour.hue, 0U);
  EXPECT_GT(less->colour.saturation, 0U);
  EXPECT_NE(less->colour.hue, more->colour.hue);
  EXPECT_EQ(same->colour.saturation, 0U);
  EXPECT_EQ(rare->colour.saturation, 0U);
  EXPECT_THAT(more->figures, HasSubstr("significantly more in B"));
  EXPECT_THAT(more->figures, HasSubstr("A: 300 of 3,000 samples, 10 %"));
  EXPECT_THAT(less->figures, HasSubstr("significantly less in B"));
  EXPECT_THAT(same->figures, HasSubstr("no significant difference"));
  EXPECT_THAT(rare->figures, HasSubstr("not tested: fewer than five samples expected"));
  EXPECT_THAT(notes_of(picture), HasSubstr("A: label:side, 2 sampled runs, 3,000 busy samples. Left out"));
  expect_golden("flame/difference.svg", svg(picture));
}

TEST(Difference, names_what_b_has_no_more) {
  const std::string notes = notes_of(difference(side(300, 900, 1), side(0, 900, 1)));
  EXPECT_THAT(notes, HasSubstr("Not in B, so without a width: tcp_ack (A: 10 %)."));
}

TEST(Difference, warns_of_a_side_that_is_one_run) {
  SampledSide one = side(300, 900, 1);
  EXPECT_THAT(notes_of(difference(one, one)), Not(HasSubstr("One run on a side")));
  one.runs = {1};
  EXPECT_THAT(notes_of(difference(side(300, 900, 1), one)), HasSubstr("One run on a side"));
}

TEST(Difference, of_a_side_with_itself_is_grey) {
  for (const Box& box : difference(side(300, 900, 1), side(300, 900, 1)).boxes)
    EXPECT_EQ(box.colour.saturation, 0U) << box.label;
}

TEST(Shares, are_tested_by_the_pooled_two_proportion_test) {
  // By hand: pooled 0.13, error 0.0086833, z = 6.9098.
  EXPECT_NEAR(*p_of_difference({300, 3'000}, {480, 3'000}), 4.85e-12, 0.05e-12);
  EXPECT_NEAR(*p_of_difference({50, 100}, {60, 100}), 0.15522, 0.00005);
  EXPECT_EQ(p_of_difference({1, 3'000}, {4, 3'000}), std::nullopt);
  EXPECT_EQ(p_of_difference({3'000, 3'000}, {3'000, 3'000}), std::nullopt);
  EXPECT_EQ(p_of_difference({0, 0}, {480, 3'000}), std::nullopt);
}

TEST(Shares, are_discoveries_up_to_the_largest_p_below_its_bound) {
  // Of five tests at 5 %, the bounds are 0.01, 0.02, 0.03, 0.04, 0.05; 0.025 is below 0.03, 0.042 above 0.04.
  const std::vector<std::optional<double>> p{0.9, 0.025, 0.001, {}, 0.022, 0.042};
  EXPECT_EQ(discoveries(p, 0.05), (std::vector<bool>{false, true, true, false, true, false}));
  EXPECT_EQ(discoveries({}, 0.05), std::vector<bool>{});
}

}  // namespace
}  // namespace netperfctl::flame
