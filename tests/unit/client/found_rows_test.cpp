// SPDX-License-Identifier: GPL-2.0-or-later
// The order of functions in each format of a comparison.
#include "client/pages/found_rows.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/pages/render.hpp"
#include "client/report/report.hpp"
#include "tests/unit/client/compare_rows.hpp"
#include "tests/unit/client/compare_samples.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

using comparing::Finding;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using Names = std::vector<std::string>;

constexpr std::string_view kParting = "not beyond chance, or not tested:";

// As a trial had them: what was planted is the only one that is shown, and the smallest.
FunctionDeltaView traced(const char* name, double shift, double low, double high, std::optional<double> p) {
  FunctionDeltaView row;
  row.function = name;
  row.match = "same";
  row.cost_a = 20;
  row.cost_b = 20 + shift;
  row.shift = shift;
  row.low = low;
  row.high = high;
  row.p_adjusted = p;
  return row;
}

std::vector<FunctionDeltaView> trial() {
  return {traced("zq_reaches", 0.9, 0.0, 1.8, 0.12), traced("zq_contains", -0.7, -1.5, 0.1, 0.4),
          traced("zq_nearly", 0.5, 0.01, 0.9, 0.06), traced("zq_planted", 0.12, 0.08, 0.16, 0.031)};
}

FunctionDeltaView of_samples(FunctionDeltaView row) {
  row.not_traced = true;
  row.sampled_a = std::exchange(row.cost_a, {});
  row.sampled_b = std::exchange(row.cost_b, {});
  row.sampled_shift = std::exchange(row.shift, {});
  row.sampled_low = std::exchange(row.low, {});
  row.sampled_high = std::exchange(row.high, {});
  row.sampled_p_adjusted = std::exchange(row.p_adjusted, {});
  return row;
}

CompareView view_of(std::vector<FunctionDeltaView> rows) {
  CompareView view = samples::hash_table();
  view.details.functions = std::move(rows);
  return view;
}

CompareView sampled_trial() {
  std::vector<FunctionDeltaView> rows;
  for (FunctionDeltaView& row : trial()) rows.push_back(of_samples(row));
  return view_of(std::move(rows));
}

std::string without_backslashes(std::string text) {
  std::erase(text, '\\');
  return text;
}

std::string report_of(const CompareView& view) {
  report::Report report;
  report.compared = view;
  const std::string text = report::html(report);
  return text.substr(0, text.find("<script"));  // without its data
}

// All formats of a page.
std::vector<std::string> pages_of(const CompareView& view) {
  return {compare_text(samples::terminal(80), view),   compare_text(samples::terminal(40), view),
          compare_text(samples::pipe(), view),         compare_mail(view),
          without_backslashes(compare_markdown(view)), report_of(view)};
}

