// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/impossible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "daemon/workload/iperf3/intervals.hpp"
#include "daemon/workload/quality_flags.hpp"

namespace netperfd::workload {
namespace {

constexpr double kFastest = 1e15;  // bits per second; no host has a thousandth of it
constexpr double kInaccuracy = 0.01;
constexpr double kMebibyte = 1'048'576;
constexpr double kLate = 60;  // seconds by which a test may end late, on a host that is busy

// Segments have 100 bytes or more each, and what is in flight can be sent again when an interval has no
// bytes.
bool is_possible(std::uint64_t retransmits, std::uint64_t bytes) {
  constexpr std::uint64_t kInFlight = 1'000'000;
  constexpr std::uint64_t kWrap = std::uint64_t{1} << 32U;  // a little below 0, in 32 bits
  if (retransmits < kWrap && retransmits >= kWrap - kInFlight) return false;
  return retransmits <= bytes / 100 + kInFlight;
}

// Segments and windows of TCP are smaller.
constexpr std::uint64_t kMostWindow = std::uint64_t{4'000'000'000};
constexpr std::uint64_t kMostUnit = std::uint64_t{1} << 20U;
constexpr double kMostPackets = 1e9;  // a second

template <class T>
void clear_if(bool impossible, std::optional<T>& value, const char* what, SetAside& aside) {
  if (!impossible || !value) return;
  aside.add([&] { return fmt::format("{} {}", *value, what); });
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

// Lost datagrams, of those that the same object counts.
template <class Part>
void clear_lost(Part& part, const char* what, SetAside& aside) {
  const bool above = part.packets && part.lost_packets && *part.lost_packets > 0 &&
                     std::cmp_greater(*part.lost_packets, *part.packets);
  clear_if(above || (part.lost_packets && *part.lost_packets < 0), part.lost_packets, what, aside);
  if (!part.lost_packets) part.lost_percent.reset();
}

// The length of the test, which no time that it measured exceeds. Without a duration, that of its intervals.
double longest_of(const Iperf3Document& document, const TestSpec& asked) {
  constexpr double kLongInterval = 3;
  const double intervals =
      kLongInterval * in_seconds(asked.traffic.interval) * static_cast<double>(document.intervals.size());
  return in_seconds(asked.traffic.omit) + kLate +
         (asked.traffic.duration ? in_seconds(*asked.traffic.duration) : intervals);
}

bool contradict(double a, double b) {
  return std::abs(a - b) > std::max(0.1 * std::max(a, b), 0.05);
}

}  // namespace

void SetAside::flag(std::vector<QualityFlag>& flags) const {
  if (count_ == 0) return;
  add_flag(flags, Quality::impossible_figures,
           count_ == 1
               ? fmt::format("one figure of iperf3 is impossible and counts as unknown: {}", first_)
               : fmt::format("{} figures of iperf3 are impossible and count as unknown; the first one: {}",
                             count_, first_));
}

Possible::Possible(const Iperf3Document& document, const TestSpec& asked)
    : longest_s_(longest_of(document, asked)),
      interval_s_(in_seconds(asked.traffic.interval)),
      most_jitter_s_(longest_s_ - kLate) {
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
  clear_if(interval.jitter_ms && !(*interval.jitter_ms >= 0 && *interval.jitter_ms <= 1e3 * most_jitter_s_),
           interval.jitter_ms, "ms of jitter in an interval", aside);
  clear_if(
      interval.packets && static_cast<double>(*interval.packets) > kMostPackets * std::max(length_s, 1.0),
      interval.packets, "datagrams in an interval", aside);
  clear_if(interval.snd_cwnd && *interval.snd_cwnd > kMostWindow, interval.snd_cwnd,
           "bytes of congestion window", aside);
  clear_if(interval.pmtu && *interval.pmtu > kMostUnit, interval.pmtu, "bytes of path MTU", aside);
  clear_lost(interval, "lost datagrams in an interval", aside);
}

bool Possible::mend_times(Figures& figures, double before_s) const {
  std::optional<double>&start = figures.start, &end = figures.end, &seconds = figures.seconds;
  if (!start || !end) return false;  // iperf3 always writes both
  const bool ordered = is_time(start) && is_time(end) && *end >= *start;
  const bool has_seconds = is_time(seconds) && *seconds > 0;
  // Two that agree against the end: how long it took, and where the one before it ended.
  const bool is_end_late = ordered && has_seconds && contradict(*end - *start, *seconds) &&
                           *end - *start > 3 * interval_s_ && !contradict(*start, before_s);
  if (ordered && !is_end_late) {
    if (has_seconds || !seconds || *end == *start) return false;
    seconds = *end - *start;
    figures.bits_per_second.reset();
    if (figures.bytes) figures.bits_per_second = 8 * static_cast<double>(*figures.bytes) / *seconds;
    return true;
  }
  if (!has_seconds) {
    // The clock was set: how long it took is not known, only about when.
    start = before_s;
    end = before_s + interval_s_;
    seconds = interval_s_;
    figures.bits_per_second.reset();
    return true;
  }
  if (!is_time(start)) start = is_time(end) && *end >= *seconds ? *end - *seconds : before_s;
  end = *start + *seconds;
  return true;
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
  clear_if(totals.jitter_ms && !(*totals.jitter_ms >= 0 && *totals.jitter_ms <= 1e3 * most_jitter_s_),
           totals.jitter_ms, "ms of jitter", aside);
  clear_if(totals.packets && totals.out_of_order && *totals.out_of_order > *totals.packets,
           totals.out_of_order, "datagrams out of order", aside);
  clear_lost(totals, "lost datagrams", aside);
}

bool Possible::is_received_too_much(std::uint64_t sent, std::uint64_t received) const {
  return static_cast<double>(received) > (1 + kInaccuracy) * static_cast<double>(sent) + buffered_;
}

bool Possible::is_received_too_little(std::uint64_t sent, std::uint64_t received) const {
  return received == 0 && static_cast<double>(sent) > writes_;
}

}  // namespace netperfd::workload
