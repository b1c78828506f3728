// SPDX-License-Identifier: GPL-2.0-or-later
// Counters are stored and read back.
#include <gmock/gmock.h>

#include <limits>
#include <string>
#include <utility>

#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

Counters some_counters() {
  Counters counters;
  counters.deltas = {{"cpu", "", "busy", 12'340'000'000, "ns"},
                     {"nic", "left", "veth0 tx_bytes", 1'000'000, "bytes"},
                     {"snmp", "left", "TcpRetransSegs", 0, ""}};
  TcpSample sample;
  sample.time = std::chrono::microseconds{500'123};
  sample.local_port = 65'535;
  sample.remote_port = 5'201;
  sample.snd_cwnd = 4'000'000'000;
  sample.rtt_us = 85;
  sample.rttvar_us = 40;
  sample.retransmits = 3;
  sample.delivery_rate_bps = 25'000'000'000;
  counters.tcp = {sample, sample};
  counters.tcp[1].time = std::chrono::seconds{1};
  counters.tcp[1].delivery_rate_bps.reset();
  counters.tcp[1].pacing_rate_bps = 50'000'000'000;
  QueueSample queue;
  queue.time = std::chrono::microseconds{500'124};
  queue.device = "wire";
  queue.netns = "left";
  queue.kind = "tbf";
  queue.handle = "1:";
  queue.parent = "root";
  queue.backlog_bytes = 123'456;
  queue.backlog_packets = 82;
  queue.sent_bytes = 5'000'000'000;
  queue.drops = 4;
  counters.queues = {queue, queue};
  counters.queues[1].kind = "pfifo";
  counters.queues[1].handle = "10:";
  counters.queues[1].parent = "1:1";
  counters.unknown = {"perf: not available here: cycles", "nic of right: it went away"};
  return counters;
}

class CounterStore : public StoreTest {
 protected:
  RunId store_counters(const std::optional<Counters>& counters) {
    const RunId run = run_under_way(a_job());
    RunRecord record = a_record(run, 1, 2);
    record.counters = counters;
    must(store->finish(record));
    return run;
  }
};

TEST_F(CounterStore, gives_back_what_was_counted) {
  open();
  const RunId other = store_counters(
      Counters{.deltas = {{"cpu", "", "busy", 1, "ns"}}, .tcp = {}, .queues = {}, .unknown = {}});
  const RunId run = store_counters(some_counters());
  EXPECT_EQ(must(store->counters(run)), some_counters());
  EXPECT_EQ(must(store->counters(other)).deltas.size(), 1U);
}

// By hand, as in golden_columns_test.cpp.
TEST_F(CounterStore, has_a_column_for_each_figure_of_a_queue) {
  open();
  Counters counters;
  counters.queues = {{.time = std::chrono::microseconds{711},
                      .device = "wire",
                      .netns = "left",
                      .kind = "tbf",
                      .handle = "1:",
                      .parent = "root",
                      .backlog_bytes = 712,
                      .backlog_packets = 713,
                      .sent_bytes = 714,
                      .sent_packets = 715,
                      .drops = 716,
                      .overlimits = 717,
                      .requeues = 718}};
  const RunId run = store_counters(counters);
  const std::pair<const char*, const char*> figures[] = {
      {"time_us", "711"},    {"device", "wire"},      {"netns", "left"},        {"kind", "tbf"},
      {"handle", "1:"},      {"parent", "root"},      {"backlog_bytes", "712"}, {"backlog_packets", "713"},
      {"sent_bytes", "714"}, {"sent_packets", "715"}, {"drops", "716"},         {"overlimits", "717"},
      {"requeues", "718"}};
  for (const auto& [name, value] : figures)
    EXPECT_EQ(ask(path(), std::string{"SELECT "} + name + " FROM queue_samples"), value) << name;
  EXPECT_EQ(must(store->counters(run)), counters);
}

TEST_F(CounterStore, tells_of_a_run_around_which_none_were_read) {
  open();
  const auto none = store->counters(store_counters({}));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::not_found);
  EXPECT_THAT(none.error().message, testing::HasSubstr("no counters were read"));
  EXPECT_EQ(store->counters(99).error().kind, ErrorKind::not_found);
}

TEST_F(CounterStore, cuts_a_drivers_number_that_it_cannot_hold) {
  open();
  Counters counters = some_counters();
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  counters.deltas[1].delta = kMost + 1;
  counters.tcp[0].delivery_rate_bps = kMost + 1;
  counters.queues[0].sent_bytes = kMost + 1;
  counters.queues[1].sent_packets = kMost + 1;
  const Counters stored = must(store->counters(store_counters(counters)));
  EXPECT_EQ(stored.deltas[1].delta, kMost);
  EXPECT_EQ(stored.tcp[0].delivery_rate_bps, kMost);
  EXPECT_EQ(stored.queues[0].sent_bytes, kMost);
  EXPECT_EQ(stored.queues[1].sent_packets, kMost);
}

TEST_F(CounterStore, forgets_counters_with_their_run) {
  open();
  must(store->remove(store_counters(some_counters())));
  close();
  for (const char* table : {"counters", "tcp_samples", "queue_samples", "counters_unknown"}) {
    EXPECT_EQ(ask(path(), std::string{"SELECT count(*) FROM "} + table), "0") << table;
  }
}

TEST_F(CounterStore, has_views_for_people) {
  open();
  store_counters(some_counters());
  close();
  EXPECT_EQ(ask(path(), "SELECT scenario || ' ' || delta || unit FROM counter_overview WHERE name = 'busy'"),
            "veth-tcp 12340000000ns");
  EXPECT_EQ(ask(path(),
                "SELECT group_concat(time_s || ' ' || ifnull(delivery_mbit_s, '-'), ', ') FROM tcp_overview"),
            "0.500123 25000.0, 1.0 -");
  EXPECT_EQ(ask(path(),
                "SELECT group_concat(time_s || ' ' || device || ' ' || kind || ' ' || backlog_kb, ', ') "
                "FROM queue_overview"),
            "0.500124 wire tbf 123.456");
}

}  // namespace
}  // namespace netperfd::store
