// SPDX-License-Identifier: GPL-2.0-or-later
// iperf3's figures of a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "dbus/rows/field.hpp"

namespace netperfd {

enum class Direction { send, receive, both };  // seen from the client: send is client to server

[[nodiscard]] constexpr std::string_view to_string(Direction direction) {
  return direction == Direction::send ? "send" : direction == Direction::receive ? "receive" : "both";
}
[[nodiscard]] constexpr std::optional<Direction> parse_direction(std::string_view text) {
  for (const Direction direction : {Direction::send, Direction::receive, Direction::both}) {
    if (to_string(direction) == text) return direction;
  }
  return std::nullopt;
}
// The same for generic code. Returns false and changes nothing if the text is none of the words.
[[nodiscard]] constexpr bool parse_word(std::string_view text, Direction& direction) {
  const auto parsed = parse_direction(text);
  if (parsed) direction = *parsed;
  return parsed.has_value();
}

}  // namespace netperfd

namespace netperfd::rows {

// Totals of one direction, or of one stream of it, over the counted part (without the omitted part). Names
// and units are iperf3's.
struct Sum {
  Direction direction = Direction::send;  // send or receive, never both
  std::optional<std::int64_t> stream;     // iperf3's socket number; absent: the sum of the direction
  std::optional<double> seconds;
  std::optional<std::uint64_t> sent_bytes;
  std::optional<std::uint64_t> received_bytes;
  std::optional<double> sent_bits_per_second;
  std::optional<double> received_bits_per_second;
  std::optional<std::uint64_t> retransmits;  // TCP and SCTP senders, if the kernel reports it
  std::optional<std::uint64_t> max_snd_cwnd;
  std::optional<std::uint64_t> min_rtt, mean_rtt, max_rtt;
  std::optional<double> jitter_ms;       // UDP from here on
  std::optional<std::uint64_t> packets;  // datagrams sent
  std::optional<std::int64_t> lost_packets;
  std::optional<double> lost_percent;
  std::optional<std::uint64_t> out_of_order;

  bool operator==(const Sum&) const = default;
};
template <>
inline constexpr auto kFields<Sum> =
    std::tuple{field("direction", &Sum::direction),
               field("stream", &Sum::stream),
               field("seconds", &Sum::seconds),
               field("sent_bytes", &Sum::sent_bytes),
               field("received_bytes", &Sum::received_bytes),
               field("sent_bits_per_second", &Sum::sent_bits_per_second),
               field("received_bits_per_second", &Sum::received_bits_per_second),
               field("retransmits", &Sum::retransmits),
               field("max_snd_cwnd", &Sum::max_snd_cwnd, "bytes"),
               field("min_rtt", &Sum::min_rtt, "us"),
               field("mean_rtt", &Sum::mean_rtt, "us"),
               field("max_rtt", &Sum::max_rtt, "us"),
               field("jitter_ms", &Sum::jitter_ms),
               field("packets", &Sum::packets),
               field("lost_packets", &Sum::lost_packets),
               field("lost_percent", &Sum::lost_percent),
               field("out_of_order", &Sum::out_of_order)};
static_assert(kDescribed<Sum>);

// One reporting interval of one stream, or of the sum over the streams of one direction.
struct Interval {
  Direction direction = Direction::send;  // send or receive, never both
  std::optional<std::int64_t> stream;     // absent: the sum
  bool sender = true;                     // the side that counted: sender or receiver
  bool omitted = false;
  double start_s = 0;  // since the start of the test or, after the omitted part, since its end
  double end_s = 0;
  double seconds = 0;
  std::optional<std::uint64_t> bytes;
  std::optional<double> bits_per_second;
  std::optional<std::uint64_t> retransmits;
  std::optional<std::uint64_t> snd_cwnd;
  std::optional<std::uint64_t> rtt, rttvar;
  std::optional<std::uint64_t> pmtu;
  std::optional<double> jitter_ms;  // UDP from here on
  std::optional<std::uint64_t> packets;
  std::optional<std::int64_t> lost_packets;
  std::optional<double> lost_percent;

  bool operator==(const Interval&) const = default;
};
template <>
inline constexpr auto kFields<Interval> = std::tuple{field("direction", &Interval::direction),
                                                     field("stream", &Interval::stream),
                                                     field("sender", &Interval::sender),
                                                     field("omitted", &Interval::omitted),
                                                     field("start_s", &Interval::start_s),
                                                     field("end_s", &Interval::end_s),
                                                     field("seconds", &Interval::seconds),
                                                     field("bytes", &Interval::bytes),
                                                     field("bits_per_second", &Interval::bits_per_second),
                                                     field("retransmits", &Interval::retransmits),
                                                     field("snd_cwnd", &Interval::snd_cwnd, "bytes"),
                                                     field("rtt", &Interval::rtt, "us"),
                                                     field("rttvar", &Interval::rttvar, "us"),
                                                     field("pmtu", &Interval::pmtu, "bytes"),
                                                     field("jitter_ms", &Interval::jitter_ms),
                                                     field("packets", &Interval::packets),
                                                     field("lost_packets", &Interval::lost_packets),
                                                     field("lost_percent", &Interval::lost_percent)};
static_assert(kDescribed<Interval>);

// Consecutive intervals of the sum over the streams of one direction, as one side counted them.
struct IntervalPoint {
  Direction direction = Direction::send;  // send or receive, never both
  bool sender = true;
  bool omitted = false;
  double start_s = 0;  // as of Interval
  double end_s = 0;
  double seconds = 0;           // the sum of theirs
  double longest_s = 0;         // from start to end of the longest of them
  std::uint64_t intervals = 0;  // how many
  // Sums; absent if one of them has none.
  std::optional<std::uint64_t> bytes;
  std::optional<std::uint64_t> retransmits;
  std::optional<double> bits_per_second;  // the mean of those that have one, by their seconds
  // Of those that are no leftover: at least half as long as the longest of their direction, side and part.
  std::optional<double> lowest_bits_per_second, highest_bits_per_second;

  bool operator==(const IntervalPoint&) const = default;
};
template <>
inline constexpr auto kFields<IntervalPoint> =
    std::tuple{field("direction", &IntervalPoint::direction),
               field("sender", &IntervalPoint::sender),
               field("omitted", &IntervalPoint::omitted),
               field("start_s", &IntervalPoint::start_s),
               field("end_s", &IntervalPoint::end_s),
               field("seconds", &IntervalPoint::seconds),
               field("longest_s", &IntervalPoint::longest_s),
               field("intervals", &IntervalPoint::intervals),
               field("bytes", &IntervalPoint::bytes),
               field("retransmits", &IntervalPoint::retransmits),
               field("bits_per_second", &IntervalPoint::bits_per_second),
               field("lowest_bits_per_second", &IntervalPoint::lowest_bits_per_second),
               field("highest_bits_per_second", &IntervalPoint::highest_bits_per_second)};
static_assert(kDescribed<IntervalPoint>);

// A problem of a measurement, or a choice that a reader must know. A flag lowers trust in the result but
// never fails the run.
struct Flag {
  std::string code;     // kebab-case, stable, listed in docs/quality-flags.md
  std::string message;  // includes the figures, and which of them was used

  bool operator==(const Flag&) const = default;
};
template <>
inline constexpr auto kFields<Flag> =
    std::tuple{field("code", &Flag::code), field("message", &Flag::message)};
static_assert(kDescribed<Flag>);

}  // namespace netperfd::rows
