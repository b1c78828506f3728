// SPDX-License-Identifier: GPL-2.0-or-later
// Pages of runs with traced functions.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string>

#include "client/pages/render.hpp"
#include "client/terminal/text.hpp"
#include "tests/unit/client/golden.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

ShowView listing() {
  ShowView view = samples::ring();
  view.function_lists = {.functions = true, .tree = true, .callers = true};
  view.trace_lists.over_time = true;
  return view;
}

// Without the parts that only a wide terminal shows.
std::string page(const ShowView& view, std::size_t width = 80) {
  return show_text(samples::terminal(width), view);
}

TEST(FunctionPages, a_run_has_its_ten_costliest_functions) {
  expect_golden("show_functions_80.txt", page(samples::ring()));
  expect_golden("show_functions_120.txt", page(samples::ring(), 120));
  expect_golden("show_functions_pipe.txt", show_text(samples::pipe(), samples::ring()));
}

TEST(FunctionPages, all_functions_tree_callers_and_pictures_where_asked) {
  expect_golden("show_function_lists_80.txt", page(listing()));
  expect_golden("show_function_lists_120.txt", page(listing(), 120));
  expect_golden("show_function_lists_pipe.txt", show_text(samples::pipe(), listing()));
}

TEST(FunctionPages, damage_is_told_in_words) {
  expect_golden("show_functions_damaged_80.txt", page(samples::ring_damaged()));
  EXPECT_EQ(page(samples::ring()).find("not whole"), std::string::npos) << "only where there is some";
}

TEST(FunctionPages, what_was_not_corrected_says_why_and_what_is_not_known_has_no_column) {
  const std::string text = page(samples::ring_uncalibrated());
  expect_golden("show_functions_uncalibrated_80.txt", text);
  EXPECT_EQ(text.find("/PACKET"), std::string::npos);
}

TEST(FunctionPages, modules_and_duplicates_tell_functions_apart) {
  const std::string text = page(samples::mixed());
  expect_golden("show_functions_mixed_80.txt", text);
  EXPECT_NE(text.find(" [hsr]"), std::string::npos);
  EXPECT_NE(text.find(" #2"), std::string::npos) << "a long name is cut before it";
  EXPECT_EQ(page(samples::ring()).find("[hsr]"), std::string::npos) << "of one module alone it says nothing";
}

TEST(FunctionPages, an_imported_trace_has_no_line_of_iperf3) {
  const std::string text = page(samples::imported());
  expect_golden("show_imported_80.txt", text);
  for (const char* word : {"iperf3", "received", "between", "throughput", "packets", "cpu  "})
    EXPECT_EQ(text.find(word), std::string::npos) << word;
}

TEST(FunctionPages, of_an_imported_run_name_its_files_and_its_date) {
  ShowView view = samples::imported();
  EXPECT_NE(page(view, 120).find("  file       hsr.dat; measured yesterday "), std::string::npos)
      << page(view, 120);
  view.details.run.measured_by = "document";
  view.details.run.files = {"client.json", "hsr\x1b.dat"};
  const std::string text = page(view, 120);
  EXPECT_NE(text.find("  files      client.json and hsr\\x1b.dat; measured yesterday "), std::string::npos)
      << text;
  EXPECT_NE(text.find(", as the document says\n"), std::string::npos);
  view.details.run.measured_us.reset();
  EXPECT_NE(page(view, 120).find("; measured at a time that is not known\n"), std::string::npos);
}

TEST(FunctionPages, a_list_of_runs_has_the_files_and_the_date_of_an_imported_one) {
  RunView run = samples::imported().details.run;
  const std::string text = runs_text(samples::terminal(120), std::vector{run}, false, false);
  EXPECT_NE(text.find("hsr.dat"), std::string::npos) << text;
  EXPECT_NE(text.find("yesterday"), std::string::npos) << "not when it was imported";
}

TEST(FunctionPages, of_one_function) {
  ShowView view = samples::ring();
  ProfileDetails& details = *view.functions;
  details.functions.resize(1);
  details.profile.functions = 1;
  details.profile.corrected_self_ns = details.functions[0].corrected_self_ns;
  view.trace->trace.functions = 1;
  const std::string text = page(view);
  expect_golden("show_function_80.txt", text);
  EXPECT_EQ(text.find("more: --functions"), std::string::npos);
  EXPECT_NE(text.find("100 %"), std::string::npos);
}

