#include "daemon/model/text.hpp"

#include <gtest/gtest.h>

namespace netperfd {
namespace {

using namespace std::string_view_literals;

TEST(Utf8, takes_characters_of_every_length) {
  for (const auto text : {""sv, "plain\n"sv, "\x7F"sv, "\u0080"sv, "\u07FF"sv, "\u0800"sv, "\uFFFD"sv,
                          "\U00010000"sv, "\U0010FFFF"sv}) {
    EXPECT_TRUE(is_utf8(text)) << text;
  }
}

TEST(Utf8, refuses_what_is_not_well_formed) {
  const std::string_view wrong[] = {"\x80"sv,
                                    "\xC3"sv,
                                    "\xC3("sv,
                                    "\xC0\x80"sv,
                                    "\xC1\xBF"sv,
                                    "\xE0\x9F\xBF"sv,
                                    "\xED\xA0\x80"sv,
                                    "\xED\xBF\xBF"sv,
                                    "\xF0\x8F\xBF\xBF"sv,
                                    "\xF4\x90\x80\x80"sv,
                                    "\xF8\x88\x80\x80\x80"sv,
                                    "\xFF"sv,
                                    "\xE2\x82"sv,
                                    "a\0b"sv,
                                    "ok\xFE"sv};
  for (const auto text : wrong) EXPECT_FALSE(is_utf8(text)) << testing::PrintToString(text);
}

TEST(Printable, is_one_line_that_moves_no_cursor) {
  EXPECT_TRUE(is_printable("Zürich, 10 Gbit/s ✓"));
  for (const auto text :
       {"a\nb"sv, "a\tb"sv, "\x1B[31m"sv, "\r"sv, "\x7F"sv, "\u0085"sv, "\u009B"sv, "\0"sv, "\xFF"sv}) {
    EXPECT_FALSE(is_printable(text)) << testing::PrintToString(text);
  }
}

TEST(Word, is_of_letters_digits_and_the_given_signs) {
  for (const char* text : {"a", "9", "veth-tcp", "a.b_c-d", "A--"})
    EXPECT_TRUE(is_word(text, "._-", 8)) << text;
  for (const char* text : {"", "-a", ".a", "_a", "a b", "a/b", "a:b", "ä", "a\n", "ninechars"}) {
    EXPECT_FALSE(is_word(text, "._-", 8)) << text;
  }
  EXPECT_FALSE(is_word(std::string_view("a\0b", 3), "._-", 8));
  EXPECT_FALSE(is_word("a-b", "._", 8));
}

}  // namespace
}  // namespace netperfd
