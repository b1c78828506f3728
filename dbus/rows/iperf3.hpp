// iperf3's figures of a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "dbus/rows/field.hpp"

namespace netperfd::rows {

// Totals of one direction or, with `stream`, of one stream.
struct Sum {
  std::optional<std::string> direction;  // send or receive, as the client sees it
  std::optional<std::int64_t> stream;
  std::optional<double> seconds;
  std::optional<std::uint64_t> sent_bytes, received_bytes;
  std::optional<double> sent_bits_per_second, received_bits_per_second;
  std::optional<std::uint64_t> retransmits, max_snd_cwnd, min_rtt, mean_rtt, max_rtt;
  std::optional<double> jitter_ms;
  std::optional<std::uint64_t> packets;
  std::optional<std::int64_t> lost_packets;
  std::optional<double> lost_percent;
  std::optional<std::uint64_t> out_of_order;
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

// One reporting interval of a stream or, without `stream`, of a direction.
struct Interval {
  std::optional<std::string> direction;
  std::optional<std::int64_t> stream;
  std::optional<bool> sender, omitted;  // `sender`: it was the sender that counted
  std::optional<double> start_s, end_s, seconds;
  std::optional<std::uint64_t> bytes;
  std::optional<double> bits_per_second;
  std::optional<std::uint64_t> retransmits, snd_cwnd, rtt, rttvar, pmtu;
  std::optional<double> jitter_ms;
  std::optional<std::uint64_t> packets;
  std::optional<std::int64_t> lost_packets;
  std::optional<double> lost_percent;
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

struct Flag {
  std::string code, message;
};
template <>
inline constexpr auto kFields<Flag> =
    std::tuple{field("code", &Flag::code), field("message", &Flag::message)};
static_assert(kDescribed<Flag>);

}  // namespace netperfd::rows
