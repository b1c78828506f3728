// SPDX-License-Identifier: GPL-2.0-or-later
// A run's function profile, read by callers.
#include <gmock/gmock.h>

#include <map>
#include <stdexcept>

#include "daemon/bus/rows/wire_functions.hpp"
#include "tests/unit/bus/functions_fixture.hpp"
#include "tests/unit/bus/row_values.hpp"

namespace netperfd::bus {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

constexpr const char* kLists[] = {"ListFunctionProfile", "ListFunctionSlices", "ListCallEdges",
                                  "ListCallTree"};

TEST_F(Functions, a_profile_comes_with_every_figure_of_its_record) {
  const auto answered = get_profile();
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& [profile, builds] = answered.values;
  EXPECT_THAT(
      keys_of(profile),
      UnorderedElementsAre("functions", "edges", "nodes", "hits", "timed", "self_ns", "corrected_self_ns",
                           "slice_s", "depth", "sleep_in_recorded", "off_cpu_known", "calibration_entry_ns",
                           "calibration_callee_ns", "calibration_calls", "goodput_bytes", "packets",
                           "packet_bytes", "packet_device", "packet_netns", "packet_direction",
                           "open_at_start", "open_at_end", "unmatched_exits", "unmatched_entries",
                           "over_losses", "depth_overruns", "clipped", "out_of_order", "tree_overflow"));
  EXPECT_EQ(number_at(profile, "functions"), 2U);
  EXPECT_EQ(number_at(profile, "edges"), 1U);
  EXPECT_EQ(number_at(profile, "nodes"), 5U);
  EXPECT_EQ(number_at(profile, "hits"), 30U);
  EXPECT_EQ(number_at(profile, "self_ns"), 9'000U);
  EXPECT_EQ(number_at(profile, "corrected_self_ns"), 6'000U);
  EXPECT_DOUBLE_EQ(real_at(profile, "slice_s"), 0.05);
  EXPECT_EQ(small_at(profile, "depth"), 3U);
  EXPECT_FALSE(profile.at("sleep_in_recorded").get<bool>());
  EXPECT_TRUE(profile.at("timed").get<bool>());
  EXPECT_TRUE(profile.at("off_cpu_known").get<bool>());
  EXPECT_DOUBLE_EQ(real_at(profile, "calibration_entry_ns"), 38.5);
  EXPECT_DOUBLE_EQ(real_at(profile, "calibration_callee_ns"), 91.25);
  EXPECT_EQ(number_at(profile, "calibration_calls"), 20'000U);
  EXPECT_EQ(number_at(profile, "goodput_bytes"), 100'000U);
  EXPECT_EQ(number_at(profile, "packets"), 5U);
  EXPECT_EQ(number_at(profile, "packet_bytes"), 101'000U);
  EXPECT_EQ(text_at(profile, "packet_device"), "veth0");
  EXPECT_EQ(text_at(profile, "packet_netns"), "a");
  EXPECT_EQ(text_at(profile, "packet_direction"), "tx");
  std::uint64_t expected = 0;
  for (const char* key : {"open_at_start", "open_at_end", "unmatched_exits", "unmatched_entries",
                          "over_losses", "depth_overruns", "clipped", "out_of_order", "tree_overflow"}) {
    EXPECT_EQ(number_at(profile, key), ++expected) << key;
  }

  ASSERT_EQ(builds.size(), 2U);
  EXPECT_THAT(keys_of(builds[0]), UnorderedElementsAre("release", "build_id"));
  EXPECT_EQ(text_at(builds[0], "release"), "6.12.1");
  EXPECT_EQ(text_at(builds[0], "build_id"), "c0ffee");
  EXPECT_THAT(keys_of(builds[1]), UnorderedElementsAre("module", "build_id", "srcversion"));
  EXPECT_EQ(text_at(builds[1], "module"), "hsr");
  EXPECT_EQ(text_at(builds[1], "srcversion"), "A1");
}

TEST_F(Functions, what_a_profile_does_not_know_has_no_key) {
  queries.stored_profile = FunctionProfile{};
  queries.stored_profile->not_calibrated = "there was no function to calibrate with";
  queries.stored_profile->off_cpu_known = false;
  queries.stored_traffic = {};
  const auto answered = get_profile();
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& profile = std::get<0>(answered.values);
  for (const char* key :
       {"corrected_self_ns", "slice_s", "depth", "calibration_entry_ns", "calibration_callee_ns",
        "calibration_calls", "goodput_bytes", "packets", "packet_bytes", "packet_device", "packet_netns",
        "packet_direction", "builds_left_out", "sleep_in_recorded"}) {
    EXPECT_FALSE(profile.contains(key)) << key;
  }
  EXPECT_EQ(text_at(profile, "not_calibrated"), "there was no function to calibrate with");
  EXPECT_FALSE(profile.at("off_cpu_known").get<bool>());
}

TEST_F(Functions, packets_of_the_host_have_no_network_namespace) {
  queries.stored_traffic.packets =
      PacketCount{.device = "eth0", .netns = "", .sent = false, .packets = 0, .bytes = 0};
  const auto profile = std::get<0>(get_profile().values);
  EXPECT_FALSE(profile.contains("packet_netns"));
  EXPECT_EQ(text_at(profile, "packet_direction"), "rx");
  EXPECT_EQ(number_at(profile, "packets"), 0U) << "counted, and none";
  EXPECT_FALSE(rows_of("ListFunctionProfile").front().contains("calls_per_packet"));
}

TEST_F(Functions, a_function_comes_with_every_figure_of_its_record) {
  queries.stored_profile->functions.front().hits = 10'000;
  const auto rows = rows_of("ListFunctionProfile");
  ASSERT_EQ(rows.size(), 2U);
  const dbus::Row& row = rows[0];
  EXPECT_THAT(keys_of(row),
              UnorderedElementsAre("function", "module", "duplicate", "hits", "total_ns", "self_ns",
                                   "corrected_self_ns", "recorded_ns", "interrupted_ns", "off_cpu_ns",
                                   "callees", "interruptions", "roots", "interrupt_roots", "min_ns", "max_ns",
                                   "p50_ns", "p90_ns", "p99_ns", "p999_ns", "bucket_ns", "bucket_calls",
                                   "self_ns_per_byte", "calls_per_packet", "self_ns_per_call"));
  EXPECT_EQ(text_at(row, "function"), "hsr_rx");
  EXPECT_EQ(text_at(row, "module"), "hsr");
  EXPECT_EQ(small_at(row, "duplicate"), 2U);
  const std::map<const char*, std::uint64_t> figures{
      {"hits", 10'000},       {"total_ns", 9'000},     {"self_ns", 6'000},  {"corrected_self_ns", 5'000},
      {"recorded_ns", 9'500}, {"interrupted_ns", 300}, {"off_cpu_ns", 200}, {"callees", 20},
      {"roots", 8},           {"interrupt_roots", 7},  {"min_ns", 500},     {"max_ns", 1'900},
      {"p50_ns", 800},        {"p90_ns", 1'200},       {"p99_ns", 1'700},   {"p999_ns", 1'800},
      {"interruptions", 6}};
  for (const auto& [key, value] : figures) EXPECT_EQ(number_at(row, key), value) << key;
  EXPECT_DOUBLE_EQ(real_at(row, "self_ns_per_byte"), 0.05);
  EXPECT_DOUBLE_EQ(real_at(row, "calls_per_packet"), 2'000);
  EXPECT_DOUBLE_EQ(real_at(row, "self_ns_per_call"), 0.5);
  // Bucket 100: 32 times its shift of 2, and 36 steps of 4 ns.
  EXPECT_THAT(row.at("bucket_ns").get<std::vector<std::uint64_t>>(), ElementsAre(144));
  EXPECT_THAT(row.at("bucket_calls").get<std::vector<std::uint64_t>>(), ElementsAre(10));
}

TEST_F(Functions, no_percentile_is_told_that_less_than_ten_calls_lie_beyond_though_it_is_stored) {
  const auto told = [this](std::uint64_t hits) {
    queries.stored_profile->functions.front().hits = hits;
    const dbus::Row row = rows_of("ListFunctionProfile").front();
    std::string keys;
    for (const char* key : {"p50_ns", "p90_ns", "p99_ns", "p999_ns"}) {
      if (row.contains(key)) keys += std::string(key) + " ";
    }
    return keys;
  };
  EXPECT_EQ(told(19), "");
  EXPECT_EQ(told(99), "p50_ns ");
  EXPECT_EQ(told(999), "p50_ns p90_ns ");
  EXPECT_EQ(told(9'999), "p50_ns p90_ns p99_ns ");
}

TEST_F(Functions, what_is_not_known_of_a_function_has_no_key) {
  queries.stored_profile->functions.back().corrected_self_ns.reset();
  queries.stored_traffic = {};
  const dbus::Row row = rows_of("ListFunctionProfile").back();
  for (const char* key : {"module", "duplicate", "corrected_self_ns", "self_ns_per_byte", "calls_per_packet",
                          "p99_ns", "p999_ns", "bucket_ns", "bucket_calls"}) {
    EXPECT_FALSE(row.contains(key)) << key;
  }
  EXPECT_DOUBLE_EQ(real_at(row, "self_ns_per_call"), 150) << "from what is not corrected";
}

TEST_F(Functions, without_times_have_no_key_of_a_time) {
  queries.stored_profile->timed = false;
  for (FunctionStats& function : queries.stored_profile->functions) {
    FunctionStats untimed;
    untimed.name = function.name;
    untimed.module = function.module;
    untimed.duplicate = function.duplicate;
    untimed.hits = function.hits;
    untimed.slice_hits = function.slice_hits;
    function = untimed;
  }
  for (CallNode& node : queries.stored_profile->tree) node.total_ns = node.self_ns = std::nullopt;
  EXPECT_THAT(keys_of(rows_of("ListFunctionProfile").front()),
              UnorderedElementsAre("function", "module", "duplicate", "hits", "callees", "interruptions",
                                   "roots", "interrupt_roots", "calls_per_packet"));
  EXPECT_THAT(keys_of(rows_of("ListFunctionSlices").front()),
              UnorderedElementsAre("function", "module", "duplicate", "hits"));
  EXPECT_THAT(keys_of(rows_of("ListCallTree").front()),
              UnorderedElementsAre("depth", "function", "module", "duplicate", "in_interrupt", "hits"));
  const auto profile = std::get<0>(get_profile().values);
  EXPECT_FALSE(profile.at("timed").get<bool>());
  for (const char* key : {"self_ns", "corrected_self_ns", "sleep_in_recorded", "off_cpu_known"})
    EXPECT_FALSE(profile.contains(key)) << key;
}

TEST_F(Functions, slices_come_in_the_order_of_the_functions) {
  const auto rows = rows_of("ListFunctionSlices");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_THAT(keys_of(rows[0]), UnorderedElementsAre("function", "module", "duplicate", "hits", "self_ns"));
  EXPECT_EQ(text_at(rows[0], "function"), "hsr_rx");
  EXPECT_THAT(rows[0].at("hits").get<Numbers>(), ElementsAre(4, 0, 6));
  EXPECT_THAT(rows[0].at("self_ns").get<Numbers>(), ElementsAre(2'500, 0, 3'500));
  EXPECT_THAT(keys_of(rows[1]), UnorderedElementsAre("function", "hits", "self_ns"));
  EXPECT_TRUE(rows[1].at("hits").get<Numbers>().empty());
}

TEST_F(Functions, an_edge_names_its_caller_and_its_callee) {
  const auto rows = rows_of("ListCallEdges");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_THAT(keys_of(rows[0]), UnorderedElementsAre("caller", "caller_module", "caller_duplicate", "callee",
                                                     "hits", "total_ns"));
  EXPECT_EQ(text_at(rows[0], "caller"), "hsr_rx");
  EXPECT_EQ(text_at(rows[0], "caller_module"), "hsr");
  EXPECT_EQ(small_at(rows[0], "caller_duplicate"), 2U);
  EXPECT_EQ(text_at(rows[0], "callee"), "skb_clone");
  EXPECT_EQ(number_at(rows[0], "hits"), 20U);
  EXPECT_EQ(number_at(rows[0], "total_ns"), 3'000U);
  queries.stored_profile->edges = {{.caller = 1, .callee = 0, .hits = 1, .total_ns = 1}};
  EXPECT_THAT(
      keys_of(rows_of("ListCallEdges").front()),
      UnorderedElementsAre("caller", "callee", "callee_module", "callee_duplicate", "hits", "total_ns"));
}

TEST_F(Functions, a_node_says_how_deep_it_lies_also_on_a_page_that_begins_within_a_tree) {
  const auto rows = rows_of("ListCallTree");
  ASSERT_EQ(rows.size(), 5U);
  std::vector<std::uint32_t> depths;
  for (const dbus::Row& row : rows) depths.push_back(small_at(row, "depth"));
  EXPECT_THAT(depths, ElementsAre(0, 1, 2, 1, 0));
  EXPECT_THAT(keys_of(rows[0]), UnorderedElementsAre("depth", "function", "module", "duplicate",
                                                     "in_interrupt", "hits", "total_ns", "self_ns"));
  EXPECT_EQ(text_at(rows[0], "function"), "hsr_rx");
  EXPECT_TRUE(rows[0].at("in_interrupt").get<bool>());
  EXPECT_EQ(number_at(rows[0], "hits"), 7U);
  EXPECT_EQ(number_at(rows[0], "total_ns"), 70U);
  EXPECT_EQ(number_at(rows[0], "self_ns"), 40U);
  EXPECT_EQ(text_at(rows[1], "function"), "skb_clone");
  EXPECT_FALSE(rows[1].at("in_interrupt").get<bool>());
  const auto two = list("ListCallTree", "", 2);
  const auto part = list("ListCallTree", std::get<1>(two.values), 1);
  ASSERT_EQ(std::get<0>(part.values).size(), 1U);
  EXPECT_EQ(small_at(std::get<0>(part.values).front(), "depth"), 2U);
  EXPECT_EQ(std::get<2>(part.values), 5U);
}

TEST_F(Functions, a_page_begins_where_the_one_before_ended_and_the_last_one_says_so) {
  const auto first = list("ListFunctionProfile", "", 1);
  EXPECT_NE(std::get<1>(first.values), "");
  const auto second = list("ListFunctionProfile", std::get<1>(first.values), 5);
  EXPECT_EQ(std::get<1>(second.values), "");
  ASSERT_EQ(std::get<0>(second.values).size(), 1U);
  EXPECT_EQ(text_at(std::get<0>(second.values).front(), "function"), "skb_clone");
  for (const char* method : kLists) {
    for (const char* cursor : {"99", "18446744073709551615"}) {
      const auto beyond = list(method, cursor);
      EXPECT_EQ(beyond.error, "") << method;
      EXPECT_TRUE(std::get<0>(beyond.values).empty());
      EXPECT_EQ(std::get<1>(beyond.values), "");
      EXPECT_GT(std::get<2>(beyond.values), 0U);
    }
    for (const char* cursor : {"-1", "1 ", "1x", "18446744073709551616"}) {
      EXPECT_EQ(list(method, cursor).error, dbus::error::kInvalidArgument) << method << " " << cursor;
    }
  }
}

TEST_F(Functions, what_does_not_exist_is_not_found) {
  const auto expect_not_found = [&](std::uint64_t run) {
    EXPECT_EQ(get_profile(run).error, dbus::error::kNotFound) << run;
    for (const char* method : kLists) {
      EXPECT_EQ(list(method, "", 0, run).error, dbus::error::kNotFound) << method << " " << run;
    }
  };
  for (const std::uint64_t run : {std::uint64_t{0}, std::uint64_t{99}, ~std::uint64_t{0}})
    expect_not_found(run);
  queries.stored_profile.reset();
  expect_not_found(41);
}

TEST_F(Functions, everybody_may_read_them) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become other users";
  EXPECT_EQ(as({},
               [](sdbus::IProxy& manager) {
                 return outcome_of([&] {
                   manager.callMethod("GetFunctionProfile")
                       .onInterface(dbus::kManagerInterface)
                       .withArguments(std::uint64_t{41});
                   for (const char* method : kLists) {
                     manager.callMethod(method)
                         .onInterface(dbus::kManagerInterface)
                         .withArguments(std::uint64_t{41}, std::string{}, std::uint32_t{0});
                   }
                 });
               }),
            "ok");
}

}  // namespace
}  // namespace netperfd::bus
