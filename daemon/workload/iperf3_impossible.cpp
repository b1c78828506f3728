// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3_impossible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "daemon/workload/iperf3_intervals.hpp"
#include "daemon/workload/quality_flags.hpp"

namespace netperfd::workload {
namespace {

constexpr double kFastest = 1e15;  // bits per second; no host has a thousandth of it
constexpr double kInaccuracy = 0.01;
constexpr double kMebibyte = 1'048'576;

// Segments have 100 bytes or more each, and what is in flight can be sent again when an interval has no
// bytes.
bool is_possible(std::uint64_t retransmits, std::uint64_t bytes) {
  constexpr std::uint64_t kInFlight = 1'000'000;
  return retransmits <= bytes / 100 + kInFlight;
}

template <class T>
void clear_if(bool impossible, std::optional<T>& value, const char* what, SetAside& aside) {
  if (!impossible || !value) return;
  aside.add(fmt::format("{} {}", *value, what));
  value.reset();
}

bool is_rate(double rate) {
  return rate >= 0 && rate <= kFastest;
}

// Both, since a wrong count makes the rate wrong.
void clear_bytes(std::optional<std::uint64_t>& bytes, std::optional<double>& rate, double seconds,
                 SetAside& aside) {
  if (bytes && seconds > 0 && !is_rate(8 * static_cast<double>(*bytes) / seconds)) {
    clear_if(true, bytes, "bytes", aside);
    rate.reset();
  }
  clear_if(rate && !is_rate(*rate), rate, "bits per second", aside);
}

// The length of the test, which no time that it measured exceeds.
double longest_of(const Iperf3Document& document, const TestSpec& asked) {
  constexpr double kLate = 60;  // a test that ends late, on a host that is busy
  double longest =
      in_seconds(asked.traffic.duration.value_or(std::chrono::milliseconds{0}) + asked.traffic.omit);
  if (!asked.traffic.duration) {
    for (const IntervalFigures& interval : document.intervals) {
      for (const Figures& sum : interval.sums) longest = std::max(longest, sum.end.value_or(0));
    }
  }
  return longest + kLate;
}

}  // namespace

void SetAside::flag(std::vector<QualityFlag>& flags) const {
  if (count_ == 0) return;
  add_flag(flags, Quality::impossible_figures,
           fmt::format("{} figure(s) cannot be and are taken as not known, first {}", count_, first_));
}

Possible::Possible(const Iperf3Document& document, const TestSpec& asked)
    : longest_s_(longest_of(document, asked)) {
  // What a socket's buffers on both sides hold at most, as kernels have them by default.
  const double omitted =
      asked.traffic.omit.count() > 0 ? (asked.traffic.protocol == Protocol::udp ? 4 : 32) : 0;
  const double block = std::max(static_cast<double>(document.block_bytes.value_or(0)), kMebibyte / 8);
  buffered_ = asked.traffic.streams * (omitted * kMebibyte + 2 * block);
  writes_ = asked.traffic.streams * 64 * kMebibyte;
}

void Possible::clear(Interval& interval, SetAside& aside) const {
  const double length_s = interval.end_s - interval.start_s;
  clear_bytes(interval.bytes, interval.bits_per_second, length_s, aside);
  clear_if(interval.retransmits && !is_possible(*interval.retransmits, interval.bytes.value_or(0)),
           interval.retransmits, "retransmits in an interval", aside);
  for (auto* rtt : {&interval.rtt, &interval.rttvar}) {
    clear_if(*rtt && static_cast<double>(**rtt) > 1e6 * longest_s_, *rtt, "us of round-trip time", aside);
  }
  clear_if(interval.jitter_ms && !(*interval.jitter_ms >= 0 && *interval.jitter_ms <= 1e3 * longest_s_),
           interval.jitter_ms, "ms of jitter in an interval", aside);
  clear_if(interval.packets && interval.lost_packets && *interval.lost_packets > 0 &&
               std::cmp_greater(*interval.lost_packets, *interval.packets),
           interval.lost_packets, "lost datagrams in an interval, more than it has", aside);
  if (!interval.lost_packets) interval.lost_percent.reset();
}

void Possible::clear(Totals& totals, SetAside& aside) const {
  clear_if(totals.seconds && !(*totals.seconds > 0 && *totals.seconds < 1e9), totals.seconds, "seconds",
           aside);
  const double seconds = totals.seconds.value_or(0);
  clear_bytes(totals.sent_bytes, totals.sent_bits_per_second, seconds, aside);
  clear_bytes(totals.received_bytes, totals.received_bits_per_second, seconds, aside);
  clear_if(totals.retransmits && !is_possible(*totals.retransmits, totals.sent_bytes.value_or(0)),
           totals.retransmits, "retransmits", aside);
  for (auto* rtt : {&totals.min_rtt, &totals.mean_rtt, &totals.max_rtt}) {
    clear_if(*rtt && static_cast<double>(**rtt) > 1e6 * longest_s_, *rtt, "us of round-trip time", aside);
  }
  clear_if(totals.jitter_ms && !(*totals.jitter_ms >= 0 && *totals.jitter_ms <= 1e3 * longest_s_),
           totals.jitter_ms, "ms of jitter", aside);
  clear_if(totals.packets && totals.lost_packets && *totals.lost_packets > 0 &&
               std::cmp_greater(*totals.lost_packets, *totals.packets),
           totals.lost_packets, "lost datagrams, more than were sent", aside);
  if (!totals.lost_packets) totals.lost_percent.reset();
}

bool Possible::is_received_too_much(std::uint64_t sent, std::uint64_t received) const {
  return static_cast<double>(received) > (1 + kInaccuracy) * static_cast<double>(sent) + buffered_;
}

bool Possible::is_received_too_little(std::uint64_t sent, std::uint64_t received) const {
  return received == 0 && static_cast<double>(sent) > writes_;
}

}  // namespace netperfd::workload
