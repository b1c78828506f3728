// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/output_tail.hpp"

#include <gmock/gmock.h>

namespace netperfd::command {
namespace {

OutputTail tail_of(std::string_view bytes) {
  OutputTail tail;
  tail.add(bytes);
  return tail;
}
std::string text_of(std::string_view bytes) {
  return tail_of(bytes).lines();
}

TEST(OutputTail, has_lines_without_control_characters) {
  EXPECT_EQ(text_of("  rmmod: \t busy\r\n\x1b[31mno\x1b[0m\n\n"), "rmmod: busy\n[31mno [0m\n");
  EXPECT_EQ(text_of(std::string_view("a\0b", 3)), "a b\n");
  EXPECT_EQ(text_of("\n\n"), "");
}

TEST(OutputTail, keeps_utf8_and_replaces_what_is_none) {
  EXPECT_EQ(text_of("gr\xc3\xbc\xc3\x9f\x65"), "gr\xc3\xbc\xc3\x9f\x65\n");
  EXPECT_EQ(text_of("gr\xfc\xdf\nfine \xc3\xbc"), "gr??\nfine \xc3\xbc\n");
}

TEST(OutputTail, keeps_the_end_of_a_long_output) {
  OutputTail tail;
  for (int i = 0; i < 5000; ++i) tail.add("0123456789");
  tail.add("the end");
  EXPECT_EQ(tail.lines().size(), OutputTail::kKeptBytes + 4);
  EXPECT_THAT(tail.lines(), testing::AllOf(testing::StartsWith("..."), testing::EndsWith("9the end\n")));
  EXPECT_EQ(tail.last_line().size(), OutputTail::kSaidBytes + 3) << "a sentence has room for so much";
  EXPECT_THAT(tail.last_line(), testing::AllOf(testing::StartsWith("..."), testing::EndsWith("9the end")));
}

TEST(OutputTail, says_the_last_line) {
  EXPECT_EQ(tail_of("").last_line(), "");
  EXPECT_EQ(tail_of("one").last_line(), "one");
  EXPECT_EQ(tail_of("compiling\n\nmake: *** [all] Error 2\n \n").last_line(), "make: *** [all] Error 2");
  std::string long_line = "y\n";
  for (std::size_t i = 0; i < OutputTail::kSaidBytes; ++i) long_line += "\xc3\xbc";
  EXPECT_THAT(tail_of(long_line + "x").last_line(), testing::StartsWith("...\xc3\xbc"));
}

TEST(OutputTail, does_not_begin_within_a_character) {
  OutputTail tail;
  for (std::size_t i = 0; i < OutputTail::kKeptBytes; ++i) tail.add("\xc3\xbc");
  tail.add("x");
  EXPECT_THAT(tail.lines(), testing::StartsWith("...\xc3\xbc"));
}

}  // namespace
}  // namespace netperfd::command
