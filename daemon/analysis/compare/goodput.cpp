// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/goodput.hpp"

#include <algorithm>
#include <cmath>

namespace netperfd::analysis {
namespace {

// Share of the bytes sent in the counted part that arrived, if that is less than all.
double arrived_share(const Totals& sum) {
  if (!sum.sent_bytes || *sum.sent_bytes == 0) return 1;
  return std::min(1.0, static_cast<double>(*sum.received_bytes) / static_cast<double>(*sum.sent_bytes));
}

std::optional<std::uint64_t> omitted_bytes(const WorkloadReport& report, const Totals& sum) {
  std::uint64_t bytes = 0;
  for (const netperfd::Interval& interval : report.intervals) {
    if (!interval.omitted || interval.stream || interval.direction != sum.direction) continue;
    if (!interval.bytes) return std::nullopt;
    // iperf3 counts packets only for datagrams.
    const double share = interval.sender && interval.packets ? arrived_share(sum) : 1;
    bytes += static_cast<std::uint64_t>(std::llround(static_cast<double>(*interval.bytes) * share));
  }
  return bytes;
}

}  // namespace

std::optional<std::uint64_t> goodput_of(const WorkloadReport& report) {
  std::optional<std::uint64_t> goodput;
  for (const Totals& sum : report.sums) {
    if (!sum.received_bytes) return std::nullopt;
    const std::optional<std::uint64_t> omitted = omitted_bytes(report, sum);
    if (!omitted) return std::nullopt;
    goodput = goodput.value_or(0) + *sum.received_bytes + *omitted;
  }
  return goodput;
}

}  // namespace netperfd::analysis
