// SPDX-License-Identifier: GPL-2.0-or-later
// Tables of numbers, as people publish them. The expected p are those of the exact Mann-Whitney test, counted
// by hand: of 252 orders of five and five values, and of 126 of five and four.
#include <gmock/gmock.h>

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/model/named_figure_check.hpp"
#include "daemon/model/text.hpp"
#include "daemon/workload/table/import.hpp"

namespace netperfd::workload::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr std::string_view kTermsHead = "figure,side,value,unit,better\n";

Result<ImportedFile> table_file(std::string_view text) {
  return read_table_file(std::as_bytes(std::span(text)));
}

// All runs, in their order.
std::vector<ImportedMore> table_runs(std::string_view text) {
  auto file = table_file(text);
  if (!file) throw std::runtime_error(file.error().message);
  std::vector<ImportedMore> runs{{.workload = std::move(*file->workload), .raw = std::move(file->raw)}};
  for (ImportedMore& more : file->more) runs.push_back(std::move(more));
  for (const ImportedMore& run : runs) EXPECT_EQ(problem_of(run.workload.figures), "");
  return runs;
}

std::string table_error(std::string_view text) {
  const auto file = table_file(text);
  if (file) return "imported";
  EXPECT_EQ(file.error().kind, ErrorKind::invalid_argument);
  EXPECT_TRUE(is_printable(file.error().message)) << file.error().message;
  EXPECT_LT(file.error().message.size(), 600U);
  return file.error().message;
}

// "A1 B1": sides and blocks.
std::vector<std::string> table_places(const std::vector<ImportedMore>& runs) {
  std::vector<std::string> places;
  for (const ImportedMore& run : runs) {
    const TablePlace& place = *run.workload.place;
    places.push_back((place.point.empty() ? "" : place.point + " ") + (place.is_b ? "B" : "A") +
                     std::to_string(place.block));
  }
  return places;
}

std::vector<double> table_values(const std::vector<ImportedMore>& runs) {
  std::vector<double> values;
  for (const ImportedMore& run : runs) values.push_back(run.workload.figures.front().value);
  return values;
}

TEST(Table, without_blocks_has_the_nth_values_of_a_side_in_its_run_n) {
  const auto runs = table_runs(
      "value,unit,better,figure,side\r\n"
      "94.1,Gbit/s,higher,tput,before\r\n"
      "120,,,tput,after\r\n"
      "\r\n"
      ",,,,\r\n"
      "93.5,Gbit/s,,tput,before\r\n"
      "8.5,us,lower,p99,before\r\n"
      "9.5,us,,p99,after\r\n"
      "1e2,,higher,tput,after");
  EXPECT_THAT(table_places(runs), ElementsAre("A0", "A0", "B0", "B0"));
  EXPECT_THAT(table_values(runs), ElementsAre(94.1, 93.5, 120, 100));
  const ImportedWorkload& first = runs.front().workload;
  EXPECT_EQ(first.tool, "table");
  EXPECT_EQ(first.place->side, "before");
  EXPECT_EQ(runs.back().workload.place->side, "after");
  EXPECT_THAT(first.facts, IsEmpty());
  EXPECT_THAT(first.figures, ElementsAre(NamedFigure{"tput", "Gbit/s", Better::higher, 94.1},
                                         NamedFigure{"p99", "us", Better::lower, 8.5}));
  EXPECT_THAT(runs[1].workload.figures, SizeIs(1)) << "a figure may have fewer values than another";
}

TEST(Table, gives_each_run_the_header_and_its_lines) {
  const auto runs =
      table_runs("figure,side,value,unit,better\nt,a,1,s,lower\nt,b,2,s,lower\nu,a,3,s,lower\nu,b,4,s,lower");
  EXPECT_EQ(runs.at(0).raw, "figure,side,value,unit,better\nt,a,1,s,lower\nu,a,3,s,lower\n");
  EXPECT_EQ(runs.at(1).raw, "figure,side,value,unit,better\nt,b,2,s,lower\nu,b,4,s,lower\n");
}

