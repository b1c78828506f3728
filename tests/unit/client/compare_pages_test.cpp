// SPDX-License-Identifier: GPL-2.0-or-later
// The page of a comparison, and its JSON and CSV output.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "client/pages/render.hpp"
#include "client/pages/witness_text.hpp"
#include "client/terminal/table.hpp"
#include "tests/unit/client/compare_samples.hpp"
#include "tests/unit/client/golden.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

using testing::HasSubstr;

std::string page(const CompareView& view, std::size_t width = 80) {
  return compare_text(samples::terminal(width), view);
}

// Imported, so the throughput is unknown: refused.
CompareView two_traces() {
  CompareView view = samples::hardly_known();
  view.details.comparison.verdict = "refused";
  view.details.comparison.not_attributed = "No run of A tells its throughput.";
  FunctionDeltaView& row = view.details.functions.emplace_back();
  row.function = "hsr_get_node";
  row.match = "same";
  row.ns_per_call_a = 13'075;
  row.ns_per_call_b = 938;
  return view;
}

TEST(ComparePages, an_improvement_is_explained_by_functions_counters_and_facts) {
  expect_golden("compare_improvement_80.txt", page(samples::hash_table()));
  expect_golden("compare_improvement_120.txt", page(samples::hash_table(), 120));
  expect_golden("compare_improvement_pipe.txt", compare_text(samples::pipe(), samples::hash_table()));
}

TEST(ComparePages, samples_are_shown_beside_the_trace) {
  expect_golden("compare_witness_80.txt", page(samples::witnessed()));
  expect_golden("compare_witness.json", compare_json(samples::witnessed()));
  CompareView all = samples::witnessed();
  all.all = true;
  EXPECT_TRUE(has(page(all), "copyin"));
}

TEST(ComparePages, a_function_on_which_samples_disagree_has_no_cause) {
  CompareView view = samples::witnessed();
  view.details.comparison.witness = "disagrees";
  view.details.functions.front().witness = "disagrees";
  const std::string text = page(view);
  EXPECT_FALSE(has(text, "a call 13,075 -> 938 ns")) << text;
  EXPECT_TRUE(has(text, "-17.90 to -16.50  disagrees")) << text;
  EXPECT_TRUE(has(text, "samples of the plain runs disagree with the trace on hsr_get_node")) << text;
  EXPECT_FALSE(has(text, "samples of the plain runs agree")) << text;
}

TEST(ComparePages, what_samples_cannot_tell_at_its_size_is_said_to_be_so) {
  CompareView view = samples::witnessed();
  FunctionDeltaView& row = view.details.functions.front();
  view.details.comparison.witness = row.witness = "unseen";
  row.shift = 0.27;
  row.sampled_a = row.sampled_b = row.sampled_shift = 0;
  row.sampled_low = -0.9;
  row.sampled_high = 0.9;
  row.sampled_p_adjusted.reset();
  const std::string silent = "samples of the plain runs do not show by themselves what the trace says";
  EXPECT_EQ(comparing::witness_words(view), silent) << "an older netperfd does not know what they can tell";
  EXPECT_EQ(comparing::trace_words(row), "not seen");
  row.sampled_detectable = 1.3;
  EXPECT_EQ(comparing::witness_words(view),
            "0.27 ns a byte of hsr_get_node is below what 16 runs of samples can tell, 1.30");
  EXPECT_EQ(comparing::trace_words(row), "too small to tell");
  EXPECT_TRUE(has(page(view, 200), "+0.27 in the trace is below what 16 runs of samples can tell, 1.30"))
      << page(view, 200);
  row.sampled_detectable = 0.2;
  EXPECT_EQ(comparing::witness_words(view), silent);
  EXPECT_EQ(comparing::trace_words(row), "not seen");
}

TEST(ComparePages, samples_alone_tell_where) {
  CompareView view = samples::witnessed();
  std::erase_if(view.details.functions, [](const FunctionDeltaView& row) { return !row.not_traced; });
  view.details.comparison.witness.reset();
  EXPECT_TRUE(has(page(view), "where, by samples of the plain runs")) << page(view);
  for (auto& row : view.details.functions) row.sampled_p_adjusted = 0.4;
  EXPECT_TRUE(has(page(view), "; none of 3 functions differs beyond chance"));
}

TEST(ComparePages, an_inconclusive_one_says_what_could_have_been_found) {
  const std::string text = page(samples::noisy());
  expect_golden("compare_inconclusive_80.txt", text);
  EXPECT_FALSE(has(text, "no change"));
}

