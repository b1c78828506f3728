// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/terminal/pager.hpp"

#include <gtest/gtest.h>

namespace netperfctl {
namespace {

constexpr std::string_view kThreeLines = "a\nb\nc\n";

TEST(Pager, is_for_texts_longer_than_a_terminal) {
  EXPECT_EQ(pager_for(kThreeLines, 3, "more -s", true), "more -s");
  EXPECT_EQ(pager_for(kThreeLines, 4, "more -s", true), "") << "it fits, with a line for the prompt";
  EXPECT_EQ(pager_for(kThreeLines, {}, "more -s", true), "") << "stdout is no terminal";
}

TEST(Pager, is_less_unless_the_user_says_otherwise) {
  EXPECT_EQ(pager_for(kThreeLines, 3, {}, true), "less");
  EXPECT_EQ(pager_for(kThreeLines, 3, {}, false), "") << "there is no less here";
  EXPECT_EQ(pager_for(kThreeLines, 3, "", true), "");
  EXPECT_EQ(pager_for(kThreeLines, 3, "cat", true), "");
}

}  // namespace
}  // namespace netperfctl
