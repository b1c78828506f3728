// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/output_tail.hpp"

#include <gmock/gmock.h>

namespace netperfd::command {
namespace {

std::string text_of(std::string_view bytes) {
  OutputTail tail;
  tail.add(bytes);
  return tail.text();
}

TEST(OutputTail, is_one_line_without_control_characters) {
  EXPECT_EQ(text_of("  rmmod: \t busy\r\n\x1b[31mno\x1b[0m\n\n"), "rmmod: busy [31mno [0m");
  EXPECT_EQ(text_of(std::string_view("a\0b", 3)), "a b");
  EXPECT_EQ(text_of("\n\n"), "");
}

TEST(OutputTail, keeps_utf8_and_replaces_what_is_none) {
  EXPECT_EQ(text_of("gr\xc3\xbc\xc3\x9f\x65"), "gr\xc3\xbc\xc3\x9f\x65");
  EXPECT_EQ(text_of("gr\xfc\xdf"), "gr??");
}

TEST(OutputTail, keeps_the_end_of_a_long_output) {
  OutputTail tail;
  for (int i = 0; i < 5000; ++i) tail.add("0123456789");
  tail.add("the end");
  EXPECT_EQ(tail.text().size(), OutputTail::kKeptBytes + 3);
  EXPECT_THAT(tail.text(), testing::AllOf(testing::StartsWith("..."), testing::EndsWith("9the end")));
}

TEST(OutputTail, does_not_begin_within_a_character) {
  OutputTail tail;
  for (std::size_t i = 0; i < OutputTail::kKeptBytes; ++i) tail.add("\xc3\xbc");
  tail.add("x");
  EXPECT_THAT(tail.text(), testing::StartsWith("...\xc3\xbc"));
}

}  // namespace
}  // namespace netperfd::command