TEST(ComparePages, where_no_counter_has_a_row_say_how_many_were_tested) {
  CompareView view = samples::noisy();
  view.details.counters.clear();
  EXPECT_TRUE(has(page(view), "counters: none of 58 moved"));
  view.details.comparison.counters_tested.reset();
  EXPECT_FALSE(has(page(view), "counters:"));
}

TEST(ComparePages, too_few_runs_still_show_what_differs) {
  expect_golden("compare_too_few_80.txt", page(samples::one_run_a_side()));
}

TEST(ComparePages, a_refused_one_lists_what_differs_and_shows_no_figure) {
  const std::string text = page(samples::offload_differs());
  expect_golden("compare_refused_80.txt", text);
  EXPECT_FALSE(has(text, "Mbit/s"));
}

TEST(ComparePages, a_refused_one_has_the_command_that_declares_what_differs) {
  CompareView view = samples::offload_differs();
  const auto next = [&view] { return compare_text(samples::one_line(), view); };
  EXPECT_THAT(next(), HasSubstr("next       netperfctl compare label:before label:after --changed "
                                "module:hsr,nic,cpu\n"))
      << "what was taken for the change counts no longer once something is declared";
  view.asked.changed = {"module:hsr"};
  view.command += " --changed module:hsr --figure received";
  EXPECT_THAT(next(), HasSubstr("--changed module:hsr --figure received --changed nic,cpu\n"));
  view.details.facts[1].group = "sysctl:net.core.a b";
  EXPECT_THAT(next(), HasSubstr("--changed 'sysctl:net.core.a b,cpu'\n"));
  view.asked.job = 33;
  view.command = "netperfctl compare job:33";
  EXPECT_THAT(next(),
              HasSubstr("next       netperfctl compare job:33 --changed 'sysctl:net.core.a b,cpu'\n"));
}

TEST(ComparePages, a_long_command_can_be_pasted_all_the_same) {
  CompareView view = samples::hash_table();
  view.command =
      "netperfctl compare 'label:the first of  two' 'label:it'\\''s the second' --figure received --figure "
      "latency.p99:5%";
  const std::string text = page(view);
  EXPECT_THAT(text, HasSubstr("  again      netperfctl compare 'label:the first of  two' \\\n"
                              "               'label:it'\\''s the second' --figure received \\\n"
                              "               --figure latency.p99:5%\n"))
      << text;
}

TEST(ComparePages, without_throughput_still_show_what_a_call_took) {
  CompareView view = two_traces();
  const std::string text = page(view);
  EXPECT_TRUE(has(text, "REFUSED")) << text;
  EXPECT_TRUE(has(text, "what a call of each function took itself")) << text;
  EXPECT_TRUE(has(text, "a call 13,075 -> 938 ns")) << text;
  EXPECT_FALSE(has(text, "--despite")) << "it would not help";
  EXPECT_TRUE(has(text, "  next       none: no verdict can be had from these runs\n")) << text;
  view.details.facts = samples::offload_differs().details.facts;
  EXPECT_FALSE(has(page(view), "hsr_get_node")) << "they may be what made the difference";
  view.asked.despite = true;
  EXPECT_TRUE(has(page(view), "hsr_get_node"));
  EXPECT_TRUE(has(page(view), "able to explain it")) << page(view);
}

TEST(ComparePages, despite_a_difference_the_verdict_is_marked_with_it) {
  const std::string text = page(samples::offload_despite());
  expect_golden("compare_despite_80.txt", text);
  EXPECT_TRUE(has(text, "REGRESSION despite nic, cpu"));
}

TEST(ComparePages, where_no_cpu_was_the_limit_the_functions_tell_no_story) {
  expect_golden("compare_not_cpu_bound_80.txt", page(samples::paced()));
}

TEST(ComparePages, of_one_boot_say_up_to_which_spread_of_boots_the_verdict_holds) {
  CompareView view = samples::hash_table();
  view.details.comparison.of_one = {{"boot"}};
  view.details.comparison.boot_spread = 0.325;
  EXPECT_TRUE(
      has(page(view, 160), "each side had one boot: another boot could undo it only if that alone changes"))
      << page(view, 160);
  view.details.comparison.boot_spread = 0;
  EXPECT_TRUE(has(page(view, 160), "each side had one boot: another boot could undo it")) << page(view, 160);
}

TEST(ComparePages, say_what_decided_where_the_interval_did_not) {
  CompareView view = samples::noisy();
  ComparisonView& head = view.details.comparison;
  head.verdict = "inconclusive";
  ComparedFigureView row;
  row.figure = head.figure;
  row.unit = "bits_per_second";
  row.better = "higher";
  row.verdict = "inconclusive";
  row.threshold = head.threshold.value_or(0);
  row.effect = head.effect;
  row.reach = head.reach;
  row.reason = "could be noise, up to 19 %";
  head.figures = {{row}};
  for (const std::string& text : {page(view), compare_mail(view)}) {
    EXPECT_TRUE(has(text, "could be noise, up to 19 %")) << text;
    EXPECT_FALSE(has(text, "neither a difference nor its absence")) << text;
  }
}

