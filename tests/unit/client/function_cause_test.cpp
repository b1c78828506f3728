// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/function_cause.hpp"

#include <gmock/gmock.h>

#include <string>

#include "client/pages/comparison_tables.hpp"
#include "client/pages/found_rows.hpp"

namespace netperfctl::comparing {
namespace {

using netperfd::rows::is_found;

FunctionDeltaView small_function() {
  FunctionDeltaView row;
  row.function = "hsr_dev_xmit";
  row.match = "same";
  row.cost_a = 0.25;
  row.cost_b = 0.52;
  row.shift = 0.27;
  row.low = 0.01;  // of it alone
  row.high = 0.53;
  row.p_adjusted = 0.4;
  row.together_low = -0.2;
  row.together_high = 0.74;
  row.call_time_a = 316;
  row.call_time_b = 663;
  row.call_time_shift = 347;
  row.call_time_low = 330;
  row.call_time_high = 364;
  row.call_time_p_adjusted = 0.031;
  row.calls_a = row.calls_b = 0.000'8;
  row.calls_shift = 0;
  row.calls_low = -0.000'01;
  row.calls_high = 0.000'01;
  row.calls_p_adjusted = 1;
  row.shown_by = "call time";
  row.shown_least = 0.26;
  return row;
}

CompareView view_of(const FunctionDeltaView& row) {
  CompareView view;
  FunctionDeltaView other;
  other.function = "hsr_forward_skb";
  other.cost_b = 51.48;
  view.details.functions = {row, other};
  return view;
}

TEST(FunctionCause, of_a_small_function_is_the_time_of_a_call_and_how_little_that_is) {
  const FunctionDeltaView row = small_function();
  EXPECT_EQ(cause_words(view_of(row), row),
            "a call 316 -> 663 ns (+330 to +364, p adj. 0.031); 1.0 % of the functions' time");
  EXPECT_TRUE(is_found(traced_finding(row)));
  EXPECT_EQ(shown_interval(row).first, -0.2) << "that of the adjusted p, not that of the function alone";
}

// An interval and its p that do not fit beside the name are below it.
TEST(FunctionCause, is_whole_on_a_narrow_page) {
  CompareView view = view_of(small_function());
  view.details.functions.front().share = 0.96;
  std::string words = functions_table({.width = 72}, view);
  for (std::size_t at = 0; (at = words.find('\n', at)) != std::string::npos;) words[at] = ' ';
  for (std::size_t at = 0; (at = words.find("  ", at)) != std::string::npos;) words.erase(at, 1);
  EXPECT_THAT(words, testing::HasSubstr(
                         "a call 316 -> 663 ns (+330 to +364, p adj. 0.031); 1.0 % of the functions' time"));
}

TEST(FunctionCause, of_none_that_is_shown_says_of_how_many) {
  FunctionDeltaView row = small_function();
  row.shown_by.reset();
  row.shown_least.reset();
  row.call_time_p_adjusted = 0.4;
  row.detectable = 0.9;
  CompareView view = view_of(row);
  view.details.comparison.tested = 12;
  view.details.comparison.few_calls = 1;
  EXPECT_THAT(not_found_words(view),
              testing::StartsWith("none of 12 tested differs beyond chance; a change"));
  EXPECT_THAT(not_found_words(view), testing::EndsWith("; 1 function was not tested, with too few calls"));
  view.details.comparison.few_calls = 2;
  EXPECT_THAT(not_found_words(view), testing::HasSubstr("2 functions were not tested"));
}

TEST(FunctionCause, names_each_factor_that_is_shown) {
  FunctionDeltaView row = small_function();
  row.calls_b = 0.001'6;
  row.calls_low = 0.000'7;
  row.calls_high = 0.000'9;
  row.calls_p_adjusted = 0.031;
  EXPECT_THAT(cause_words(view_of(row), row),
              testing::HasSubstr("a call 316 -> 663 ns (+330 to +364, p adj. 0.031), calls a MB 800 -> 1,600 "
                                 "(+700 to +900, p adj. 0.031)"));
}

TEST(FunctionCause, is_the_larger_factor_if_only_the_cost_is_shown) {
  FunctionDeltaView row = small_function();
  row.shown_by = "cost";
  row.call_time_p_adjusted = 0.2;
  row.ns_per_call_a = 316;
  row.ns_per_call_b = 400;
  EXPECT_EQ(cause_words(view_of(row), row), "a call 316 -> 400 ns");
}

TEST(FunctionCause, of_an_older_daemon_has_its_only_interval) {
  FunctionDeltaView row = small_function();
  row.calls_p_adjusted = row.call_time_p_adjusted = std::nullopt;
  row.shown_by = std::nullopt;
  row.shown_least = std::nullopt;
  row.p_adjusted = 0.031;
  EXPECT_EQ(shown_interval(row).first, 0.01);
  EXPECT_TRUE(is_found(traced_finding(row)));
}

}  // namespace
}  // namespace netperfctl::comparing
