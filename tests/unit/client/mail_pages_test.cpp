// SPDX-License-Identifier: GPL-2.0-or-later
// A comparison for readers elsewhere: as a mail, as Markdown, as CSV of its figures and as JUnit XML. The
// ctest `client_junit_files` reads the golden files of the last.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "client/pages/render.hpp"
#include "client/terminal/text.hpp"
#include "client/verbs/fail_on.hpp"
#include "tests/unit/client/compare_samples.hpp"
#include "tests/unit/client/golden.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

using samples::with_settings;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<CompareView> all_samples() {
  std::vector<CompareView> views{
      samples::hash_table(),      samples::witnessed(),       samples::forwarded(),
      samples::called(),          samples::noisy(),           samples::one_run_a_side(),
      samples::offload_differs(), samples::offload_despite(), samples::paced(),
      samples::hardly_known(),    samples::ring_sides(),      samples::trade_off(),
      samples::tracing_cost(),    samples::self_equivalent(), samples::self_inconclusive(),
      samples::self_fooled()};
  const std::size_t count = views.size();
  for (std::size_t i = 0; i < count; ++i) {
    views.push_back(with_settings(views[i]));
    views.back().all = true;
  }
  return views;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end == std::string::npos ? text.size() : end + 1;
  }
  return lines;
}

// A name that somebody chose to break what it stands in.
constexpr const char* kHostile = "#1 --- |a*b_c<d>`e`\"'&]]>\x1b[2J\x01\n---\n# x @you [l](http://h)\xff";

CompareView hostile() {
  CompareView view = with_settings(samples::trade_off());
  ComparisonView& head = view.details.comparison;
  view.asked.job.reset();
  view.name_a = view.name_b = "";
  view.asked.a = view.asked.b = kHostile;
  view.command = std::string{"netperfctl compare "} + kHostile;
  head.scenarios_a = head.scenarios_b = {{kHostile}};
  head.labels_a = {{kHostile}};
  head.labels_b = {{std::string(90, 'x') + kHostile}};
  head.changed = {{kHostile}};
  head.same = {{kHostile}};
  head.caveats = {{kHostile}};
  head.figures->front().figure = kHostile;
  head.figures->back().figure = std::string(80, 'y') + kHostile;
  view.details.facts.front().key = view.details.facts.front().group = kHostile;
  view.details.functions[0].function = kHostile;
  view.details.functions[1].function = std::string(100, 'z') + kHostile;
  view.setting_a->run.congestion = kHostile;
  for (auto& fact : view.setting_a->environment->facts) fact.value = kHostile;
  return view;
}

TEST(CompareMail, holds_what_a_commit_message_does) {
  expect_golden("compare_improvement.mail.txt", compare_mail(with_settings(samples::witnessed())));
  expect_golden("compare_trade_off.mail.txt", compare_mail(with_settings(samples::trade_off())));
  expect_golden("compare_refused.mail.txt", compare_mail(with_settings(samples::offload_differs())));
  expect_golden("compare_inconclusive.mail.txt", compare_mail(with_settings(samples::noisy())));
  expect_golden("compare_forwarded.mail.txt", compare_mail(samples::forwarded()));
  expect_golden("compare_called.mail.txt", compare_mail(samples::called()));
  expect_golden("compare_unknown.mail.txt", compare_mail(samples::hardly_known()));
  expect_golden("compare_tracing_cost.mail.txt", compare_mail(with_settings(samples::tracing_cost())));
}

TEST(CompareMail, is_72_columns_of_plain_text) {
  for (const CompareView& view : all_samples()) {
    const std::string text = compare_mail(view);
    EXPECT_TRUE(text.ends_with('\n'));
    EXPECT_THAT(text, Not(HasSubstr("\n\n\n"))) << text;
    for (const std::string& line : lines_of(text)) {
      EXPECT_LE(display_width(line), 72U) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
      EXPECT_FALSE(line.starts_with('#') || line.starts_with("---")) << line;
    }
    EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= ' ' && c < 0x7f); }))
        << text;
  }
}

TEST(CompareMail, never_cuts_a_name) {
  for (const CompareView& view : all_samples()) {
    const std::string text = compare_mail(view);
    EXPECT_THAT(text, Not(HasSubstr("... "))) << text;
    if (text.find("not compared") != std::string::npos) continue;
    for (const FunctionDeltaView& row : view.details.functions) EXPECT_THAT(text, HasSubstr(row.function));
  }
}

TEST(CompareMail, says_how_much_it_leaves_out) {
  CompareView view = samples::witnessed();
  view.details.functions.insert(view.details.functions.begin(), 12, view.details.functions[2]);
  view.details.functions.insert(view.details.functions.end(), 30, view.details.functions.back());
  EXPECT_THAT(compare_mail(view), HasSubstr("  ...10 more functions: --all, or -o json\n"));
  EXPECT_THAT(compare_mail(view), HasSubstr("  ...27 more functions: --all, or -o json\n"));
  EXPECT_THAT(compare_markdown(view), HasSubstr("\n...10 more functions: --all, or -o json\n"));
  view.all = true;
  EXPECT_THAT(compare_mail(view), Not(HasSubstr("more functions")));
}

TEST(CompareMail, gives_a_long_name_a_line_of_its_own) {
  CompareView view = samples::hash_table();
  const std::string name(70, 'f');
  view.details.functions[0].function = name;
  const std::string text = compare_mail(view);
  EXPECT_THAT(text, HasSubstr("\n  " + name + "\n"));
  view.details.functions[0].function = name + "_and_more";
  EXPECT_THAT(compare_mail(view), HasSubstr("\n  " + name + "_and_more\n")) << "wider than a mail, and whole";
}

