// SPDX-License-Identifier: GPL-2.0-or-later
// The counters of a run, read by callers.
#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/bus/bus_test.hpp"

namespace netperfd::bus {
namespace {

using testing::ElementsAre;

class CountersOnTheBus : public ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    if (IsSkipped()) return;
    queries.stored = {a_run(41)};
    queries.stored_counters.emplace();
    queries.stored_counters->deltas = {{"cpu", "", "busy", 900, "ns"},
                                       {"snmp", "left", "TcpRetransSegs", 17, ""}};
    TcpSample sample;
    sample.time = std::chrono::milliseconds{1'500};
    sample.local_port = 41'234;
    sample.remote_port = 5'201;
    sample.snd_cwnd = 10;
    sample.rtt_us = 85;
    sample.rttvar_us = 40;
    sample.retransmits = 3;
    sample.delivery_rate_bps = 1'000'000'000;
    queries.stored_counters->tcp = {sample};
    QueueSample queue;
    queue.time = std::chrono::milliseconds{2'500};
    queue.device = "wire";
    queue.kind = "fq_codel";
    queue.handle = "8001:";
    queue.parent = "root";
    queue.backlog_bytes = 30'280;
    queries.stored_counters->queues = {queue, queue};
    queries.stored_counters->unknown = {"perf: not available here: cycles"};
  }

  using CountersAnswer = Answered<dbus::Rows, std::string, std::uint64_t, std::vector<std::string>>;
  CountersAnswer list(const std::string& cursor = "", std::uint32_t limit = 0, std::uint64_t run = 41) {
    return client->call<dbus::Rows, std::string, std::uint64_t, std::vector<std::string>>("ListCounters", run,
                                                                                          cursor, limit);
  }
  Answered<dbus::Rows, std::string, std::uint64_t> samples(const std::string& cursor = "",
                                                           std::uint32_t limit = 0) {
    return client->call<dbus::Rows, std::string, std::uint64_t>("ListTcpSamples", std::uint64_t{41}, cursor,
                                                                limit);
  }
};

TEST_F(CountersOnTheBus, come_with_every_key_that_is_known) {
  const auto answered = list();
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& [rows, next, total, unknown] = answered.values;
  EXPECT_EQ(next, "");
  EXPECT_EQ(total, 2U);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].size(), 4U) << "it is of the whole machine";
  EXPECT_EQ(rows[0].at("source").get<std::string>(), "cpu");
  EXPECT_EQ(rows[0].at("delta").get<std::uint64_t>(), 900U);
  EXPECT_EQ(rows[0].at("unit").get<std::string>(), "ns");
  EXPECT_EQ(rows[1].at("netns").get<std::string>(), "left");
  EXPECT_EQ(rows[1].at("name").get<std::string>(), "TcpRetransSegs");
  EXPECT_FALSE(rows[1].contains("unit"));
  EXPECT_THAT(unknown, ElementsAre("perf: not available here: cycles"));
}

TEST_F(CountersOnTheBus, come_with_samples_of_tcp) {
  const auto answered = samples();
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& [rows, next, total] = answered.values;
  EXPECT_EQ(next, "");
  EXPECT_EQ(total, 1U);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_DOUBLE_EQ(rows[0].at("time_s").get<double>(), 1.5);
  EXPECT_EQ(rows[0].at("local_port").get<std::uint32_t>(), 41'234U);
  EXPECT_EQ(rows[0].at("remote_port").get<std::uint32_t>(), 5'201U);
  EXPECT_EQ(rows[0].at("snd_cwnd").get<std::uint32_t>(), 10U);
  EXPECT_EQ(rows[0].at("rtt").get<std::uint32_t>(), 85U);
  EXPECT_EQ(rows[0].at("rttvar").get<std::uint32_t>(), 40U);
  EXPECT_EQ(rows[0].at("retransmits").get<std::uint64_t>(), 3U);
  EXPECT_EQ(rows[0].at("delivery_bits_per_second").get<std::uint64_t>(), 1'000'000'000U);
  EXPECT_FALSE(rows[0].contains("pacing_bits_per_second")) << "nothing limits it";
}

TEST_F(CountersOnTheBus, come_with_samples_of_queues) {
  const auto page = [this](const std::string& cursor, std::uint32_t limit) {
    return client->call<dbus::Rows, std::string, std::uint64_t>("ListQueueSamples", std::uint64_t{41}, cursor,
                                                                limit);
  };
  const auto answered = page("", 1);
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& [rows, next, total] = answered.values;
  EXPECT_EQ(total, 2U);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].size(), 12U) << "it is in the host's own namespace";
  EXPECT_DOUBLE_EQ(rows[0].at("time_s").get<double>(), 2.5);
  EXPECT_EQ(rows[0].at("device").get<std::string>(), "wire");
  EXPECT_EQ(rows[0].at("backlog_bytes").get<std::uint64_t>(), 30'280U);
  EXPECT_EQ(rows[0].at("drops").get<std::uint64_t>(), 0U);
  EXPECT_EQ(std::get<0>(page(next, 5).values).size(), 1U);
  queries.stored_counters.reset();
  EXPECT_EQ(page("", 0).error, dbus::error::kNotFound);
}

TEST_F(CountersOnTheBus, of_a_large_machine_come_each_once_in_messages_below_a_mebibyte) {
  queries.stored_counters->deltas.clear();
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    queries.stored_counters->deltas.push_back({"ethtool", "left", std::string(1 + i % 90, 'x'), i, ""});
  }
  std::vector<std::uint64_t> seen;
  int pages = 0;
  std::string cursor;
  for (; (pages == 0 || !cursor.empty()) && pages < 100; ++pages) {
    const auto answered = list(cursor);
    ASSERT_EQ(answered.error, "") << answered.text;
    ASSERT_FALSE(std::get<0>(answered.values).empty());
    EXPECT_EQ(std::get<2>(answered.values), 20'000U);
    cursor = std::get<1>(answered.values);
    for (const dbus::Row& row : std::get<0>(answered.values))
      seen.push_back(row.at("delta").get<std::uint64_t>());
  }
  ASSERT_EQ(seen.size(), 20'000U);
  for (std::uint64_t i = 0; i < 20'000; ++i) ASSERT_EQ(seen.at(i), i);
  EXPECT_LT(pages, 30) << "pages are filled";
}

TEST_F(CountersOnTheBus, that_nobody_read_are_not_found) {
  queries.stored_counters.reset();
  EXPECT_EQ(list().error, dbus::error::kNotFound);
  EXPECT_EQ(samples().error, dbus::error::kNotFound);
  EXPECT_EQ(list("", 0, 99).error, dbus::error::kNotFound);
}

TEST_F(CountersOnTheBus, are_cut_to_the_limit_and_go_on_from_there) {
  const auto first = list("", 1);
  ASSERT_EQ(std::get<0>(first.values).size(), 1U);
  const auto answered = list(std::get<1>(first.values), 1);
  ASSERT_EQ(std::get<0>(answered.values).size(), 1U);
  EXPECT_EQ(std::get<0>(answered.values)[0].at("name").get<std::string>(), "TcpRetransSegs");
  EXPECT_EQ(std::get<1>(answered.values), "");
  EXPECT_TRUE(std::get<0>(list("7").values).empty());
  EXPECT_TRUE(std::get<0>(samples("1").values).empty());
  EXPECT_EQ(list("one").error, dbus::error::kInvalidArgument);
}

}  // namespace
}  // namespace netperfd::bus
