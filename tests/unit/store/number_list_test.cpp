// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/number_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace netperfd::store {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST(NumberList, is_a_json_array) {
  std::string text = "what it held";
  ASSERT_TRUE(write_numbers({}, text));
  EXPECT_EQ(text, "[]");
  ASSERT_TRUE(write_numbers({3, 0, kMost}, text));
  EXPECT_EQ(text, "[3,0,9223372036854775807]");
  ASSERT_TRUE(write_pairs({}, text));
  EXPECT_EQ(text, "[]");
  ASSERT_TRUE(write_pairs({{0, 1}, {std::numeric_limits<std::uint32_t>::max(), kMost}}, text));
  EXPECT_EQ(text, "[[0,1],[4294967295,9223372036854775807]]");
}

TEST(NumberList, comes_back_as_it_was) {
  std::string text;
  const std::vector<std::uint64_t> numbers{7, 0, 0, kMost, 12};
  ASSERT_TRUE(write_numbers(numbers, text));
  EXPECT_EQ(read_numbers(text), numbers);
  EXPECT_EQ(read_numbers("[]"), std::vector<std::uint64_t>{});
  const NumberPairs pairs{{0, kMost}, {4294967295, 1}};
  ASSERT_TRUE(write_pairs(pairs, text));
  EXPECT_EQ(read_pairs(text), pairs);
  EXPECT_EQ(read_pairs("[]"), NumberPairs{});
}

TEST(NumberList, refuses_what_sql_would_read_as_an_inexact_number) {
  std::string text;
  const auto refused = write_numbers({1, kMost + 1}, text);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::invalid_argument);
  EXPECT_FALSE(write_pairs({{1, kMost + 1}}, text));
}

TEST(NumberList, is_damaged_by_anything_else) {
  for (const char* text : {"",
                           "[",
                           "]",
                           "1",
                           "[1",
                           "1]",
                           "[,]",
                           "[1,]",
                           "[,1]",
                           "[1 2]",
                           "[ 1]",
                           "[-1]",
                           "[1.5]",
                           "[1]x",
                           "[[1]]",
                           "[18446744073709551616]",
                           "null",
                           "[]]",
                           "[07]",
                           "[00]",
                           "[9223372036854775808]"}) {
    const auto refused = read_numbers(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().kind, ErrorKind::io);
  }
  for (const char* text : {"", "[1]", "[[1]]", "[[1,2]", "[[1,2],]", "[[1,2,3]]", "[[4294967296,1]]",
                           "[[1,-2]]", "[[1,2][3,4]]", "[[]]", "[[01,2]]", "[[1,02]]"}) {
    EXPECT_FALSE(read_pairs(text)) << text;
  }
}

}  // namespace
}  // namespace netperfd::store
