// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/live_lines.hpp"

#include <algorithm>

namespace netperfd::workload {
namespace {

// What iperf3 prints of one stream in one interval takes less.
constexpr std::size_t kBytesOfStream = 1024;
constexpr std::size_t kBytesBeside = std::size_t{8} << 10;

// The lines of the start, of the end and of errors, and intervals that come late all at once.
constexpr std::uint64_t kBurst = 64;

}  // namespace

LiveLines::LiveLines(const TestSpec& asked)
    : interval_(std::max(asked.traffic.interval, std::chrono::milliseconds{1})),
      longest_(kBytesBeside + kBytesOfStream * asked.traffic.streams *
                                  (asked.traffic.direction == Direction::both ? 2U : 1U)) {}

bool LiveLines::may_parse(std::string_view line, Time now) {
  if (line.size() > longest_) return false;
  if (!first_) first_ = now;
  const auto due = static_cast<std::uint64_t>((now - *first_) / interval_) + kBurst;
  if (parsed_ >= due) return false;
  ++parsed_;
  return true;
}

}  // namespace netperfd::workload
