// SPDX-License-Identifier: GPL-2.0-or-later
// Programs get all rows of a list, people a screen of them, and either what was asked for.
#include "client/verbs/list_length.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace netperfctl {
namespace {

TEST(ListLength, is_a_screen_for_people_and_all_for_programs) {
  EXPECT_EQ(rows_to_ask({}, Format::table, 20), 20U);
  EXPECT_EQ(rows_to_ask({}, Format::csv, 20), std::nullopt);
  EXPECT_EQ(rows_to_ask({}, Format::json, 20), std::nullopt);
}

TEST(ListLength, is_what_was_asked_for_in_every_format) {
  for (const Format format : {Format::table, Format::json, Format::csv}) {
    EXPECT_EQ(rows_to_ask({.limit = 7}, format, 20), 7U);
    EXPECT_EQ(rows_to_ask({.all = true}, format, 20), std::nullopt);
  }
}

}  // namespace
}  // namespace netperfctl
