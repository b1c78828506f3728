// SPDX-License-Identifier: GPL-2.0-or-later
// Converts iperf3's intervals to the model's, adds them up, and checks them for defects.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/workload/iperf3/document.hpp"

namespace netperfd::workload {

[[nodiscard]] inline double in_seconds(std::chrono::milliseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

// Sums over the counted intervals (not omitted, not repeated) of one direction or one stream.
struct CountedPart {
  std::size_t intervals = 0;
  double covered_s = 0;    // up to the end of the last one, without gaps before it
  double last_byte_s = 0;  // the end of the last one that moved any bytes
  double quiet_s = 0;      // from then to the end of the last one
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> retransmits;
  std::optional<std::uint64_t> packets;
  std::optional<std::uint64_t> max_snd_cwnd, min_rtt, mean_rtt, max_rtt;  // for a sending stream
  double omitted_s = 0;
  std::uint64_t omitted_bytes = 0;
};

struct IntervalTotals {
  CountedPart send, receive;
  std::map<std::int64_t, CountedPart> streams;  // by socket number
};

// The direction of an interval or a stream. Only a bidirectional test has two, which its own `sender` tells;
// some versions print the wrong `sender` with -R.
[[nodiscard]] Direction direction_of(const Figures& figures, const TestSpec& asked);

// Absent if its times or bytes cannot be read.
[[nodiscard]] std::optional<Interval> to_interval(const Figures& figures, const TestSpec& asked);

// Fills the intervals and raises the flags for them.
[[nodiscard]] IntervalTotals read_intervals(const Iperf3Document& document, const TestSpec& asked,
                                            ParsedReport& parsed);

}  // namespace netperfd::workload
