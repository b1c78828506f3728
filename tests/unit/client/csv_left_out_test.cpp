// SPDX-License-Identifier: GPL-2.0-or-later
// CSV has no place for what did not fit into netperfd's answer, so netperfctl says it beside it.
#include <gmock/gmock.h>

#include <string>

#include "client/pages/render.hpp"
#include "tests/unit/client/compare_samples.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

TEST(CsvLeftOut, is_what_the_listed_rows_lack) {
  ShowView view = samples::traced();
  view.with_page = false;
  view.trace_lists = {};
  view.trace_lists.drops = true;
  EXPECT_EQ(left_out_of_csv(view), "");
  view.trace->trace.drops_left_out = 1234;
  view.trace->trace.marks_left_out = 5;
  EXPECT_EQ(left_out_of_csv(view), "not listed: 1,234 kinds of drops: too many for one answer of netperfd");
  view.trace_lists = {};
  view.trace_lists.marks = true;
  EXPECT_EQ(left_out_of_csv(view), "not listed: 5 marks: too many for one answer of netperfd");
  view.trace_lists = {};
  view.trace_lists.cpus = true;
  view.trace->trace.cpus_left_out = 6;
  EXPECT_EQ(left_out_of_csv(view), "not listed: 6 CPUs: too many for one answer of netperfd");
  view.trace_lists = {};
  view.trace_lists.over_time = true;
  view.trace->trace.slices_left_out = 7;
  EXPECT_EQ(left_out_of_csv(view), "not listed: 7 events over time: too many for one answer of netperfd");
  view.trace_lists.marks = true;
  EXPECT_THAT(left_out_of_csv(view), testing::HasSubstr("5 marks:")) << "the table of the marks is the CSV";
  view.trace_lists.marks = false;
  view.function_lists.functions = true;
  EXPECT_EQ(left_out_of_csv(view), "") << "the functions over time lack nothing";
  view.function_lists = {};
  view.trace_lists = {};
  EXPECT_EQ(left_out_of_csv(view), "");
  view.trace.reset();
  view.trace_lists.drops = true;
  EXPECT_EQ(left_out_of_csv(view), "");
}

TEST(CsvLeftOut, of_a_comparison_are_functions_unless_it_lists_figures) {
  CompareView view = samples::hash_table();
  EXPECT_EQ(left_out_of_csv(view), "");
  view.details.comparison.functions_left_out = 3;
  EXPECT_EQ(left_out_of_csv(view), "not listed: 3 functions: too many for one answer of netperfd");
  view.asked.figures = {"received"};
  view.details.comparison.figures.emplace();
  EXPECT_EQ(left_out_of_csv(view), "");
}

}  // namespace
}  // namespace netperfctl
