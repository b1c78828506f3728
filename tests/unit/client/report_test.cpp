// SPDX-License-Identifier: GPL-2.0-or-later
// The report as a file: what is in it, and what cannot be.
#include "client/report/report.hpp"

#include <gmock/gmock.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/flame/graph.hpp"
#include "client/pages/render.hpp"
#include "client/report/parts.hpp"
#include "tests/unit/client/compare_samples.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl::report {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

RunView run_of(std::uint64_t number, char side, double rate) {
  RunView run;
  run.run = number;
  run.job = 33;
  run.state = "finished";
  run.started_us = samples::kNow + number * samples::kMinute;
  run.received_bits_per_second = rate;
  run.block = static_cast<std::uint32_t>((number - 1) / 4 + 1);
  run.side = std::string(1, side);
  run.variant = side == 'A' ? "list" : "hash";
  run.traced = false;
  return run;
}

Report report_of(CompareView view, std::size_t runs = 8) {
  Report report;
  report.title = "job:33";
  report.again = "netperfctl report job:33";
  report.version = "1.2.3";
  report.made_us = samples::kNow;
  report.documents.push_back({view.command + " -o json", compare_json(view)});
  report.compared = std::move(view);
  for (std::size_t i = 1; i <= runs; ++i) {
    const char side = i % 4 < 2 ? 'A' : 'B';
    report.runs.push_back({run_of(i, side, 1e8 + static_cast<double>(i) * 1e6), side});
  }
  return report;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// Of the page without its data.
std::string shown(const Report& report) {
  const std::string text = html(report);
  return text.substr(0, text.find("<script"));
}

TEST(Report, has_the_words_of_the_text_page) {
  const std::string text = shown(report_of(samples::hash_table()));
  EXPECT_THAT(text, HasSubstr("<strong class=\"verdict\">IMPROVEMENT</strong>"));
  EXPECT_THAT(text, HasSubstr("<strong class=\"change\">+171 %</strong>"));
  EXPECT_THAT(text, HasSubstr("<th scope=\"row\">hsr_get_node</th>"));
  EXPECT_THAT(text, HasSubstr("<title>IMPROVEMENT +171 %: job:33</title>"));
  EXPECT_THAT(text, HasSubstr("a call 13,075 -&gt; 938 ns"));
  for (const char* id : {"verdict", "runs", "functions", "counters", "environment", "evidence", "again"})
    EXPECT_EQ(count(text, "<section id=\"" + std::string{id} + "\">"), 1U) << id;
}

TEST(Report, leads_with_the_cpu_time_if_both_sides_reach_what_they_were_offered) {
  const std::string page = shown(report_of(samples::forwarded()));
  const auto cpu = page.find("<h3>cpu.packet</h3>"),
             sent = page.find("<h3>counter.to-receiver@router.tx_packets</h3>");
  ASSERT_NE(cpu, std::string::npos);
  ASSERT_NE(sent, std::string::npos);
  EXPECT_LT(cpu, sent);
  EXPECT_THAT(page, HasSubstr("leads, because both sides reach the 50.0 Mbit/s that they were offered"));
  EXPECT_THAT(page, HasSubstr("counters, per packet"));
  // Of the throughput alone, the CPU time beside it.
  CompareView beside = samples::hash_table();
  beside.details.comparison.offered_bits_per_second = 100e6;
  const std::string of_bytes = shown(report_of(std::move(beside)));
  EXPECT_LT(of_bytes.find("<h3>cpu</h3>"), of_bytes.find("<h3>received</h3>"));
  EXPECT_THAT(of_bytes, HasSubstr("leads, because both sides reach the 100.0 Mbit/s"));
}

TEST(Report, loads_nothing) {
  Report report = report_of(samples::witnessed());
  report.shown.push_back({samples::traced(), "typical"});
  const std::string text = html(report);
  EXPECT_THAT(text, HasSubstr("content=\"default-src 'none'; script-src 'sha256-"));
  for (const char* part :
       {" src=", " href=", "@import", "url(", "<link", "<img", "<iframe", " style=", " onclick"})
    EXPECT_THAT(text, Not(HasSubstr(part)));
}

TEST(Report, has_its_data_as_json_that_cannot_end_its_element) {
  Report report = report_of(samples::hash_table());
  report.documents.front().json = R"({"label":"</script><script>alert(1)</script>"})";
  const std::string text = html(report);
  EXPECT_THAT(text, HasSubstr(R"({"label":"\u003c/script>\u003cscript>alert(1)\u003c/script>"})"));
  EXPECT_EQ(count(text, "<script"), 3U);  // its data, and the two of the page
  EXPECT_EQ(count(text, "</script"), 3U);
}

TEST(Report, shows_hostile_names_as_text) {
  const std::string hostile = "<script>alert(1)</script>\"></svg><img src=x onerror=alert(1)>'\x1b[2J\u202e";
  Report report = report_of(samples::witnessed());
  report.title = report.again = hostile;
  report.page = hostile;
  report.missing.push_back(hostile);
  CompareView& view = *report.compared;
  view.command = view.asked.a = view.name_a = hostile;
  view.details.comparison.caveats = {hostile};
  view.details.comparison.labels_a = {hostile};
  for (FunctionDeltaView& row : view.details.functions) row.function = row.below.emplace(hostile);
  for (FactChangeView& fact : view.details.facts) fact.key = fact.a.emplace({hostile}).front();
  for (CounterChangeView& row : view.details.counters) row.name = hostile;
  for (SidedRun& row : report.runs) row.run.label = row.run.note = row.run.variant = row.run.error = hostile;
  report.shown.push_back({samples::traced(), hostile});
  ShowView& run = report.shown.front().view;
  run.details.flags = {{"code", hostile}};
  for (TraceEventView& event : run.trace->events) event.event = hostile;
  for (MarkView& mark : run.trace->marks) mark.text = hostile;
  report.flames.push_back({hostile, {hostile}, 10, {{0, 0, 10, hostile, hostile, {}}}});
  const std::string text = html(report);
  EXPECT_EQ(count(text, "<script"), 3U);
  EXPECT_THAT(text, Not(HasSubstr("<img")));
  EXPECT_THAT(text, Not(HasSubstr("\"></svg>")));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\u202e")));
  EXPECT_EQ(count(text, "<svg"), count(text, "</svg>"));
  EXPECT_THAT(text, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&gt;&lt;/svg&gt;&lt;img src=x"));
}

TEST(Report, of_a_refused_comparison_says_why_and_hides_the_figures) {
  const std::string text = shown(report_of(samples::offload_differs()));
  EXPECT_THAT(text, HasSubstr("REFUSED"));
  EXPECT_THAT(text, HasSubstr("not compared: "));
  EXPECT_THAT(text, HasSubstr("--despite shows the numbers"));
  EXPECT_THAT(text, HasSubstr("<section id=\"runs\">"));
  EXPECT_THAT(text, Not(HasSubstr("<strong class=\"change\">")));
  EXPECT_THAT(text, Not(HasSubstr("class=\"threshold\"")));
  EXPECT_THAT(text, Not(HasSubstr("<section id=\"functions\">")));
}

TEST(Report, without_an_interval_draws_the_estimate_alone) {
  const std::string text = shown(report_of(samples::one_run_a_side(), 2));
  EXPECT_THAT(text, HasSubstr("TOO FEW"));
  EXPECT_THAT(text, HasSubstr(", without an interval."));
  EXPECT_THAT(shown(report_of(samples::noisy())), HasSubstr(", and its interval, "));
}

TEST(Report, draws_the_interval_that_belongs_to_the_adjusted_p) {
  CompareView view = samples::hash_table();
  FunctionDeltaView& row = view.details.functions.front();
  const auto drawn = [&](double alone, double together) {
    row.low = *row.shift - alone;
    row.high = *row.shift + alone;
    row.together_low = *row.shift - together;
    row.together_high = *row.shift + together;
    row.calls_p_adjusted = 0.5;
    const std::string page = shown(report_of(view));
    const auto begin = page.find("<section id=\"functions\">");
    return page.substr(begin, page.find("</section>", begin) - begin);
  };
  EXPECT_EQ(drawn(0.1, 0.5), drawn(0.2, 0.5));
  EXPECT_NE(drawn(0.1, 0.5), drawn(0.1, 0.6));
}

TEST(Report, of_hardly_anything_has_no_empty_picture) {
  const std::string text = shown(report_of(samples::hardly_known(), 0));
  EXPECT_THAT(text, Not(HasSubstr("<svg")));
  EXPECT_THAT(text, Not(HasSubstr("<section id=\"runs\">")));
  Report report;
  report.title = "job:1";
  EXPECT_THAT(shown(report), HasSubstr("No run has a known throughput."));
}

TEST(Report, tells_sides_by_shape_and_draws_failed_runs_below_the_scale) {
  Report report = report_of(samples::ring_sides(), 4);
  report.runs.back().run.received_bits_per_second.reset();
  report.runs.back().run.state = "failed";
  report.runs.front().run.traced = true;
  const std::string text = runs_part(report.runs);
  EXPECT_EQ(count(text, "<circle class=\"a hollow\""), 2U);  // in the legend and in the drawing
  EXPECT_EQ(count(text, "<path class=\"b\""), 3U);           // two runs
  EXPECT_EQ(count(text, "class=\"missed\""), 1U);
  EXPECT_THAT(text, HasSubstr("below the scale: 1 run without a figure."));
  EXPECT_THAT(text, HasSubstr("<title>run 2, block 1, B hash, plain: 102.0 Mbit/s</title>"));
  EXPECT_THAT(text, HasSubstr("The scale is from 101.0 to 103.0."));
}

TEST(Report, of_200_runs_is_small) {
  Report report = report_of(samples::witnessed(), 200);
  for (SidedRun& row : report.runs) row.run.label = "a label of some length";
  std::vector<RunView> runs;
  for (const SidedRun& row : report.runs) runs.push_back(row.run);
  report.documents.push_back({"netperfctl runs --job 33 --all -o json", runs_json(runs, false)});
  for (int i = 0; i < 4; ++i) report.shown.push_back({samples::ring(), "typical"});
  const std::size_t bytes = html(report).size();
  RecordProperty("bytes", static_cast<int>(bytes));
  EXPECT_LT(bytes, 500'000U);
}

TEST(Report, of_a_run_shows_it_over_time) {
  Report report;
  report.title = "run 43";
  report.shown.push_back({samples::traced(), ""});
  report.runs.push_back({report.shown.front().view.details.run});
  const std::string text = shown(report);
  EXPECT_THAT(text, HasSubstr("class=\"rate\" d=\"M0 "));
  EXPECT_THAT(text, HasSubstr("skb:kfree_skb: "));
  EXPECT_THAT(text, HasSubstr("DROPPED BECAUSE"));
  EXPECT_THAT(text, HasSubstr("<section id=\"shown\">"));
  EXPECT_THAT(text, Not(HasSubstr("<section id=\"runs\">")));
}

TEST(Report, of_a_failed_run_says_why) {
  Report report;
  report.title = "run 42";
  report.shown.push_back({samples::failed(), ""});
  report.runs.push_back({report.shown.front().view.details.run});
  const std::string text = shown(report);
  EXPECT_THAT(text, HasSubstr("<p class=\"bad\">"));
  EXPECT_THAT(text, Not(HasSubstr("<svg")));
}

TEST(Report, compares_durations_of_calls) {
  Report report = report_of(samples::hash_table());
  report.shown.push_back({samples::ring(), "", 'A'});
  report.shown.push_back({samples::ring(), "", 'B'});
  const std::string text = shown(report);
  EXPECT_THAT(text, HasSubstr("<section id=\"durations\">"));
  EXPECT_THAT(text, HasSubstr("<rect class=\"bar a\""));
  // The most frequent duration has the full height, one with half as many calls half of it.
  EXPECT_THAT(text, ContainsRegex("<rect class=\"bar b\"[^>]* height=\"21.0\"/>"));
  EXPECT_THAT(text, ContainsRegex("<rect class=\"bar b\"[^>]* height=\"10.5\"/>"));
  report.shown.pop_back();
  EXPECT_THAT(shown(report), Not(HasSubstr("<section id=\"durations\">")));
}

TEST(TypicalRuns, have_the_median_throughput_of_their_side_and_kind) {
  std::vector<SidedRun> runs;
  for (const double rate : {5e6, 1e6, 3e6}) runs.push_back({run_of(runs.size() + 1, 'A', rate), 'A'});
  for (const double rate : {7e6, 9e6}) runs.push_back({run_of(runs.size() + 1, 'B', rate), 'B'});
  runs.push_back({run_of(6, 'B', 2e6), 'B'});
  runs.back().run.traced = true;
  runs.push_back({run_of(7, 'A', 3e6), 'A'});
  runs.back().run.state = "failed";
  runs.push_back({run_of(8, 'A', 3e6), {}});
  EXPECT_EQ(typical_runs(runs), (std::vector<std::size_t>{2, 3, 5}));
  EXPECT_TRUE(typical_runs({}).empty());
}

TEST(Policy, has_hashes_in_base64) {
  // Of the empty text, as FIPS 180-4 and RFC 4648 have it.
  EXPECT_EQ(policy_hash("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
}

}  // namespace
}  // namespace netperfctl::report
