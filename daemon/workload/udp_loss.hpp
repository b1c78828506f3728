// How many datagrams of a UDP test were lost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/workload/iperf3_document.hpp"

namespace netperfd::workload {

struct UdpCounts {
  const Figures* sent = nullptr;             // the sender's sum; null where it is not known
  const Figures* received = nullptr;         // the receiver's
  std::optional<std::uint64_t> block_bytes;  // of one datagram
  std::optional<double> seconds;             // length of the test
};

struct UdpLoss {
  std::optional<std::uint64_t> packets;  // sent
  std::optional<std::int64_t> lost;      // absent unless the receiver told
  std::optional<double> lost_percent;
  std::string disagreement;  // both figures and which was used; empty where they agree
};

// The datagrams of a sender or of a stream's sender. Its bytes, all in datagrams of one size, are a better
// witness than its `packets`: 3.12 adds a queue's worth to them where a part was omitted, and a 3.18 client
// prints 0 for a 3.12 server.
[[nodiscard]] std::optional<std::uint64_t> packets_sent(const Figures& sender,
                                                        std::optional<std::uint64_t> block_bytes);

[[nodiscard]] UdpLoss udp_loss(const UdpCounts& counts);

}  // namespace netperfd::workload
