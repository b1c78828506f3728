// SPDX-License-Identifier: GPL-2.0-or-later
// Whoever follows the pages of a list comes to an end, whatever the pages say.
#include "client/base/page_walk.hpp"

#include <gtest/gtest.h>

#include <string>

namespace netperfctl {
namespace {

using Next = PageWalk::Next;

TEST(PageWalk, ends_without_a_cursor_and_with_an_empty_page) {
  PageWalk walk;
  EXPECT_EQ(walk.after(2, "a"), Next::page);
  EXPECT_EQ(walk.after(2, "b"), Next::page);
  EXPECT_EQ(walk.after(1, ""), Next::end);
  PageWalk other;
  EXPECT_EQ(other.after(0, "a"), Next::end);
}

TEST(PageWalk, does_not_go_on_from_a_page_that_leads_back_to_itself) {
  PageWalk walk;
  EXPECT_EQ(walk.after(2, "a"), Next::page);
  EXPECT_EQ(walk.after(2, "a"), Next::endless);
}

TEST(PageWalk, has_a_bound_where_each_page_leads_to_another_one) {
  PageWalk walk;
  std::size_t pages = 0;
  for (std::size_t i = 0; i < 1'000'000; ++i) {
    if (walk.after(1, std::to_string(i)) != Next::page) break;
    ++pages;
  }
  EXPECT_LT(pages, 100'000U);
  EXPECT_GT(pages, 10'000U) << "a list of ten million runs in pages of 500 rows has so many";
  PageWalk circle;
  Next next = Next::page;
  for (std::size_t i = 0; i < 1'000'000 && next == Next::page; ++i)
    next = circle.after(1, i % 2 == 0 ? "a" : "b");
  EXPECT_EQ(next, Next::endless);
}

}  // namespace
}  // namespace netperfctl
