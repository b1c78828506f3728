// SPDX-License-Identifier: GPL-2.0-or-later
// What a reader sees of a differential flame graph: the picture as it is written, against the rows it is made
// of.
#include <gmock/gmock.h>

#include <cstddef>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "client/flame/graph.hpp"
#include "tests/unit/flame/stacks.hpp"

namespace netperfctl::flame {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

struct DrawnFrame {
  std::string label, shown;
  std::string colour;  // "red" or "blue"; empty: grey
  bool outlined = false;
};

std::vector<DrawnFrame> frames_in(const std::string& svg) {
  static const std::regex kFrame{
      R"re(<g class="frame( outlined)?"[^>]* data-label="([^"]*)"[^>]*><title>[^<]*</title>)re"
      R"re(<rect [^>]*fill="hsl\((\d+), (\d+)%, \d+%\)"/><text [^>]*>([^<]*)</text></g>)re"};
  std::vector<DrawnFrame> frames;
  for (auto each = std::sregex_iterator{svg.begin(), svg.end(), kFrame}; each != std::sregex_iterator{};
       ++each) {
    const std::smatch& match = *each;
    const std::string colour = match[4] == "0"     ? ""
                               : match[3] == "0"   ? "red"
                               : match[3] == "225" ? "blue"
                                                   : "?";
    frames.push_back({match[2], match[5], colour, match[1].length() > 0});
  }
  return frames;
}

std::vector<std::string> coloured(const std::vector<DrawnFrame>& frames, const std::string& colour) {
  std::vector<std::string> labels;
  for (const DrawnFrame& frame : frames) {
    if (frame.colour == colour) labels.push_back(frame.label);
  }
  return labels;
}

std::vector<std::string> outlined(const std::vector<DrawnFrame>& frames) {
  std::vector<std::string> labels;
  for (const DrawnFrame& frame : frames) {
    if (frame.outlined) labels.push_back(frame.label);
  }
  return labels;
}

// Side by side on `all`, each with its time in both sides.
struct Row {
  const char* name;
  double a = 1, b = 1;
  std::optional<double> shift = {}, low = {}, high = {}, p_adjusted = {};
};

ComparedStacks beside(const std::vector<Row>& rows) {
  ComparedStacks stacks = compared();
  stacks.samples.tested = 9;
  stacks.frames.resize(1);
  stacks.frames[0].p_adjusted = 0.7;
  stacks.frames[0].total_a = stacks.frames[0].total_b = 0;
  for (const Row& row : rows) {
    ComparedFrameView frame;
    frame.depth = 1;
    frame.name = row.name;
    frame.total_a = row.a;
    frame.total_b = row.b;
    frame.shift = row.shift;
    frame.low = row.low;
    frame.high = row.high;
    frame.p_adjusted = row.p_adjusted;
    *stacks.frames[0].total_a += row.a;
    *stacks.frames[0].total_b += row.b;
    stacks.frames.push_back(frame);
  }
  return stacks;
}

TEST(DrawnDifference, has_a_colour_for_each_frame_that_differs_itself_and_for_no_other) {
  ComparedStacks stacks = beside({{"more", 1, 2, 1.0, 0.8, 1.2, 0.05},
                                  {"less", 2, 1, -1.0, -1.2, -0.8, 0.031},
                                  {"by chance", 1, 4, 3.0, 2.0, 4.0, 0.051},
                                  {"contains 0", 1, 4, 3.0, -1.0, 7.0, 0.01},
                                  {"no interval", 1, 4, 3.0, {}, {}, 0.01},
                                  {"not tested", 1, 1},
                                  {"sum", 2, 1, -0.5, -1.2, 0.2, 0.3},
                                  {"rare sum", 1, 1},
                                  {"more sum", 1, 2, 1.0, 0.8, 1.2, 0.01}});
  stacks.functions = {
      {"sum", "", 40.0}, {"rare sum", "", -50.0}, {"more sum", "", 60.0}, {"elsewhere", "", 9.0}};
  const std::string text = svg(difference(stacks));
  const std::vector<DrawnFrame> frames = frames_in(text);
  ASSERT_EQ(frames.size(), 10U) << text;
  EXPECT_THAT(coloured(frames, "red"), UnorderedElementsAre("more", "more sum"));
  EXPECT_THAT(coloured(frames, "blue"), ElementsAre("less"));
  EXPECT_THAT(coloured(frames, "?"), IsEmpty());
  EXPECT_THAT(outlined(frames), UnorderedElementsAre("sum", "rare sum"));
  EXPECT_THAT(text, HasSubstr("the deeper the more: 3 of 9 tested frames."));
  EXPECT_THAT(text, HasSubstr("Grey frames with an outline: 2."));
  EXPECT_THAT(text, HasSubstr("its function alone, over all places: +40"));
}

// A sum is of other paths: however large it is, the depth of a colour is not of it.
TEST(DrawnDifference, is_coloured_alike_with_and_without_sums) {
  ComparedStacks stacks = beside({{"more", 1, 2, 1.0, 0.8, 1.2, 0.01}, {"sum", 1, 1}});
  const Picture without = difference(stacks);
  stacks.functions = {{"sum", "", -150.0}};
  const Picture with = difference(stacks);
  ASSERT_EQ(with.boxes.size(), without.boxes.size());
  for (std::size_t i = 0; i < with.boxes.size(); ++i) {
    EXPECT_EQ(with.boxes[i].colour.hue, without.boxes[i].colour.hue) << with.boxes[i].label;
    EXPECT_EQ(with.boxes[i].colour.saturation, without.boxes[i].colour.saturation) << with.boxes[i].label;
    EXPECT_EQ(with.boxes[i].colour.lightness, without.boxes[i].colour.lightness) << with.boxes[i].label;
  }
}

TEST(DrawnDifference, has_a_legend_of_the_frames_that_are_drawn) {
  // A page leaves out what is narrower than 0.3 pixels of 1,180, a file what is narrower than 0.05.
  ComparedStacks stacks = beside({{"wide", 1000, 2000, 1000.0, 800.0, 1200.0, 0.01},
                                  {"on no page", 0.1, 0.3, 0.2, 0.1, 0.3, 0.01},
                                  {"nowhere", 0.01, 0.02, 0.01, 0.008, 0.012, 0.01},
                                  {"sum", 0.2, 0.3}});
  stacks.functions = {{"sum", "", 1.0}};
  const Picture picture = difference(stacks);
  const std::string text = svg(picture);
  EXPECT_THAT(coloured(frames_in(text), "red"), UnorderedElementsAre("wide", "on no page"));
  EXPECT_THAT(text, HasSubstr("the more: 2 of 9 tested frames."));
  EXPECT_THAT(text, HasSubstr("Grey frames with an outline: 1."));
  const Fragment page = fragment(picture);
  EXPECT_THAT(coloured(frames_in(page.svg), "red"), ElementsAre("wide"));
  EXPECT_THAT(outlined(frames_in(page.svg)), IsEmpty());
  std::string notes;
  for (const std::string& note : page.notes) notes += note + "\n";
  EXPECT_THAT(notes, HasSubstr("the more: 1 of 9 tested frames."));
  EXPECT_THAT(notes, Not(HasSubstr("outline")));
}

TEST(DrawnDifference, leaves_out_a_number_before_it_cuts_a_name) {
  std::vector<Row> rows;
  for (const double width : {300.0, 160.0, 80.0, 40.0, 20.0, 10.0})
    rows.push_back({"a_function_name", width, 2 * width, width, width * 0.9, width * 1.1, 0.01});
  ComparedStacks stacks = beside(rows);
  std::vector<std::string> shown;
  for (const DrawnFrame& frame : frames_in(svg(difference(stacks)))) {
    if (frame.label != "all") shown.push_back(frame.shown);
  }
  // A character has 7.3 of 1,180 pixels, so that the frames have room for 78, 41, 20, 9, 4 and 1.
  EXPECT_THAT(shown, ElementsAre("a_function_name +300", "a_function_name +160", "a_function_name",
                                 "a_functi…", "a_f…", ""))
      << svg(difference(stacks));
}

TEST(DrawnDifference, has_the_same_levels_in_its_head_and_in_the_frame_of_all) {
  ComparedStacks stacks = compared();
  stacks.frames[0].cost_a = 5.81;  // not the mean, which is 5.62
  stacks.frames[0].cost_b = 4.31;
  const std::string text = svg(difference(stacks));
  EXPECT_THAT(text, HasSubstr("The whole is A 5.81, B 4.31 ns a byte."));
  EXPECT_THAT(text, HasSubstr("\nA 5.81, B 4.31 ns a byte, from 1,124 samples"));
  stacks.frames[0].cost_a.reset();
  stacks.frames[0].cost_b.reset();
  EXPECT_THAT(svg(difference(stacks)), HasSubstr("The whole is A 5.62, B 4.12 ns a byte."));
}

}  // namespace
}  // namespace netperfctl::flame
