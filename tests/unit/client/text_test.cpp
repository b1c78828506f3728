// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/terminal/text.hpp"

#include <gtest/gtest.h>

#include "client/terminal/table.hpp"
#include "client/terminal/times.hpp"
#include "client/terminal/units.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

TEST(Printable, writes_out_what_could_steer_a_terminal) {
  EXPECT_EQ(printable("a\x1b[31m\x7f\tb\n"), "a\\x1b[31m\\x7f\\x09b\\x0a");
  EXPECT_EQ(printable("a\tb\n", "\n"), "a\\x09b\n");
  EXPECT_EQ(printable("\xc2\x9b x \xe2\x80\xae x \xe2\x81\xa6"), "\\x9b x \\u202e x \\u2066");
  EXPECT_EQ(printable("gr\xc3\xbc\xc3\x9f \xe6\xb8\xac\xe5\xae\x9a"), "grüß 測定")
      << "words of any language stay";
  EXPECT_EQ(printable("\xff\xc3("), "\\xff\\xc3(");
  EXPECT_EQ(printable("a\u200Bb\u2029c\u00ADd\uFEFFe\U000E0041"),
            "a\\u200bb\\u2029c\\xadd\\ufeffe\\U000e0041");
}

TEST(Utf8, knows_what_is_none) {
  EXPECT_TRUE(is_utf8("grüß 測定 \xf0\x9f\x98\x80"));
  for (const char* wrong :
       {"\x80", "\xc0\xaf", "\xc3", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff"}) {
    EXPECT_FALSE(is_utf8(wrong));
  }
}

TEST(Width, counts_columns) {
  EXPECT_EQ(display_width(""), 0);
  EXPECT_EQ(display_width("grüß"), 4);
  EXPECT_EQ(display_width("測定"), 4);
  EXPECT_EQ(display_width("▃▅▆"), 3);
}

TEST(Cut, leaves_room_for_the_mark_and_never_half_a_character) {
  const Screen screen = samples::terminal(80);
  EXPECT_EQ(cut(screen, "grüße", 5), "grüße");
  EXPECT_EQ(cut(screen, "grüße", 4), "grü…");
  EXPECT_EQ(cut(screen, "測定値", 4), "測…");
  EXPECT_EQ(cut({.width = {}, .glyphs = false}, "abcdefgh", 6), "abc...");
  EXPECT_EQ(cut(screen, "abc", 0), "");
}

TEST(Wrap, breaks_at_spaces_and_line_feeds) {
  EXPECT_EQ(wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("one\ntwo", 80), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(wrap("a   b", 80), (std::vector<std::string>{"a   b"}));
  EXPECT_EQ(wrap("abc   def", 4), (std::vector<std::string>{"abc", "def"}));
  EXPECT_EQ(wrap("a unbreakable b", 5), (std::vector<std::string>{"a", "unbreakable", "b"}));
}

TEST(Sparkline, begins_at_zero_and_ends_at_the_highest) {
  const Screen screen = samples::pipe();
  EXPECT_EQ(sparkline(screen, std::vector<double>{0, 50, 100}, 10), "▁▅█");
  EXPECT_EQ(sparkline(screen, std::vector<double>{99, 100, 99.5}, 10), "███")
      << "a steady series looks steady";
  EXPECT_EQ(sparkline(screen, std::vector<double>{50, 100}, 10), "▅█") << "half is half, whatever the lowest";
  EXPECT_EQ(sparkline(screen, std::vector<double>{0, 0}, 10), "▁▁");
  EXPECT_EQ(sparkline(screen, std::vector<double>{0, 0, 100, 100}, 2), "▁█") << "neighbours are averaged";
  EXPECT_EQ(sparkline({.width = {}, .glyphs = false}, std::vector<double>{1, 2}, 10), "");
}

TEST(Bar, fills_by_eighths) {
  const Screen screen = samples::pipe();
  EXPECT_EQ(bar(screen, 0, 4), "▕    ▏");
  EXPECT_EQ(bar(screen, 0.53, 4), "▕██▏ ▏");
  EXPECT_EQ(bar(screen, 7, 4), "▕████▏");
}

TEST(Units, have_three_to_four_digits) {
  EXPECT_EQ(format_rate(0), "0 bit/s");
  EXPECT_EQ(format_rate(999), "999 bit/s");
  EXPECT_EQ(format_rate(1e6), "1.00 Mbit/s");
  EXPECT_EQ(format_rate(79.64e6), "79.6 Mbit/s");
  EXPECT_EQ(format_rate(9.996e6), "10.0 Mbit/s");
  EXPECT_EQ(format_rate(118e6), "118.0 Mbit/s");
  EXPECT_EQ(format_rate(999.97e6), "1.00 Gbit/s");
  EXPECT_EQ(format_rate(24.9e9), "24.9 Gbit/s");
  EXPECT_EQ(format_rate_like(800e6, 1.2e9), "0.80");
  EXPECT_EQ(format_bytes(524'288), "512 KiB");
  EXPECT_EQ(format_bytes(1'600'000), "1.53 MiB");
  EXPECT_EQ(format_count(std::uint64_t{2'567'896}), "2,567,896");
  EXPECT_EQ(format_signed_count(-1'204), "-1,204");
  EXPECT_EQ(format_short(0), "0");
  EXPECT_EQ(format_short(0.25), "0.25");
  EXPECT_EQ(format_short(1'204), "1,204");
  EXPECT_EQ(format_short(9'999), "9,999");
  EXPECT_EQ(format_short(12'004), "12.0k");
  EXPECT_EQ(format_short(492'400), "492k");
  EXPECT_EQ(format_short(999'700), "1.00M");
  EXPECT_EQ(format_short(2'567'896), "2.57M");
}

TEST(Units, never_show_0_for_what_is_not) {
  EXPECT_EQ(format_percent(0), "0 %");
  EXPECT_EQ(format_percent(0.0123), "0.012 %");
  EXPECT_EQ(format_percent(2.71), "2.7 %");
  EXPECT_EQ(format_percent(97.2), "97 %");
  EXPECT_EQ(format_milliseconds(0.0341), "0.034 ms");
  EXPECT_EQ(format_milliseconds(0.0002), "0.0002 ms");
  EXPECT_EQ(format_milliseconds(1.9), "1.90 ms");
  EXPECT_EQ(format_milliseconds(12.34), "12.3 ms");
  EXPECT_EQ(format_milliseconds(189.17), "189 ms");
  EXPECT_EQ(format_milliseconds(1234.6), "1235 ms");
}

TEST(Units, durations_are_whole_where_they_are) {
  EXPECT_EQ(format_seconds(0.25), "250 ms");
  EXPECT_EQ(format_seconds(6.2), "6.2 s");
  EXPECT_EQ(format_seconds(40), "40 s");
  EXPECT_EQ(format_seconds(125), "2 min 5 s");
  EXPECT_EQ(format_seconds(3600), "1 h");
  EXPECT_EQ(format_seconds(3785), "1 h 3 min");
}

TEST(Times, are_read_as_people_write_them) {
  constexpr std::uint64_t kSecond = 1'000'000;
  const std::uint64_t now = samples::kNow;
  EXPECT_EQ(parse_time("2026-11-21 12:30", now), now);
  EXPECT_EQ(parse_time("2026-11-21T12:30:05", now), now + 5 * kSecond);
  EXPECT_EQ(parse_time("today", now), now - 12 * 3600 * kSecond - 30 * samples::kMinute);
  EXPECT_EQ(parse_time("2026-11-21", now), parse_time("today", now));
  EXPECT_EQ(parse_time("2026-11-20", now), parse_time("yesterday", now));
  EXPECT_EQ(parse_time("2h", now), now - 120 * samples::kMinute);
  EXPECT_EQ(parse_time("1.5h ago", now), now - 90 * samples::kMinute);
  EXPECT_EQ(parse_time("2026-07-01 00:00", now), 1'782'856'800 * kSecond) << "summer time";
  for (const char* wrong :
       {"", "2x", "h", "-2h", "2026-02-30", "2026-13-01", "2026-11-21 25:00", "tomorrow", "2 h 3"}) {
    EXPECT_EQ(parse_time(wrong, now), std::nullopt) << wrong;
  }
}

TEST(Times, are_written_by_how_far_they_are) {
  const std::uint64_t now = samples::kNow;
  const std::uint64_t day = 24 * 60 * samples::kMinute;
  EXPECT_EQ(format_time(now - samples::kMinute, now), "today 12:29");
  EXPECT_EQ(format_time(now - day, now), "yesterday 12:30");
  EXPECT_EQ(format_time(now - 20 * day, now), "1 Nov 12:30");
  EXPECT_EQ(format_time(now - 400 * day, now), "2025-10-17");
  EXPECT_EQ(format_time(now - 20 * day, 0), "2026-11-01 12:30");
}

TEST(Table, gives_up_width_where_it_may) {
  const std::vector<Column> columns{{.title = "N", .right = true},
                                    {.title = "NAME", .shrink_to = 4},
                                    {.title = "EMPTY", .optional = true},
                                    {.title = "FILE", .leaves = 1},
                                    {.title = "TEXT", .shrink_to = 6}};
  const std::vector<Cells> rows{{{"1"}, {"short"}, {"-"}, {"/a"}, {"a text that is long"}},
                                {{"12"}, {"x"}, {""}, {"/b"}, {""}}};
  EXPECT_EQ(render_table(samples::terminal(20), columns, rows),
            " N  NAME   TEXT\n"
            " 1  short  a text t…\n"
            "12  x\n");
  EXPECT_EQ(render_table(samples::pipe(), columns, rows),
            " N  NAME   FILE  TEXT\n"
            " 1  short  /a    a text that is long\n"
            "12  x      /b\n");
}

TEST(Table, parts_two_groups_of_rows_by_a_line) {
  const std::vector<Column> columns{{.title = "N", .right = true}, {.title = "NAME"}};
  const std::vector<Cells> rows{{{"1"}, {"one"}}, {{"2"}, {"two"}}};
  const std::vector<Cell> notes{{"a note"}, {""}};
  const Parting parting{.before = 1, .words = "the others:"};
  EXPECT_EQ(render_table(samples::terminal(11), columns, rows, notes, "NOTE", parting),
            "N  NAME\n"
            "1  one\n"
            "   a note\n"
            "the others:\n"
            "2  two\n");
  EXPECT_EQ(render_table(samples::terminal(9), columns, rows, {}, "NOTE", parting),
            "N  NAME\n"
            "1  one\n"
            "the othe…\n"
            "2  two\n");
}

TEST(Table, puts_notes_below_their_rows_where_they_do_not_fit_beside) {
  const std::vector<Column> columns{{.title = "N", .right = true}, {.title = "NAME"}};
  const std::vector<Cells> rows{{{"1"}, {"one"}}, {{"2"}, {"two"}}};
  const std::vector<Cell> notes{{"a note\nof two lines"}, {""}};
  EXPECT_EQ(render_table(samples::terminal(40), columns, rows, notes),
            "N  NAME  NOTE\n"
            "1  one   a note of two lines\n"
            "2  two\n");
  EXPECT_EQ(render_table(samples::terminal(16), columns, rows, notes),
            "N  NAME\n"
            "1  one\n"
            "   a note of two\n"
            "   lines\n"
            "2  two\n");
  const std::vector<Cell> long_notes{{"one two three four five six"}, {""}};
  EXPECT_EQ(render_table(samples::terminal(8), columns, rows, long_notes),
            "N  NAME\n"
            "1  one\n"
            "   one\n"
            "   two\n"
            "   three\n"
            "   four…\n"
            "2  two\n");
}

}  // namespace
}  // namespace netperfctl
