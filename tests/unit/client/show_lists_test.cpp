// SPDX-License-Identifier: GPL-2.0-or-later
// `show RUN --X` alone: the lists without the page above them.
#include <gtest/gtest.h>

#include <string>

#include "client/pages/render.hpp"
#include "tests/unit/client/golden.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

TEST(ShowLists, alone_are_without_the_page) {
  ShowView view = samples::traced();
  view.with_page = false;
  view.trace_lists.drops = view.trace_lists.marks = true;
  const std::string alone = show_text(samples::terminal(80), view);
  expect_golden("show_lists_alone_80.txt", alone);
  EXPECT_FALSE(has(alone, "received"));
  EXPECT_FALSE(has(alone, "next:"));
  view.with_page = true;
  const std::string both = show_text(samples::terminal(80), view);
  EXPECT_TRUE(has(both, "next:"));
  EXPECT_GT(both.size(), alone.size());
}

// Each list of the page in full, and none of the others.
TEST(ShowLists, alone_have_what_the_page_would_list) {
  const auto alone = [](ShowView view) {
    view.with_page = false;
    return show_text(samples::pipe(), view);
  };
  ShowView view = samples::traced();
  view.trace_lists.stacks = true;
  const std::string stacks = alone(view);
  EXPECT_TRUE(has(stacks, view.stacks.stacks.front().frames->front())) << stacks;
  EXPECT_FALSE(has(stacks, "DROPPED BECAUSE"));
  view.trace_lists = {};
  view.trace_lists.over_time = true;
  EXPECT_TRUE(has(alone(view), "MOST/s"));
  view = samples::ring();
  view.function_lists.functions = true;
  EXPECT_TRUE(has(alone(view), "hsr_get_node"));
  view.function_lists = {};
  view.function_lists.tree = true;
  EXPECT_TRUE(has(alone(view), "hsr_forward_skb"));
  view = samples::tcp();
  view.list_intervals = true;
  EXPECT_EQ(alone(view).find("SECONDS"), alone(view).find_first_not_of(' ')) << alone(view);
  view.list_intervals = false;
  view.trace_lists.events = true;
  EXPECT_TRUE(has(alone(view), "This run has no trace"));
  view.trace_lists = {};
  EXPECT_TRUE(has(alone(view), "Nothing of this run is known"));
}

TEST(ShowPage, names_commands_that_a_shell_takes) {
  ShowView view = samples::tcp();
  view.details.run.scenario = "two words";
  view.list_intervals = true;
  for (const std::size_t width : {40U, 60U, 80U}) {
    const std::string page = show_text(samples::terminal(width), view);
    const std::string next = page.substr(page.find("  next: "));
    EXPECT_FALSE(has(next, "|")) << next;
    EXPECT_TRUE(has(next, "netperfctl runs --scenario 'two words'\n")) << next;
  }
}

}  // namespace
}  // namespace netperfctl