TEST(ComparePages, show_levels_as_far_apart_as_the_effect_says) {
  CompareView view = samples::noisy();
  view.details.comparison.effect.median_a = 268.5e6;
  view.details.comparison.effect.median_b = 268.8e6;
  view.details.comparison.effect.centre_a = 269.6e6;
  view.details.comparison.effect.centre_b = 267.6e6;
  view.details.comparison.effect.ratio = 0.9927;
  EXPECT_TRUE(has(page(view), "269.6 -> 267.6 Mbit/s   -0.73 %")) << page(view);
}

TEST(ComparePages, say_to_what_an_inconclusive_one_leans_and_why_it_is_no_verdict) {
  CompareView view = samples::noisy();
  ComparisonView& head = view.details.comparison;
  head.verdict = "inconclusive";
  head.leaning = "regression";
  head.effect.ratio = 0.98;
  head.effect.low = 0.945;
  head.effect.high = 0.9992;
  EXPECT_TRUE(has(page(view, 160), "INCONCLUSIVE, leaning to regression")) << page(view, 160);
  EXPECT_TRUE(has(page(view, 160), "more than chance, but not shown to be at least 1 %")) << page(view, 160);
  head.effect.high = 0.985;
  head.resolution = 1.04;
  EXPECT_TRUE(has(page(view, 160), "at least 1 % between these runs, but this host resolves 4.0 % at best"))
      << page(view, 160);
}

TEST(ComparePages, say_how_many_runs_have_each_value_of_a_fact) {
  CompareView view = samples::offload_differs();
  for (auto& fact : view.details.facts) {
    fact.a = {"6.1", "6.2"};
    fact.b = {"6.1", "6.2"};
    fact.runs_a = {9, 1};
    fact.runs_b = {1, 9};
  }
  EXPECT_TRUE(has(page(view), "6.1 (9 runs) or 6.2 (1 run) ->")) << page(view);
}

TEST(ComparePages, where_no_function_differs_say_what_would_have_been_found) {
  CompareView view = samples::hash_table();
  for (auto& function : view.details.functions) {
    if (function.p_adjusted) function.p_adjusted = 0.4;
  }
  EXPECT_TRUE(has(page(view), "a change of 1.80 ns a byte in hsr_get_node would")) << page(view);
}

TEST(ComparePages, without_functions_say_why) {
  CompareView view = samples::hash_table();
  view.details.functions.clear();
  view.details.comparison.not_attributed = "No functions were traced on either side.";
  view.details.comparison.explained.value = view.details.comparison.explained.low =
      view.details.comparison.explained.high = view.details.comparison.residual.value =
          view.details.comparison.traced_to_plain = std::nullopt;
  expect_golden("compare_no_functions_80.txt", page(view));
}

TEST(ComparePages, what_nobody_knows_has_no_line) {
  expect_golden("compare_unknown_80.txt", page(samples::hardly_known()));
}

TEST(ComparePages, fit_into_80_columns) {
  for (const CompareView& view :
       {samples::hash_table(), samples::noisy(), samples::one_run_a_side(), samples::offload_differs(),
        samples::offload_despite(), two_traces(), samples::paced(), samples::hardly_known()}) {
    EXPECT_LE(table_width(page(view)), 80U) << page(view);
  }
}

TEST(ComparePages, are_ascii_so_that_they_can_be_pasted_anywhere) {
  for (const CompareView& view : {samples::hash_table(), samples::noisy(), samples::one_run_a_side(),
                                  samples::offload_despite(), samples::paced()}) {
    const std::string text = compare_text(samples::pipe(), view);
    EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
        << text;
  }
}

TEST(ComparePages, cannot_steer_a_terminal) {
  CompareView view = samples::hash_table();
  view.asked.a = "label:\x1b[31m";
  view.command = "netperfctl compare \x1b[31m";
  view.details.comparison.labels_a.reset();
  view.details.comparison.caveats->push_back("\x1b[2J");
  view.details.functions[0].function = "\x1b[2J";
  view.details.facts[0].key = "\x1b[2J";
  EXPECT_FALSE(has(page(view), "\x1b"));
}

