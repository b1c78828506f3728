// The columns that counter_writer and counter_reader share. Each list is next to the members it stands for
// and in the same order.
#pragma once

#include <string_view>
#include <tuple>

#include "daemon/model/counters.hpp"

namespace netperfd::store {

inline constexpr std::string_view kCounterColumns = "source, netns, name, delta, unit";

template <class D>  // CounterDelta or const CounterDelta
[[nodiscard]] auto counter_members(D& d) {
  return std::tie(d.source, d.netns, d.name, d.delta, d.unit);
}

inline constexpr std::string_view kTcpSampleColumns =
    "time_us, local_port, remote_port, snd_cwnd, rtt_us, rttvar_us, retransmits, delivery_rate_bps, "
    "pacing_rate_bps";

template <class S>  // TcpSample or const TcpSample
[[nodiscard]] auto tcp_sample_members(S& s) {
  return std::tie(s.time, s.local_port, s.remote_port, s.snd_cwnd, s.rtt_us, s.rttvar_us, s.retransmits,
                  s.delivery_rate_bps, s.pacing_rate_bps);
}

}  // namespace netperfd::store
