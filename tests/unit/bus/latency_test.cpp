// SPDX-License-Identifier: GPL-2.0-or-later
// The latency of a run, read by callers.
#include <gmock/gmock.h>

#include <cstdint>
#include <string>

#include "tests/unit/bus/bus_test.hpp"
#include "tests/unit/golden_latency.hpp"

namespace netperfd::bus {
namespace {

class LatencyOnTheBus : public ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    if (IsSkipped()) return;
    queries.stored = {a_run(41)};
    queries.stored_latency = golden_latency();
    queries.stored_latency->spans[0].figures.count = 10'931;
    queries.stored_latency->intervals[0].received = 10'943;
  }
};

TEST_F(LatencyOnTheBus, has_probes_phases_and_spans) {
  const auto answered = client->call<dbus::Rows, dbus::Rows, dbus::Rows>("GetLatency", std::uint64_t{41});
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& [probes, phases, spans] = answered.values;
  ASSERT_EQ(probes.size(), 1U);
  EXPECT_EQ(probes[0].at("name").get<std::string>(), "voice");
  ASSERT_EQ(phases.size(), 1U);
  EXPECT_EQ(phases[0].at("sent").get<std::uint64_t>(), 911U);
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans[0].at("p99_ns").get<std::uint64_t>(), 937U);
}

TEST_F(LatencyOnTheBus, has_its_intervals_in_pages) {
  auto& intervals = queries.stored_latency->intervals;
  intervals.resize(5, intervals[0]);
  for (std::uint64_t i = 0; i < intervals.size(); ++i) intervals[i].sent = i;
  std::vector<std::uint64_t> sent;
  std::string cursor;
  do {
    const auto answered = client->call<dbus::Rows, std::string, std::uint64_t>(
        "ListLatencyIntervals", std::uint64_t{41}, cursor, std::uint32_t{2});
    ASSERT_EQ(answered.error, "") << answered.text;
    const auto& [rows, next, total] = answered.values;
    EXPECT_EQ(total, 5U);
    for (const dbus::Row& row : rows) sent.push_back(row.at("sent").get<std::uint64_t>());
    cursor = next;
  } while (!cursor.empty());
  EXPECT_THAT(sent, testing::ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(LatencyOnTheBus, has_no_percentile_that_less_than_ten_answers_lie_beyond_though_it_is_stored) {
  queries.stored_latency->spans[0].figures.count = 999;
  queries.stored_latency->intervals[0].received = 200;
  const auto answered = client->call<dbus::Rows, dbus::Rows, dbus::Rows>("GetLatency", std::uint64_t{41});
  ASSERT_EQ(answered.error, "") << answered.text;
  EXPECT_FALSE(std::get<2>(answered.values).at(0).contains("p99_ns"));
  const auto listed = client->call<dbus::Rows, std::string, std::uint64_t>(
      "ListLatencyIntervals", std::uint64_t{41}, std::string{}, std::uint32_t{2});
  ASSERT_EQ(listed.error, "") << listed.text;
  const dbus::Row& row = std::get<0>(listed.values).at(0);
  EXPECT_FALSE(row.contains("p99_ns"));
  EXPECT_EQ(row.at("p50_ns").get<std::uint64_t>(), 946U);
  EXPECT_EQ(row.at("max_ns").get<std::uint64_t>(), 948U);
}

TEST_F(LatencyOnTheBus, has_the_buckets_of_a_span) {
  const auto answered =
      client->call<dbus::Rows>("GetLatencyHistogram", std::uint64_t{41}, std::string("voice"),
                               std::string("load"), std::string("round-trip"));
  ASSERT_EQ(answered.error, "") << answered.text;
  const dbus::Rows& rows = std::get<0>(answered.values);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].at("from_ns").get<std::uint64_t>(), 40U);
  EXPECT_EQ(rows[0].at("to_ns").get<std::uint64_t>(), 41U);
  EXPECT_EQ(rows[0].at("count").get<std::uint64_t>(), 3U);
  // Bucket 300 = 32 * 8 + 44: from 44 << 8 on, 256 wide.
  EXPECT_EQ(rows[1].at("from_ns").get<std::uint64_t>(), 44U << 8U);
  EXPECT_EQ(rows[1].at("to_ns").get<std::uint64_t>(), 45U << 8U);
  const auto none = client->call<dbus::Rows>("GetLatencyHistogram", std::uint64_t{41}, std::string("voice"),
                                             std::string("idle"), std::string("round-trip"));
  EXPECT_THAT(none.error, testing::HasSubstr("NotFound"));
}

TEST_F(LatencyOnTheBus, of_a_run_without_probes_is_not_found) {
  queries.stored_latency.reset();
  const auto answered = client->call<dbus::Rows, dbus::Rows, dbus::Rows>("GetLatency", std::uint64_t{41});
  EXPECT_THAT(answered.error, testing::HasSubstr("NotFound"));
}

}  // namespace
}  // namespace netperfd::bus