TEST(ComparePages, are_short_unless_all_is_asked_for) {
  CompareView view = samples::hash_table();
  const FunctionDeltaView one = view.details.functions[3];
  view.details.functions.insert(view.details.functions.end(), 20, one);
  EXPECT_TRUE(has(page(view), "...18 more functions: --all")) << page(view);
  EXPECT_FALSE(has(page(view), "NET_RX"));
  view.all = true;
  EXPECT_FALSE(has(page(view), "more functions")) << page(view);
  EXPECT_TRUE(has(page(view), "NET_RX"));
}

TEST(ComparePages, count_samples_in_their_unit_and_say_what_no_comparison_can_have) {
  struct Case {
    const char* pairing;
    const char *found, *beyond;  // of as many as fit, and one more
    std::uint32_t most;
  };
  const std::vector<Case> cases{
      {"blocks", "takes about 500 blocks; ", "501 blocks; a comparison has 500 blocks at most", 500},
      {"runs", "takes about 1,000 runs a side; ",
       "1,001 runs a side; a comparison has 1,000 runs a side at most", 1000},
      {"boots", "takes about 500 boots a side; ",
       "501 boots a side; a comparison has 500 boots a side at most", 500},
      {"boots of blocks", "takes about 500 boots; ", "501 boots; a comparison has 500 boots at most", 500},
      {"builds of blocks", "takes about 64 pairs of builds; ",
       "65 pairs of builds; a comparison has 64 pairs of builds at most", 64}};
  for (const Case& each : cases) {
    CompareView view = samples::noisy();
    view.details.comparison.pairing = each.pairing;
    auto& reach = view.details.comparison.reach;
    reach.needed = reach.needed_for_equivalence = each.most;
    std::string page = compare_text(samples::one_line(), view);
    EXPECT_THAT(page, HasSubstr(each.found));
    EXPECT_THAT(page, testing::Not(HasSubstr("at most")));
    reach.needed_for_equivalence = each.most + 1;
    page = compare_text(samples::one_line(), view);
    EXPECT_THAT(page, HasSubstr(each.beyond));
  }
}

TEST(ComparePages, that_have_too_few_samples_say_how_many_are_enough) {
  CompareView view = samples::one_run_a_side();
  EXPECT_THAT(compare_text(samples::one_line(), view),
              HasSubstr("too few to give an interval, which takes 4 runs a side: what differs is shown"));
  view.details.comparison.figures->front().pairing = "blocks";
  view.details.comparison.figures->front().fewest = 6;
  EXPECT_THAT(compare_text(samples::one_line(), view), HasSubstr("an interval, which takes 6 blocks: "));
  view.details.comparison.figures.reset();
  EXPECT_THAT(compare_text(samples::one_line(), view), HasSubstr("too few to give an interval: "))
      << "an older netperfd does not tell";
}

TEST(CompareDocuments, as_json_have_every_number) {
  expect_golden("compare.json", compare_json(samples::hash_table()));
  expect_golden("compare_refused.json", compare_json(samples::offload_differs()));
  const std::string json = compare_json(samples::hardly_known());
  expect_golden("compare_unknown.json", json);
  EXPECT_FALSE(has(json, "null"));
}

TEST(CompareDocuments, as_csv_have_the_functions) {
  expect_golden("compare.csv", compare_csv(samples::hash_table()));
}

TEST(ComparePages, judge_the_cpu_time_as_other_figures) {
  CompareView view = samples::hash_table();
  ComparisonView& head = view.details.comparison;
  ComparedFigureView& cpu = head.beside->front();
  const auto page = [&view] { return compare_text(samples::one_line(), view); };
  EXPECT_THAT(page(),
              HasSubstr("20.42 -> 2.63 ns a byte on all CPUs, -17.79 (-18.61 to -16.99): improvement\n"));
  EXPECT_THAT(page(), HasSubstr("less is better; changed by at least 1 %\n"));
  cpu.verdict = "inconclusive";
  cpu.leaning = "regression";
  cpu.effect.low = 1.001;
  cpu.effect.high = 1.02;
  cpu.reach.needed = 40;
  EXPECT_THAT(page(), HasSubstr(": inconclusive, leaning to regression\n"));
  EXPECT_THAT(page(), HasSubstr("finding 2 % to be at least 1 % takes about 40 runs a side\n"));
  head.cpu.part = "whole";
  EXPECT_THAT(page(),
              HasSubstr("(-18.61 to -16.99), with iperf3's start and end and what it omits: inconclusive"));
  cpu.verdict = "refused";
  EXPECT_THAT(page(), HasSubstr("CPU time   refused\n"));
  head.beside.reset();
  EXPECT_THAT(page(), HasSubstr("(-18.61 to -16.99), with iperf3's start and end and what it omits\n"))
      << "an older netperfd";
}

}  // namespace
}  // namespace netperfctl
