// SPDX-License-Identifier: GPL-2.0-or-later
// The latency of a run in which each figure has a value of its own, written out by hand.
#pragma once

#include "daemon/model/latency.hpp"

namespace netperfd {

inline LatencyReport golden_latency() {
  LatencyReport report;
  report.probes = {{.name = "voice",
                    .protocol = "tcp",
                    .rate = 250.5,
                    .length = 901,
                    .dscp = 46,
                    .timestamps = "kernel",
                    .clock_steps = 902,
                    .foreign_packets = 903}};
  report.phases = {{.probe = "voice",
                    .phase = "load",
                    .start_s = 1.5,
                    .end_s = 2.25,
                    .sent = 911,
                    .missed = 912,
                    .late_sends = 913,
                    .max_send_delay_ns = 914,
                    .received = 915,
                    .lost = 916,
                    .late = 917,
                    .duplicates = 918,
                    .reordered = 919,
                    .jitter_ns = 920}};
  report.spans = {{.figures = {.probe = "voice",
                               .phase = "load",
                               .span = "round-trip",
                               .count = 931,
                               .min_ns = 932,
                               .mean_ns = 933,
                               .max_ns = 934,
                               .p50_ns = 935,
                               .p90_ns = 936,
                               .p99_ns = 937,
                               .p999_ns = 938},
                   .histogram = {{{40, 3}, {300, 928}}}}};
  report.intervals = {{.probe = "voice",
                       .phase = "load",
                       .start_s = 1.75,
                       .end_s = 2.125,
                       .sent = 941,
                       .missed = 942,
                       .received = 943,
                       .lost = 944,
                       .min_ns = 945,
                       .p50_ns = 946,
                       .p99_ns = 947,
                       .max_ns = 948}};
  return report;
}

}  // namespace netperfd
