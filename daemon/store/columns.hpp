// The columns that run_writer and run_reader share. Each list is next to the members it stands for and in the
// same order.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "daemon/model/run_record.hpp"

namespace netperfd::store {

// For the tables sums and streams.
inline constexpr std::string_view kTotalsColumns =
    "seconds, sent_bytes, received_bytes, sent_bits_per_second, received_bits_per_second, retransmits, "
    "max_snd_cwnd, "
    "min_rtt, mean_rtt, max_rtt, jitter_ms, packets, lost_packets, lost_percent, out_of_order";

template <class T>  // Totals or const Totals
[[nodiscard]] auto totals_members(T& t) {
  return std::tie(t.seconds, t.sent_bytes, t.received_bytes, t.sent_bits_per_second,
                  t.received_bits_per_second, t.retransmits, t.max_snd_cwnd, t.min_rtt, t.mean_rtt, t.max_rtt,
                  t.jitter_ms, t.packets, t.lost_packets, t.lost_percent, t.out_of_order);
}

inline constexpr std::string_view kIntervalColumns =
    "stream, sender, omitted, start_s, end_s, seconds, bytes, bits_per_second, retransmits, snd_cwnd, rtt, "
    "rttvar, pmtu, "
    "jitter_ms, packets, lost_packets, lost_percent";

template <class I>  // Interval or const Interval
[[nodiscard]] auto interval_members(I& i) {
  return std::tie(i.stream, i.sender, i.omitted, i.start_s, i.end_s, i.seconds, i.bytes, i.bits_per_second,
                  i.retransmits, i.snd_cwnd, i.rtt, i.rttvar, i.pmtu, i.jitter_ms, i.packets, i.lost_packets,
                  i.lost_percent);
}

// INSERT with a parameter for each of `columns`, a comma-separated list.
[[nodiscard]] inline std::string insert_into(std::string_view table, std::string_view columns) {
  std::string parameters = "?";
  for (auto commas = std::ranges::count(columns, ','); commas > 0; --commas) parameters += ", ?";
  return fmt::format("INSERT INTO {} ({}) VALUES ({})", table, columns, parameters);
}

}  // namespace netperfd::store
