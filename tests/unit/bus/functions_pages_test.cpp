// SPDX-License-Identifier: GPL-2.0-or-later
// A function profile of any size arrives complete, page by page, and no message exceeds the limit.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "daemon/bus/rows/wire.hpp"
#include "tests/unit/bus/functions_fixture.hpp"

namespace netperfd::bus {
namespace {

class FunctionPages : public Functions {
 protected:
  // All rows, page by page; a page without rows before the end is a failure.
  dbus::Rows all_rows_of(const char* method, std::size_t& pages) {
    dbus::Rows rows;
    std::string cursor;
    std::uint64_t total = 0;
    pages = 0;
    do {
      const auto part = list(method, cursor);
      EXPECT_EQ(part.error, "") << part.text;
      if (part.error != "" || std::get<0>(part.values).empty()) break;
      EXPECT_LE(std::get<0>(part.values).size(), 2'000U);
      cursor = std::get<1>(part.values);
      total = std::get<2>(part.values);
      std::ranges::copy(std::get<0>(part.values), std::back_inserter(rows));
      ++pages;
    } while (!cursor.empty());
    EXPECT_EQ(rows.size(), total);
    return rows;
  }
};

// Names of all lengths, so that every padding occurs: if a size is estimated too low, the page becomes too
// large and the bus closes the connection. `hits` tells the rows apart.
FunctionProfile a_large_profile(std::size_t functions) {
  FunctionProfile profile;
  for (std::size_t i = 0; i < functions; ++i) {
    FunctionStats function = hsr_rx();
    function.name = i % 100 == 0 ? kHostile : std::string(1 + i % 1'100, 'f');
    function.module = std::string(i % 9, 'm');
    function.hits = i;
    profile.functions.push_back(std::move(function));
  }
  return profile;
}

TEST_F(FunctionPages, twenty_thousand_functions_come_each_once_in_messages_below_a_mebibyte) {
  queries.stored_profile = a_large_profile(20'000);
  std::size_t pages = 0;
  const dbus::Rows rows = all_rows_of("ListFunctionProfile", pages);
  ASSERT_EQ(rows.size(), 20'000U);
  for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(number_at(rows[i], "hits"), i);
  EXPECT_GT(pages, 10U);
  EXPECT_LT(pages, 50U) << "pages are filled";
}

TEST_F(FunctionPages, the_slices_of_many_functions_come_each_once_in_messages_below_a_mebibyte) {
  queries.stored_profile = a_large_profile(1'000);
  for (FunctionStats& function : queries.stored_profile->functions) {
    function.slice_hits.assign(600, function.hits);
    function.slice_self_ns.assign(600, 1);
  }
  std::size_t pages = 0;
  const dbus::Rows rows = all_rows_of("ListFunctionSlices", pages);
  ASSERT_EQ(rows.size(), 1'000U);
  for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i].at("hits").get<Numbers>().at(599), i);
  EXPECT_LT(pages, 20U) << "pages are filled";
}

TEST_F(FunctionPages, five_thousand_edges_come_each_once_in_messages_below_a_mebibyte) {
  queries.stored_profile = a_large_profile(1'000);
  for (std::uint32_t i = 0; i < 5'000; ++i) {
    queries.stored_profile->edges.push_back(
        {.caller = i % 1'000, .callee = i * 7 % 1'000, .hits = i, .total_ns = 1});
  }
  std::size_t pages = 0;
  const dbus::Rows rows = all_rows_of("ListCallEdges", pages);
  EXPECT_GT(pages, 5U);
  ASSERT_EQ(rows.size(), 5'000U);
  for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(number_at(rows[i], "hits"), i);
}

TEST_F(FunctionPages, five_thousand_nodes_come_each_once_in_messages_below_a_mebibyte) {
  queries.stored_profile = a_large_profile(1'000);
  for (std::uint32_t i = 0; i < 5'000; ++i) {
    CallNode node;
    if (i > 0) node.parent = i - 1;
    node.function = i % 1'000;
    node.hits = i;
    queries.stored_profile->tree.push_back(node);
  }
  std::size_t pages = 0;
  const dbus::Rows rows = all_rows_of("ListCallTree", pages);
  ASSERT_EQ(rows.size(), 5'000U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(number_at(rows[i], "hits"), i);
    ASSERT_EQ(small_at(rows[i], "depth"), i);
  }
}

TEST_F(FunctionPages, a_function_too_large_for_a_message_is_an_error_and_no_page_without_end) {
  queries.stored_profile->functions.front().slice_hits.assign(200'000, 1);
  EXPECT_EQ(list("ListFunctionSlices").error, dbus::error::kInternal);
  EXPECT_EQ(std::get<0>(list("ListFunctionSlices", "1").values).size(), 1U);
}

TEST_F(FunctionPages, builds_that_do_not_fit_are_counted) {
  const std::string text(2'000, 'x');
  queries.stored_profile->not_calibrated = std::string(100'000, 'x');
  queries.stored_profile->builds.assign(
      1'000, {.module = kHostile, .release = text, .build_id = text, .srcversion = text});
  const auto answered = get_profile();
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& [profile, builds] = answered.values;
  EXPECT_GT(builds.size(), 200U);
  EXPECT_EQ(builds.size() + number_at(profile, "builds_left_out"), 1'000U);
}

}  // namespace
}  // namespace netperfd::bus