// The words that begin with "zq_", and the parting as "--", in the order in which they first occur.
Names order_in(std::string text) {
  for (std::size_t at = 0; (at = text.find(kParting, at)) != std::string::npos;)
    text.replace(at, kParting.size(), "zq_--");
  Names names;
  for (std::size_t at = 0; (at = text.find("zq_", at)) != std::string::npos; at += 3) {
    const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_-", at);
    std::string name = text.substr(at + 3, end - at - 3);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

TEST(FoundRows, show_first_what_is_shown_in_every_format_of_a_page) {
  for (const CompareView& view : {view_of(trial()), sampled_trial()}) {
    for (const std::string& page : pages_of(view))
      EXPECT_THAT(order_in(page), ElementsAre("planted", "--", "reaches", "contains", "nearly")) << page;
  }
}

TEST(FoundRows, are_by_the_end_nearest_to_0_and_then_by_size) {
  const std::vector<FunctionDeltaView> rows = {
      traced("zq_wide", 3.0, 0.1, 5.9, 0.031), traced("zq_small", 0.01, -0.5, 0.5, 1),
      traced("zq_less", -0.4, -0.6, -0.2, 0.05), traced("zq_untested", -2.0, 0, 0, {}),
      traced("zq_sure", 0.5, 0.4, 0.6, 0.01)};
  for (const std::string& page : pages_of(view_of(rows)))
    EXPECT_THAT(order_in(page), ElementsAre("sure", "less", "wide", "--", "untested", "small")) << page;
}

// A page has eight of them.
TEST(FoundRows, on_a_short_page_leave_out_what_is_not_shown) {
  std::vector<FunctionDeltaView> rows;
  for (int i = 0; i < 20; ++i) {
    FunctionDeltaView row = traced("zq_", 5, -1, 11, 0.4);
    row.function += static_cast<char>('a' + i);
    rows.push_back(row);
  }
  rows.push_back(traced("zq_planted", 0.12, 0.08, 0.16, 0.031));
  std::vector<FunctionDeltaView> sampled;
  for (const FunctionDeltaView& row : rows) sampled.push_back(of_samples(row));
  for (const CompareView& view : {view_of(rows), view_of(sampled)}) {
    for (const std::string& page : pages_of(view)) {
      const Names names = order_in(page);
      ASSERT_GE(names.size(), 9U) << page;
      EXPECT_EQ(names[0], "planted") << page;
      EXPECT_EQ(names[1], "--") << page;
    }
  }
}

// The trace does not show it, and has too little of it for a test.
TEST(FoundRows, of_the_samples_have_a_traced_function_that_only_they_show) {
  std::vector<FunctionDeltaView> rows = trial();
  for (FunctionDeltaView& row : rows) samples::give_samples(row, 20, 25, 6);
  rows.resize(3);
  rows.insert(rows.begin(), 9, rows.front());
  FunctionDeltaView shown = traced("zq_planted", 0.001, 0, 0, {});
  shown.low.reset();
  shown.high.reset();
  samples::give_samples(shown, 0.5, 0.7, 0.1);
  shown.sampled_p_adjusted = 0.031;
  rows.push_back(shown);
  for (const std::string& page : pages_of(view_of(rows)))
    EXPECT_EQ(order_in(page).front(), "planted") << page;
}

TEST(FoundRows, have_no_parting_where_there_is_one_group) {
  std::vector<FunctionDeltaView> none = trial(), all = trial();
  none.pop_back();
  for (FunctionDeltaView& row : all) row = traced(row.function.c_str(), 0.12, 0.08, 0.16, 0.031);
  for (const auto& rows : {none, all}) {
    for (const std::string& page : pages_of(view_of(rows)))
      EXPECT_THAT(page, Not(HasSubstr(std::string{kParting})));
  }
}

TEST(FoundRows, in_formats_for_programs_are_as_the_daemon_orders_them) {
  std::vector<FunctionDeltaView> rows = trial();
  std::ranges::rotate(rows, rows.end() - 1);
  const CompareView view = view_of(rows);
  for (const std::string& text : {compare_json(view), compare_csv(view)})
    EXPECT_THAT(order_in(text), ElementsAre("planted", "reaches", "contains", "nearly")) << text;
}

// The daemon's rows are read, not believed.
TEST(FoundRows, are_not_shown_by_figures_that_are_none) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const Finding shown{.shift = 2, .low = 1, .high = 3, .p_adjusted = 0.05};
  EXPECT_TRUE(netperfd::rows::is_found(shown));
  Finding odd = shown;
  odd.p_adjusted = kNan;
  EXPECT_FALSE(netperfd::rows::is_found(odd));
  odd = shown;
  odd.low = kNan;
  EXPECT_FALSE(netperfd::rows::is_found(odd));
  odd = shown;
  odd.high = -1;
  EXPECT_FALSE(netperfd::rows::is_found(odd)) << "its ends are of two signs";
  for (const double size : {kNan, kInfinite, -kInfinite}) {
    const Finding rest{.shift = size, .low = {}, .high = {}, .p_adjusted = {}};
    EXPECT_LT(netperfd::rows::rank_of(rest), netperfd::rows::rank_of(shown));
    EXPECT_EQ(netperfd::rows::rank_of(rest), netperfd::rows::rank_of({}));
  }
}

}  // namespace
}  // namespace netperfctl
