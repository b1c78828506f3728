// SPDX-License-Identifier: GPL-2.0-or-later
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

TEST(Printable, looks_like_no_other_text) {
  // Every control of direction and every separator of lines.
  for (const auto text :
       {"a\u061Cb"sv, "a\u200Eb"sv, "a\u200Fb"sv, "a\u2028b"sv, "a\u2029b"sv, "a\u202Ab"sv, "a\u202Bb"sv,
        "a\u202Cb"sv, "a\u202Db"sv, "a\u202Eb"sv, "a\u2066b"sv, "a\u2067b"sv, "a\u2068b"sv, "a\u2069b"sv}) {
    EXPECT_FALSE(is_printable(text)) << testing::PrintToString(text);
  }
  // Characters that take no place, so that two texts look the same.
  for (const auto text :
       {"a\u200Bb"sv, "a\u2060b"sv, "a\u00ADb"sv, "a\uFEFFb"sv, "a\u3164b"sv, "a\U000E0041b"sv}) {
    EXPECT_FALSE(is_printable(text)) << testing::PrintToString(text);
  }
  for (const auto text : {"می\u200Cخواهم"sv, "שלום"sv, "測定"sv, "👨\u200D👩 ✓\uFE0F"sv}) {
    EXPECT_TRUE(is_printable(text)) << "words of any language: " << text;
  }
}

TEST(Distinct, has_no_blank_and_no_joiner_that_cannot_be_seen) {
  for (const auto text : {""sv, "before"sv, "gso on, 2"sv, "Zürich ✓"sv, "می\u200Cخواهم"sv, "測定"sv,
                          "👨\u200D👩 ✓\uFE0F"sv, "👩\uFE0F\u200D👩"sv}) {
    EXPECT_EQ(not_distinct(text), "") << text;
  }
  for (const auto text : {" "sv,
                          " a"sv,
                          "a "sv,
                          "a  b"sv,
                          "a\u00A0b"sv,
                          "a\u1680b"sv,
                          "a\u2000b"sv,
                          "a\u2009b"sv,
                          "a\u200Ab"sv,
                          "a\u202Fb"sv,
                          "a\u205Fb"sv,
                          "a\u2800b"sv,
                          "a\u3000b"sv,
                          "a\u200Cb"sv,
                          "be\u200Dfore"sv,
                          "a\uFE0F"sv,
                          "\u200Da"sv,
                          "Ж\u200Cж"sv,
                          "می\u200C\u200Cخ"sv,
                          "a\u202Eb"sv,
                          "a\nb"sv}) {
    EXPECT_NE(not_distinct(text), "") << testing::PrintToString(text);
  }
  EXPECT_EQ(not_distinct("a\u00A0b"), "character 2 is U+00A0, a blank that is no space");
  EXPECT_EQ(not_distinct("be\u200Dfore"),
            "character 3 is U+200D, which changes nothing that can be seen here");
  EXPECT_EQ(not_distinct("before "),
            "character 7 is a space that cannot be seen: only single ones within are");
}

TEST(Printable, the_first_wrong_character_is_told_by_number_and_place) {
  EXPECT_EQ(not_printable("Zürich ✓"), "");
  EXPECT_EQ(not_printable("Zür\u202Eich"),
            "character 4 is U+202E, which cannot be seen and can make the text look like another one");
  EXPECT_EQ(not_printable("\u0085"), "character 1 is U+0085, a control character");
  EXPECT_EQ(not_printable("a\n"), "character 2 is U+000A, a control character: the text must be one line");
  EXPECT_EQ(not_printable("ab\xFF"), "character 3 is not UTF-8");
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
