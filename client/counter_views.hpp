// What was counted while a run went on: a part of client/views.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace netperfctl {

struct CounterView {
  std::string source;
  std::optional<std::string> netns;  // absent: the host's own, or a counter of the whole machine
  std::string name;
  std::uint64_t delta = 0;
  std::optional<std::string> unit;  // absent: a number
};

// TCP_INFO of one of the client's connections at one moment.
struct TcpSampleView {
  double time_s = 0;  // since the release
  std::optional<std::uint32_t> local_port, remote_port;
  std::optional<std::uint32_t> snd_cwnd;     // segments
  std::optional<std::uint32_t> rtt, rttvar;  // microseconds
  std::optional<std::uint64_t> retransmits;  // of the connection, so far
  std::optional<std::uint64_t> delivery_bits_per_second, pacing_bits_per_second;
};

struct CountersView {
  std::vector<CounterView> counters;  // by source, netns and name
  std::vector<TcpSampleView> tcp;     // by time
  std::vector<std::string> unknown;   // a clause each
};

}  // namespace netperfctl