TEST(Table, in_blocks_has_letters_in_the_order_of_the_lines) {
  const auto runs = table_runs(
      "figure,side,value,block,unit,better\n"
      "t,a,1,x,,lower\nt,b,2,x,s,\nt,b,3,x,,\nt,a,4,x,,\n"
      "t,b,5,7,,\nt,a,6,7,,\n"
      "u,a,11,x,s,lower\nu,b,12,x,,\n");
  EXPECT_THAT(table_places(runs), ElementsAre("A1", "B1", "B1", "A1", "B2", "A2"));
  EXPECT_THAT(table_values(runs), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(runs.at(0).workload.figures.at(1).value, 11);
  EXPECT_EQ(runs.at(1).workload.figures.at(1).value, 12);
}

TEST(Table, with_points_has_blocks_and_facts_for_each) {
  const auto runs = table_runs(
      "figure,side,value,point,block,unit,better\n"
      "t,a,1,64B,1,s,lower\nt,a,2,1500B,9,,\nt,b,3,1500B,9,,\nt,b,4,64B,1,,\n");
  EXPECT_THAT(table_places(runs), ElementsAre("64B A1", "64B B1", "1500B A1", "1500B B1"));
  EXPECT_THAT(runs.back().workload.facts, ElementsAre(Fact{"table", "point", "1500B"}));
}

TEST(Table, keeps_unit_and_direction_of_figures_that_netperfd_knows) {
  const auto runs = table_runs(
      "figure,side,value\nreceived,a,9e9\nreceived,b,8e9\nlatency.p99,a,1000\nlatency.p99,b,1100\ncpu,a,"
      "3\ncpu,b,4\n");
  EXPECT_THAT(runs.front().workload.figures,
              ElementsAre(NamedFigure{"table.received", "bits/s", Better::higher, 9e9},
                          NamedFigure{"table.latency.p99", "ns", Better::lower, 1000},
                          NamedFigure{"table.cpu", "ns/byte", Better::lower, 3}));
  const std::string head(kTermsHead);
  EXPECT_EQ(
      table_error(head + "received,a,9,Gbit/s,\n"),
      "line 2: column unit: table.received is in bits/s, not in \"Gbit/s\": convert its values, or give "
      "it a name of your own");
  EXPECT_EQ(
      table_error(head + "latency.p99,a,9,,higher\n"),
      "line 2: column better: table.latency.p99 is better where it is lower, and where it is higher here");
}

TEST(Table, reads_quoted_cells) {
  const auto runs = table_runs(
      "\"figure\",\"side\",\"value\",unit,better\n\"t\",\"a\",\"1\",\"a \"\"b\"\", c\",lower\nt, \"b\" , 2 "
      ",,\n");
  EXPECT_EQ(runs.front().workload.figures.front().unit, "a \"b\", c");
  EXPECT_EQ(runs.back().workload.figures.front().value, 2);
  EXPECT_THAT(table_error("figure,side,value\n\"t\"x,a,1\n"),
              StartsWith("line 2: cell 1 has a quote within"));
  EXPECT_THAT(table_error("figure,side,value\nt,a\"b,1\n"), StartsWith("line 2: cell 2 has a quote within"));
  EXPECT_EQ(table_error("figure,side,value\nt,a,\"1\n2\n"), "line 2: it has a quote that does not end");
  EXPECT_THAT(table_error("figure,side,value,point\ncpu,a,1,\"x\ny\"\n"),
              StartsWith("line 2: column point: expected is a printable name"));
  EXPECT_THAT(table_error("figure,side,value,unit\ncpu,a,\"\n1\",\ncpu,a,x,\n"),
              StartsWith("line 2: column value"));
}

TEST(Table, refuses_columns_that_are_none_or_twice_or_absent) {
  EXPECT_THAT(table_error("figure,side,value,colour\n"),
              StartsWith("line 1: \"colour\" is no column of a table"));
  EXPECT_THAT(table_error("figure,side,value,\x1b[2J\n"), StartsWith("line 1: \"\\x1b[2J\" is no column"));
  EXPECT_EQ(table_error("figure,side,value,side\n"), "line 1: the column side is there twice");
  EXPECT_EQ(table_error("figure,value\n"), "line 1: there is no column side");
  EXPECT_THAT(table_error(""), StartsWith("line 1: expected are the names of the columns"));
  EXPECT_EQ(table_error("figure,side,value\ncpu,a\n"),
            "line 2: it has 2 cells: expected are 3, as in the first line");
  EXPECT_EQ(table_error("figure,side,value\n\ncpu,a,1,\n"),
            "line 3: it has 4 cells: expected are 3, as in the first line");
}

TEST(Table, refuses_values_that_are_no_numbers) {
  for (const std::string value : {"", "NaN", "nan", "inf", "-1", "1e309", "1e-400", "0x10", "1 2", "9,4",
                                  "94 Gbit/s", "--1", "+1", "\x1b[31m"}) {
    const std::string line = "cpu,a,\"" + value + "\"\n";
    EXPECT_THAT(table_error("figure,side,value\ncpu,b,1\n" + line),
                StartsWith("line 3: column value: expected is a number of at least 0"))
        << value;
  }
  EXPECT_THAT(table_values(table_runs("figure,side,value\ncpu,a,0\ncpu,b,-0\n")), ElementsAre(0, 0));
}

TEST(Table, refuses_names_that_are_none) {
  EXPECT_THAT(table_error("figure,side,value\nthe rate,a,1\n"),
              AllOf(StartsWith("line 2: column figure: expected is a figure that netperfd knows"),
                    HasSubstr("not \"the rate\"")));
  for (const std::string name :
       {"latency.fast", "counter.eth0.rx_packets", "received.x", "\x1b[2J", "9p", ""}) {
    EXPECT_THAT(table_error("figure,side,value\n" + name + ",a,1\n"), StartsWith("line 2: column figure: "))
        << name;
  }
  EXPECT_THAT(table_error("figure,side,value\ncpu,,1\n"),
              StartsWith("line 2: column side: expected is a word"));
  EXPECT_THAT(table_error("figure,side,value\ncpu,a b,1\n"), HasSubstr("not \"a b\""));
  EXPECT_EQ(table_error("figure,side,value\ncpu,a,1\ncpu,b,1\ncpu,c,1\n"),
            "line 4: column side: c is a third side: expected is a or b");
  EXPECT_THAT(table_error("figure,side,value,block\ncpu,a,1,\n"),
              StartsWith("line 2: column block: expected is"));
  EXPECT_THAT(table_error("figure,side,value,point\ncpu,a,1,\x1b[2J\n"),
              StartsWith("line 2: column point: expected is a printable name"));
}

TEST(Table, refuses_terms_that_are_missing_or_contradict_each_other) {
  const std::string head(kTermsHead);
  EXPECT_EQ(
      table_error("figure,side,value,unit\nx,a,1,s\nx,b,1,\n"),
      "line 2: column better: no line has what is better, higher or lower, of x: netperfd does not know "
      "this figure");
  EXPECT_EQ(table_error("figure,side,value,better\nx,a,1,lower\nx,b,1,\n"),
            "line 2: column unit: no line has the unit of x: netperfd does not know this figure");
  EXPECT_EQ(
      table_error(head + "x,a,1,s,lower\nx,b,1,ms,lower\n"),
      "line 3: column unit: x is in \"s\" in an earlier line, and in \"ms\" here: expected is one unit");
  EXPECT_EQ(
      table_error(head + "x,a,1,s,lower\nx,b,1,s,higher\n"),
      "line 3: column better: x is better where it is lower in an earlier line, and where it is higher here");
  EXPECT_EQ(table_error(head + "x,a,1,s,less\n"),
            "line 2: column better: expected is higher or lower, not \"less\"");
  EXPECT_THAT(table_error(head + "x,a,1," + std::string(33, 's') + ",lower\n"),
              StartsWith("line 2: column unit: expected is a printable unit of at most 32 bytes"));
}

TEST(Table, refuses_figures_of_one_side) {
  EXPECT_EQ(table_error("figure,side,value\ncpu,a,1\n"),
            "line 3: column side: the table ends with one side, a: expected are two");
  EXPECT_EQ(table_error("figure,side,value\n"),
            "line 2: column side: the table ends with no side: expected are two");
  EXPECT_EQ(table_error("figure,side,value\ncpu,a,1\ncpu,b,1\nrtt,b,1\n"),
            "line 4: column side: table.rtt has values of b and none of a: expected are values of both");
  EXPECT_EQ(table_error("figure,side,value,point,block\ncpu,a,1,x,1\ncpu,b,1,x,1\ncpu,b,1,x,2\n"),
            "line 4: column side: table.cpu at the point \"x\" in this block has values of b and none of a: "
            "expected are values of both");
}

TEST(Table, has_limits) {
  std::string runs = "figure,side,value\ncpu,b,1\n", points = "figure,side,value,point\n",
              figures(kTermsHead);
  for (int i = 0; i < 500; ++i) runs += "cpu,a,1\n";
  for (int i = 0; i < 65; ++i) points += "cpu,a,1,p" + std::to_string(i) + "\n";
  for (int i = 0; i < 65; ++i) figures += "f" + std::to_string(i) + ",a,1,s,lower\n";
  EXPECT_THAT(table_error(runs), StartsWith("line 502: the table has more than the 500 runs"));
  EXPECT_THAT(table_error(points),
              StartsWith("line 66: column point: \"p64\" is one point more than the 64"));
  EXPECT_THAT(table_error(figures),
              StartsWith("line 66: column figure: \"f64\" is one figure more than the 64"));
  EXPECT_THAT(table_error("figure,side,value\ncpu,a," + std::string(1U << 20U, '1') + "\n"),
              StartsWith("line 2: it has more than 4096 bytes"));
  EXPECT_THAT(table_error("figure,side,value\n" + std::string(9U << 20U, '\n')),
              HasSubstr("it has more than 8 MiB"));
  std::string letters = "figure,side,value\n";
  while (letters.size() < kMostTableBytes - 2) letters += "x\n";
  EXPECT_THAT(table_error(letters), StartsWith("line 2: it has 1 cells"));
  EXPECT_EQ(table_error("figure,side,value\n" + std::string(kMostTableBytes - 100, '\n')),
            "line 100001: a table has at most 100000 lines");
}

// What a cover letter claimed with five runs a side: +30.5 % is supported, +1.0 % and p99 are not at this n.
TEST(Table, of_a_cover_letter_has_the_exact_p_of_its_claims) {
  std::string text(kTermsHead);
  const auto add = [&](const char* figure, const char* side, const char* better, std::vector<double> values) {
    for (const double value : values)
      text += std::string(figure) + "," + side + "," + std::to_string(value) + ",x," + better + "\n";
  };
  add("small", "base", "higher", {98, 99, 100, 101, 102});
  add("small", "series", "higher", {127.89, 129.195, 130.5, 131.805, 133.11});
  add("large", "base", "higher", {100, 101.2, 102.4, 103.6, 104.8});
  add("large", "series", "higher", {101, 102.212, 103.424, 104.636, 105.848});
  add("p99", "base", "lower", {100, 101, 102, 103, 104});
  add("p99", "series", "lower", {101.5, 102.5, 104.5, 105});
  std::vector<analysis::ComparedRun> a, b;
  for (const ImportedMore& run : table_runs(text)) {
    analysis::ComparedRun& compared = (run.workload.place->is_b ? b : a).emplace_back();
    compared.id = static_cast<RunId>(a.size() + b.size());
    compared.own_figures = run.workload.figures;
  }
  analysis::ComparisonSettings settings;
  settings.figures.clear();
  for (const char* name : {"small", "large", "p99"}) settings.figures.push_back({.figure = {.name = name}});
  const Comparison comparison = analysis::compare(a, b, settings);
  ASSERT_THAT(comparison.figures, SizeIs(3));
  const auto& [small, large, p99] =
      std::tie(comparison.figures[0], comparison.figures[1], comparison.figures[2]);
  EXPECT_EQ(small.verdict, Verdict::improvement);
  EXPECT_NEAR(*small.effect.ratio, 1.305, 1e-6);
  EXPECT_NEAR(*small.effect.p, 2.0 / 252, 1e-9);
  EXPECT_EQ(large.verdict, Verdict::inconclusive);
  EXPECT_NEAR(*large.effect.ratio, 1.01, 1e-6);
  EXPECT_NEAR(*large.effect.p, 2 * 87.0 / 252, 1e-9);
  EXPECT_GT(large.effect.needed.value_or(0), 5U) << "the n that it would take";
  EXPECT_EQ(p99.verdict, Verdict::inconclusive);
  EXPECT_NEAR(*p99.effect.p, 2 * 18.0 / 126, 1e-9);
  EXPECT_EQ(p99.effect.n_b, 4U);
}

}  // namespace
}  // namespace netperfd::workload::test