TEST(FunctionPages, without_a_call_say_so) {
  ShowView view = samples::ring();
  view.functions->functions.clear();
  view.functions->profile = {};
  view.functions->profile.functions = 0;
  view.trace->events.clear();
  const std::string text = page(view);
  EXPECT_NE(text.find("73 functions traced, no whole call of them"), std::string::npos) << text;
  EXPECT_NE(text.find("no call ended within the trace"), std::string::npos) << text;
  EXPECT_EQ(text.find("not whole"), std::string::npos) << text;
}

TEST(FunctionPages, of_calls_that_all_stayed_open_say_so) {
  ShowView view = samples::ring();
  view.functions->functions.clear();
  view.functions->profile = {};
  view.functions->profile.functions = 0;
  view.functions->profile.open_at_end = 4;
  const std::string text = page(view);
  EXPECT_NE(text.find("no call ended within the trace"), std::string::npos) << text;
  EXPECT_NE(text.find("4 calls had not ended with the trace"), std::string::npos) << text;
}

// The daemon sorts by the raw self time, but all lists of the page by the corrected one.
TEST(FunctionPages, have_one_order_of_functions_whatever_the_daemons_is) {
  const ShowView view = listing();
  ShowView reversed = view;
  std::ranges::reverse(reversed.functions->functions);
  std::ranges::reverse(reversed.functions->slices);
  EXPECT_EQ(page(reversed), page(view));
}

TEST(FunctionPages, less_than_the_tracers_cost_is_not_nothing) {
  ShowView view = samples::ring();
  view.function_lists.functions = true;
  const std::string text = show_text(samples::pipe(), view);
  const std::size_t line = text.find("hsr_is_node_in_db");
  ASSERT_NE(line, std::string::npos);
  EXPECT_NE(text.substr(line, text.find('\n', line) - line).find("~0"), std::string::npos);
}

TEST(FunctionPages, what_is_unknown_is_never_zero) {
  ShowView view = samples::imported();
  view.trace = TraceDetails{};
  view.details.run.trace_events.reset();
  view.details.run.trace_lost.reset();
  view.functions = ProfileDetails{};
  view.functions->functions.emplace_back().function = "hsr_dev_xmit";
  view.functions->slices.emplace_back().function = "hsr_dev_xmit";
  view.functions->edges.push_back({});
  view.functions->tree.emplace_back().function = "hsr_dev_xmit";
  view.functions->builds.push_back({});
  view.function_lists = {.functions = true, .tree = true, .callers = true};
  view.trace_lists.over_time = true;
  const std::string text = page(view);
  expect_golden("show_functions_unknown_80.txt", text);
  std::istringstream words{text};
  for (std::string word; words >> word;) EXPECT_NE(word, "0") << text;
}

TEST(FunctionPages, of_calls_without_an_end_have_no_column_of_a_time) {
  ShowView view = samples::imported();
  ProfileDetails& details = *view.functions;
  details.profile.timed = false;
  details.profile.self_ns.reset();
  details.profile.sleep_in_recorded.reset();
  details.profile.off_cpu_known.reset();
  details.edges.clear();
  for (FunctionStatsView& function : details.functions) {
    FunctionStatsView untimed;
    untimed.function = function.function;
    untimed.hits = untimed.roots = function.hits;
    function = untimed;
  }
  for (FunctionSlicesView& function : details.slices) function.self_ns.reset();
  for (CallNodeView& node : details.tree) node.total_ns = node.self_ns = {};
  view.function_lists = {.functions = true, .tree = true, .callers = true};
  view.trace_lists.over_time = true;
  const std::string text = page(view);
  EXPECT_NE(text.find("not known: the function tracer"), std::string::npos) << text;
  EXPECT_NE(text.find("hsr_get_node"), std::string::npos);
  for (const char* word : {" ns", " ms", "p99", "ns/", "self time", "asleep"})
    EXPECT_EQ(text.find(word), std::string::npos) << word << "\n" << text;
}

TEST(FunctionPages, no_line_is_wider_than_the_terminal) {
  for (const std::size_t width : {60U, 80U, 100U, 140U}) {
    std::istringstream lines{page(listing(), width) + page(samples::ring_damaged(), width) +
                             page(samples::mixed(), width) + page(samples::imported(), width)};
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), width) << line;
  }
}

TEST(FunctionPages, a_pipe_has_no_bars_and_a_terminal_without_glyphs_ascii) {
  EXPECT_EQ(show_text(samples::pipe(), samples::ring()).find("%  █"), std::string::npos);
  EXPECT_NE(page(samples::ring(), 120).find("%  █"), std::string::npos);
  Screen screen = samples::terminal(100);
  screen.glyphs = false;
  for (const char c : show_text(screen, listing())) ASSERT_LT(static_cast<unsigned char>(c), 0x80);
}