TEST(CompareMail, of_hostile_names_is_still_one_mail) {
  const std::string text = compare_mail(hostile());
  EXPECT_THAT(text, HasSubstr(std::string(100, 'z')));
  EXPECT_TRUE(is_utf8(text));
  for (const std::string& line : lines_of(text)) {
    EXPECT_FALSE(line.starts_with('#') || line.starts_with("---") || line.ends_with(' ')) << line;
    EXPECT_TRUE(std::ranges::none_of(line, [](char c) { return c < ' ' && c >= 0; })) << line;
  }
}

TEST(CompareMail, says_where_the_sides_were_measured_on_different_machines) {
  CompareView view = with_settings(samples::hash_table());
  view.setting_b->environment->facts[4].value = "6.2.0";
  EXPECT_THAT(compare_mail(view), HasSubstr("  kernel     A: 6.1.0-40-amd64; B: 6.2.0\n"));
  view.setting_b->environment.reset();
  EXPECT_THAT(compare_mail(view), HasSubstr("  kernel     A: 6.1.0-40-amd64; B: not known\n"));
  view.setting_a->environment.reset();
  EXPECT_THAT(compare_mail(view), HasSubstr("  machine    not known, and neither are kernel and devices\n"));
}

TEST(CompareMarkdown, has_tables) {
  expect_golden("compare_improvement.md", compare_markdown(with_settings(samples::witnessed())));
  expect_golden("compare_trade_off.md", compare_markdown(with_settings(samples::trade_off())));
  expect_golden("compare_refused.md", compare_markdown(with_settings(samples::offload_differs())));
  expect_golden("compare_unknown.md", compare_markdown(samples::hardly_known()));
}

// Cells of a line of a table: what stands between bars that are not escaped.
std::size_t cells_in(std::string_view line) {
  std::size_t bars = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == '|') {
      ++bars;
    }
  }
  return bars;
}

TEST(CompareMarkdown, of_hostile_names_has_the_same_tables) {
  const std::string text = compare_markdown(hostile());
  EXPECT_TRUE(is_utf8(text));
  std::size_t cells = 0;
  bool code = false;
  for (const std::string& line : lines_of(text)) {
    const bool fence = line.starts_with("```");
    if (fence) code = !code;
    EXPECT_TRUE(std::ranges::none_of(line, [](char c) { return c < ' ' && c >= 0; })) << line;
    if (code || fence) continue;
    EXPECT_FALSE(line.starts_with("---") || line.starts_with('#') || line.starts_with('>')) << line;
    const bool row = line.starts_with('|');
    if (row && cells > 0) EXPECT_EQ(cells_in(line), cells) << line;
    cells = row ? cells_in(line) : 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\\') {
        ++i;
      } else {
        EXPECT_TRUE(line[i] != '<' && line[i] != '`' && line[i] != '_' && line[i] != '[') << line;
      }
    }
  }
  EXPECT_FALSE(code);
}

TEST(CompareCsv, has_a_row_for_each_judged_figure) {
  expect_golden("compare_verdicts.csv", compare_figures_csv(samples::trade_off()));
  CompareView named = samples::trade_off();
  named.asked.figures = {"received", "latency.p99:5%"};
  const std::string text = compare_figures_csv(named);
  EXPECT_THAT(text, StartsWith(compare_csv(named))) << "one CSV, and here with the CPU time beside";
  CompareView older = samples::hash_table();
  older.details.comparison.beside.reset();
  EXPECT_THAT(
      compare_figures_csv(older),
      HasSubstr("received,bits_per_second,higher,,improvement,,0.01,runs,,,,8,8,118000000,320400000,"));
}

TEST(CompareJunit, has_a_test_case_for_each_judged_figure) {
  expect_golden("compare_trade_off.junit.xml", compare_junit(with_settings(samples::trade_off())));
  expect_golden("compare_refused.junit.xml", compare_junit(samples::offload_differs()));
  expect_golden("compare_hostile.junit.xml", compare_junit(hostile()));
  const std::string inconclusive = compare_junit(samples::noisy());
  EXPECT_THAT(inconclusive, HasSubstr("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(inconclusive,
              HasSubstr("<skipped message=\"inconclusive: neither a difference nor its absence"));
  EXPECT_THAT(compare_junit(samples::hardly_known()), HasSubstr("<skipped message=\"too few: "));
  EXPECT_THAT(compare_junit(samples::forwarded()), HasSubstr("tests=\"2\" failures=\"1\""));
  EXPECT_THAT(compare_junit(samples::hash_table()),
              HasSubstr("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\""));
}

TEST(CompareExit, is_that_of_the_verdict_in_every_format) {
  const FailOn fail_on{"regression", "inconclusive"};
  for (const auto& [verdict, exit] : {std::pair{"improvement", Exit::ok},
                                      {"equivalent", Exit::ok},
                                      {"regression", Exit::regression},
                                      {"trade-off", Exit::regression},
                                      {"inconclusive", Exit::inconclusive},
                                      {"too few", Exit::inconclusive},
                                      {"refused", Exit::inconclusive}}) {
    EXPECT_EQ(exit_of(verdict, fail_on), exit) << verdict;
    EXPECT_EQ(exit_of(verdict, {"never"}), Exit::ok) << verdict;
  }
}

}  // namespace
}  // namespace netperfctl
