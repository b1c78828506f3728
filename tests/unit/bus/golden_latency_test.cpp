// SPDX-License-Identifier: GPL-2.0-or-later
// The rows of latency, written out by hand as in golden_rows_test.cpp.
#include <gmock/gmock.h>

#include "daemon/bus/rows/row_maker.hpp"
#include "tests/unit/bus/row_values.hpp"
#include "tests/unit/golden_latency.hpp"

namespace netperfd::bus {
namespace {

using testing::UnorderedElementsAre;

TEST(GoldenLatency, is_that_of_a_probe_and_of_a_phase) {
  const LatencyReport report = golden_latency();
  EXPECT_THAT(shown(to_wire(report.probes[0])),
              UnorderedElementsAre("name voice", "protocol tcp", "rate 250.5", "length 901", "dscp 46",
                                   "timestamps kernel", "clock_steps 902", "foreign_packets 903"));
  EXPECT_THAT(
      shown(to_wire(report.phases[0])),
      UnorderedElementsAre("probe voice", "phase load", "start_s 1.5", "end_s 2.25", "sent 911", "missed 912",
                           "late_sends 913", "max_send_delay_ns 914", "received 915", "lost 916", "late 917",
                           "duplicates 918", "reordered 919", "jitter_ns 920"));
}

TEST(GoldenLatency, is_that_of_a_span_an_interval_and_a_bucket) {
  const LatencyReport report = golden_latency();
  EXPECT_THAT(shown(to_wire(report.spans[0].figures)),
              UnorderedElementsAre("probe voice", "phase load", "span round-trip", "count 931", "min_ns 932",
                                   "mean_ns 933", "max_ns 934", "p50_ns 935", "p90_ns 936", "p99_ns 937",
                                   "p999_ns 938"));
  EXPECT_THAT(shown(to_wire(report.intervals[0])),
              UnorderedElementsAre("probe voice", "phase load", "start_s 1.75", "end_s 2.125", "sent 941",
                                   "missed 942", "received 943", "lost 944", "min_ns 945", "p50_ns 946",
                                   "p99_ns 947", "max_ns 948"));
  EXPECT_THAT(shown(to_wire(rows::LatencyBucket{951, 952, 953})),
              UnorderedElementsAre("from_ns 951", "to_ns 952", "count 953"));
}

}  // namespace
}  // namespace netperfd::bus