TEST(FunctionPages, a_tree_on_a_terminal_leaves_out_what_took_next_to_nothing) {
  ShowView view = samples::ring();
  view.function_lists.tree = true;
  EXPECT_EQ(page(view).find("hsr_is_node_in_db"), std::string::npos);
  EXPECT_NE(page(view).find("paths below 0.1 % each: -o json has all"), std::string::npos) << page(view);
  EXPECT_NE(show_text(samples::pipe(), view).find("hsr_is_node_in_db"), std::string::npos);
}

TEST(FunctionPages, a_tree_is_never_longer_than_a_person_reads) {
  ShowView view = samples::ring();
  view.function_lists.tree = true;
  const CallNodeView child = view.functions->tree[1];
  for (int i = 0; i < 1'000; ++i) view.functions->tree.insert(view.functions->tree.begin() + 1, child);
  std::istringstream lines{page(view)};
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) ++count;
  EXPECT_LT(count, 300U);
}

TEST(FunctionPages, lists_of_functions_of_a_run_without_any_say_so) {
  ShowView view = samples::traced();
  view.function_lists.tree = true;
  EXPECT_NE(page(view).find("No functions were traced in this run"), std::string::npos);
  view.function_lists = {};
  EXPECT_EQ(page(view).find("No functions were traced"), std::string::npos);
}

TEST(FunctionPages, show_the_next_commands_of_functions) {
  EXPECT_NE(page(samples::ring())
                .find("  next: netperfctl show 43 --tree\n        netperfctl show 43 "
                      "--over-time\n        netperfctl export 43\n"),
            std::string::npos);
  ShowView view = samples::ring();
  view.details.run.documents->pop_back();
  EXPECT_EQ(page(view).find("export"), std::string::npos) << "no recording, no export";
}

TEST(FunctionPages, strings_of_the_daemon_cannot_steer_the_terminal) {
  const std::string evil = "\x1b[31m\xc2\x9b\xe2\x80\xae";
  ShowView view = listing();
  ProfileDetails& details = *view.functions;
  details.functions[0].function = evil;
  details.functions[0].module = evil;
  details.slices[0].function = evil;
  details.edges[0].caller = evil;
  details.tree[0].function = evil;
  details.builds[1].module = evil;
  details.builds[1].build_id = evil;
  details.profile.packet_device = evil;
  details.profile.calibration_entry_ns.reset();
  details.profile.not_calibrated = evil;
  const std::string text = page(view);
  for (const char* steering : {"\x1b", "\xc2\x9b", "\xe2\x80\xae"})
    EXPECT_EQ(text.find(steering), std::string::npos);
}

TEST(FunctionDocuments, as_json) {
  expect_golden("show_functions.json", show_json(samples::ring()));
  ShowView view = samples::mixed();
  view.function_lists = {.functions = true, .tree = true, .callers = true};
  view.trace_lists.over_time = true;
  view.functions->slices = {samples::ring().functions->slices.front()};
  expect_golden("show_function_lists.json", show_json(view));
  expect_golden("show_imported.json", show_json(samples::imported()));
  expect_golden("imported.json",
                imported_json(std::array{
                    ImportedView{51, {"client.json", "trace.dat"}, {{"imported", "brought along"}}},
                    ImportedView{52, {"trace"}, {}}}));
  expect_golden("exported.json", exported_json(43, "text", "run43.txt", 214'748'364));
}

TEST(FunctionDocuments, as_csv_are_the_list_that_was_asked_for) {
  ShowView view = samples::ring();
  std::string text;
  for (bool FunctionLists::* list :
       {&FunctionLists::functions, &FunctionLists::tree, &FunctionLists::callers}) {
    view.function_lists = {};
    view.function_lists.*list = true;
    text += show_csv(view);
  }
  expect_golden("show_functions.csv", text);
  view.functions->slices.resize(2);
  view.function_lists = {.functions = true, .tree = false, .callers = false};
  view.trace_lists.over_time = true;
  expect_golden("show_function_slices.csv", show_csv(view));
}

TEST(FunctionDocuments, as_csv_of_an_imported_run_are_its_functions) {
  EXPECT_TRUE(show_csv(samples::imported()).starts_with("run,function,module,duplicate,hits,"));
}

}  // namespace
}  // namespace netperfctl
