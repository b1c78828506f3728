// SPDX-License-Identifier: GPL-2.0-or-later
// Figures in what commands wrote: what is found, and what is said of what is not.
#include <gmock/gmock.h>

#include <string>

#include "daemon/workload/command/figures.hpp"
#include "daemon/workload/command/job/pattern.hpp"
#include "daemon/workload/command/ready_test.hpp"
#include "daemon/workload/command/text_lines.hpp"

namespace netperfd::workload {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Found {
  double value = -1;
  std::string error;
};

Found find(FigureForm form, const std::string& place, const std::string& text,
           FigureTake take = FigureTake::last, double scale = 1) {
  const DeclaredFigure figure{.name = "rate",
                              .unit = "1/s",
                              .form = form,
                              .place = place,
                              .take = take,
                              .document = "client.stdout",
                              .scale = scale};
  const auto values = read_command_figures({figure}, {{"client.stdout", text}});
  if (!values) {
    EXPECT_EQ(values.error().kind, ErrorKind::not_found);
    return {.error = values.error().message};
  }
  return {.value = values->front(), .error = ""};
}

constexpr auto kPattern = FigureForm::pattern;
constexpr auto kPointer = FigureForm::pointer;
constexpr auto kColumn = FigureForm::column;

constexpr const char* kWrk =
    "Running 1s test @ http://10.0.0.2/\n  2 threads and 10 connections\n"
    "    Latency   120.50us   30.1us   1.2ms\nRequests/sec:  81234.25\nTransfer/sec:     12.3MB\n";

TEST(CommandFigures, are_found_by_a_pattern) {
  EXPECT_EQ(find(kPattern, "Requests/sec: +([0-9.]+)", kWrk).value, 81234.25);
  EXPECT_EQ(find(kPattern, "^ +Latency +([0-9.]+)us", kWrk, FigureTake::last, 1000).value, 120'500);
  EXPECT_EQ(find(kPattern, "(\\S+)$", "a 1e3\n").value, 1000);
  EXPECT_EQ(find(kPattern, "x=(\\S+)", "x=+5 x=-2.5").value, -2.5);
}

TEST(CommandFigures, are_the_last_match_or_the_first) {
  EXPECT_EQ(find(kPattern, "r ([0-9]+)", "r 1\nr 2\nr 3\n").value, 3);
  EXPECT_EQ(find(kPattern, "r ([0-9]+)", "r 1\nr 2\nr 3\n", FigureTake::first).value, 1);
  // Of matches of nothing, too.
  EXPECT_EQ(find(kPattern, "(?:r ([0-9]+))?", "r 1\nr 2\nzz").value, 2);
}

TEST(CommandFigures, that_no_pattern_finds_are_told_with_the_last_lines) {
  EXPECT_EQ(find(kPattern, "rate=([0-9]+)", "one\ntwo\n\nthree\x1b[31m\nfour\n").error,
            "figure rate: nothing in client.stdout matches rate=([0-9]+); its last lines: two | three?[31m | "
            "four");
  EXPECT_EQ(find(kPattern, "rate=([0-9]+)", "").error,
            "figure rate: nothing in client.stdout matches rate=([0-9]+); it is empty");
}

TEST(CommandFigures, are_finite_numbers_or_told_with_their_line) {
  EXPECT_EQ(find(kPattern, "rate: (.*)", "ok\nrate: nan\n").error,
            "figure rate: expected is a finite number in line 2 of client.stdout, not \"nan\": rate: nan");
  for (const char* text : {"nan", "inf", "-inf", "1e999", "+-5", "0x10", "12 3", "12MB", "", "1,234", "٣"})
    EXPECT_THAT(find(kPattern, "rate: ?(.*)", std::string("rate: ") + text).error, HasSubstr("finite number"))
        << text;
  EXPECT_THAT(find(kPattern, "(.*)", "1e308", FigureTake::first, 1e10).error, HasSubstr("finite number"));
}

TEST(CommandFigures, in_ns_may_have_the_unit_of_their_time) {
  const auto time = [](const std::string& text, const std::string& unit) {
    const auto values = read_command_figures(
        {{.name = "time", .unit = unit, .place = "t=(.*)", .document = "x"}}, {{"x", text}});
    return values ? values->front() : -1;
  };
  EXPECT_EQ(time("t=120.5us", "ns"), 120'500);
  EXPECT_EQ(time("t=1.25ms", "ns"), 1'250'000);
  EXPECT_EQ(time("t=2s", "ns"), 2e9);
  EXPECT_EQ(time("t=7ns", "ns"), 7);
  EXPECT_EQ(time("t=7", "ns"), 7);
  EXPECT_EQ(time("t=7us", "us"), -1);
  EXPECT_EQ(time("t=us", "ns"), -1);
  EXPECT_EQ(time("t=nans", "ns"), -1);
  EXPECT_EQ(time("t=1 us", "ns"), -1);
}

TEST(CommandFigures, are_found_in_a_json_document) {
  const std::string text = R"({"end": {"rates": [1, 2.5e3], "a/b": -4, "name": "x", "none": null}})";
  EXPECT_EQ(find(kPointer, "/end/rates/1", text).value, 2500);
  EXPECT_EQ(find(kPointer, "/end/a~1b", text).value, -4);
  EXPECT_EQ(find(kPointer, "/end/rates", text).error,
            "figure rate: expected is a finite number at /end/rates of client.stdout, not an array");
  EXPECT_THAT(find(kPointer, "/end/name", text).error, HasSubstr("not \"x\""));
  EXPECT_THAT(find(kPointer, "/end/none", text).error, HasSubstr("not null"));
  EXPECT_THAT(find(kPointer, "/end/rate", text).error,
              HasSubstr("has nothing at /end/rate; its last line: {"));
  EXPECT_THAT(find(kPointer, "/end/rates/9", text).error, HasSubstr("has nothing at"));
  EXPECT_THAT(find(kPointer, "/end/rates/x", text).error, HasSubstr("/end/rates/x"));
  EXPECT_THAT(find(kPointer, "/end/rates/01", text).error, HasSubstr("/end/rates/01"));
  EXPECT_THAT(find(kPointer, "/a", "{\"a\": NaN}").error, HasSubstr("cannot be read"));
  EXPECT_THAT(find(kPointer, "/a", "{\"a\": 1e999}").error, HasSubstr("number overflow"));
  EXPECT_THAT(find(kPointer, "/a", "").error, HasSubstr("it is empty"));
}

TEST(CommandFigures, of_a_document_of_many_levels_are_not_looked_for) {
  constexpr std::size_t kLevels = 1'000'000;
  const std::string deep = std::string(kLevels, '[') + std::string(kLevels, ']');
  EXPECT_THAT(find(kPointer, "/0", deep).error, HasSubstr("more than 200 levels"));
  EXPECT_THAT(find(kPointer, "/a", R"({"a": 1, "b": )" + deep + "}").error,
              HasSubstr("more than 200 levels"));
  EXPECT_EQ(find(kPointer, "/0/0/0", "[[[5]]]").value, 5);
}

// RFC 4180: a quote has a meaning where a cell begins.
TEST(CommandFigures, are_not_found_in_another_row_because_of_a_quote) {
  EXPECT_EQ(find(kColumn, "rps", "rps,disk\n100,5\" ssd\n900,fast\n").value, 900);
  EXPECT_EQ(find(kColumn, "rps", "# 5\" disks\nrps,disk\n900,fast\n").value, 900);
  EXPECT_EQ(find(kColumn, "rps", "disk,rps\n\"a\nb\",7\n").value, 7) << "a line feed within a cell";
  EXPECT_THAT(find(kColumn, "rps", "disk,rps\nx,1\n\"a,2\n").error,
              HasSubstr("has a quote in line 3 that does not end"));
  EXPECT_THAT(find(kColumn, "rps", "rps,rps\n1,2\n").error, HasSubstr("has more than one column rps"));
  EXPECT_EQ(find(kColumn, "rps", "\xEF\xBB\xBFrps\n3\n").value, 3) << "after a byte order mark";
}

TEST(CommandFigures, are_found_in_a_column) {
  const std::string text = "a tool says\nname, rps ,\"p99, us\"\nx,1,2\n\"y \"\"z\"\"\",3,\"4\"\n\n";
  EXPECT_EQ(find(kColumn, "rps", text).value, 3);
  EXPECT_EQ(find(kColumn, "p99, us", text).value, 4);
  EXPECT_EQ(find(kColumn, "rps", text, FigureTake::first).value, 1);
  EXPECT_THAT(find(kColumn, "qps", text).error,
              HasSubstr("client.stdout has no column qps; its last lines:"));
  EXPECT_THAT(find(kColumn, "rps", "rps\n").error, HasSubstr("no row below the column rps"));
  EXPECT_THAT(find(kColumn, "b", "a,b\n1\n").error, HasSubstr("finite number in line 2"));
  EXPECT_THAT(find(kColumn, "b", "a,b\n1,x\n").error, HasSubstr("not \"x\": 1,x"));
}

TEST(CommandFigures, need_their_document) {
  const auto values =
      read_command_figures({{.name = "rate", .unit = "", .place = "(x)", .document = "file.y"}}, {});
  ASSERT_FALSE(values);
  EXPECT_EQ(values.error().message, "figure rate: there is no file.y");
}

TEST(CommandPattern, has_one_group_and_a_bounded_program) {
  EXPECT_TRUE(compile_pattern("(?:a|b)([0-9]+)"));
  EXPECT_THAT(compile_pattern("[0-9]+").error().message, HasSubstr("has 0 groups"));
  EXPECT_THAT(compile_pattern("(a)(b)").error().message, HasSubstr("has 2 groups"));
  EXPECT_THAT(compile_pattern("(a").error().message, HasSubstr("missing"));
  EXPECT_THAT(compile_pattern("(a)\\1").error().message, HasSubstr("regular expression"));
  EXPECT_FALSE(compile_pattern("((a{1000}){1000})"));
  EXPECT_THAT(compile_pattern("(" + std::string(600, 'a') + ")").error().message, HasSubstr("at most 512"));
}

TEST(CommandLines, are_shortened_and_harmless) {
  EXPECT_EQ(shown_line("a\tb\x07\xff\r"), "a b??");
  EXPECT_EQ(shown_line(std::string(300, 'x')), std::string(200, 'x') + "...");
  EXPECT_EQ(last_lines("\n \n"), "it is empty");
  EXPECT_EQ(last_lines("a"), "its last line: a");
}

TEST(ReadyPort, is_that_of_a_socket_in_the_right_state) {
  const std::string table =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
      "   0: 0100007F:1B59 00000000:0000 0A 00000000:00000000 00:00000000 00000000  65534        0 71 1\n"
      "   1: 0100007F:1B5A 0200007F:0050 01 00000000:00000000 00:00000000 00000000  65534        0 72 1\n"
      "nonsense\n";
  EXPECT_THAT(sockets_with_port(table, "0A", 7001), ElementsAre(71));
  EXPECT_THAT(sockets_with_port(table, "0A", 7002), IsEmpty()) << "a connection";
  EXPECT_THAT(sockets_with_port(table, "0A", 80), IsEmpty()) << "of the other end";
  EXPECT_THAT(sockets_with_port("", "0A", 80), IsEmpty());
}

}  // namespace
}  // namespace netperfd::workload
