// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/echo/lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace netperfd::echo {
namespace {

TEST(EchoLines, start_says_what_is_probed) {
  ProbeOptions options;
  options.port = 7;
  options.limits.interval = 250 * kMillisecond;
  options.probes = {{.protocol = Protocol::udp, .rate = 100, .length = 64, .dscp = 46},
                    {.protocol = Protocol::icmp, .rate = 0.5, .length = 32, .dscp = {}}};
  EXPECT_EQ(
      start_line(options,
                 {.server = "10.0.0.2", .client = "10.0.0.1", .same_clock = true, .greeting = 400'000}),
      R"({"event":"start","version":1,"server":"10.0.0.2","port":7,"client":"10.0.0.1","same_clock":true,)"
      R"("timeout_ms":2000,"interval_ms":250,"greeting_s":0.0004,"probes":[)"
      R"({"protocol":"udp","rate":100,"length":64,"dscp":46},{"protocol":"icmp","rate":0.5,"length":32}]})"
      "\n");
}

TEST(EchoLines, an_interval_has_each_figure_under_its_name) {
  Interval interval{.phase = 1,
                    .start = kSecond,
                    .end = 2 * kSecond + 134'000,
                    .sent = 2,
                    .missed = 3,
                    .late_sends = 4,
                    .max_send_delay = 5,
                    .received = 6,
                    .lost = 7,
                    .late = 8,
                    .duplicates = 9,
                    .reordered = 10,
                    .jitter_sum = 11,
                    .jitter_count = 12,
                    .spans = {}};
  interval.spans[static_cast<std::size_t>(Span::round_trip)].add(100);
  interval.spans[static_cast<std::size_t>(Span::round_trip)].add(7);
  interval.spans[static_cast<std::size_t>(Span::there)].add(1);
  interval.spans[static_cast<std::size_t>(Span::back)].add(2);
  interval.spans[static_cast<std::size_t>(Span::queued)].add(3);
  EXPECT_EQ(
      interval_line(4, interval),
      R"({"event":"interval","probe":4,"phase":1,"start_s":1.0,"end_s":2.000134,"sent":2,"missed":3,)"
      R"("late_sends":4,"max_send_delay_ns":5,"received":6,"lost":7,"late":8,"duplicates":9,"reordered":10,)"
      R"("jitter_sum_ns":11,"jitter_count":12,"spans":{)"
      R"("round-trip":{"count":2,"sum_ns":107,"min_ns":7,"max_ns":100,"buckets":[[7,1],[82,1]]},)"
      R"("there":{"count":1,"sum_ns":1,"min_ns":1,"max_ns":1,"buckets":[[1,1]]},)"
      R"("back":{"count":1,"sum_ns":2,"min_ns":2,"max_ns":2,"buckets":[[2,1]]},)"
      R"("queued":{"count":1,"sum_ns":3,"min_ns":3,"max_ns":3,"buckets":[[3,1]]}}})"
      "\n");
}

TEST(EchoLines, the_others) {
  EXPECT_EQ(phase_line(2, 3 * kSecond + 5), "{\"event\":\"phase\",\"phase\":2,\"at_s\":3.000000005}\n");
  std::vector<RequestTracker> trackers(2, RequestTracker({}, Schedule(1)));
  trackers[1].foreign();
  EXPECT_EQ(
      end_line(trackers, 9 * kSecond),
      R"({"event":"end","at_s":9.0,"probes":[{"timestamps":"program","clock_steps":0,"foreign_packets":0},)"
      R"({"timestamps":"program","clock_steps":0,"foreign_packets":1}]})"
      "\n");
  EXPECT_EQ(error_line("a \"b\" \\ \n \xc3\xa4"),
            "{\"event\":\"error\",\"message\":\"a \\\"b\\\" \\\\ \\u000a \xc3\xa4\"}\n");
}

}  // namespace
}  // namespace netperfd::echo
