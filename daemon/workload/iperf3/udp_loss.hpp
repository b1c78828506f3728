// SPDX-License-Identifier: GPL-2.0-or-later
// The number of datagrams that a UDP test lost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/workload/iperf3/document.hpp"

namespace netperfd::workload {

struct UdpCounts {
  const Figures* sent = nullptr;             // the sender's sum; null if unknown
  const Figures* received = nullptr;         // the receiver's sum
  std::optional<std::uint64_t> block_bytes;  // of one datagram
  std::optional<double> seconds;             // length of the test
};

struct UdpLoss {
  std::optional<std::uint64_t> packets;  // sent
  std::optional<std::int64_t> lost;      // absent unless the receiver reported it
  std::optional<double> lost_percent;
  std::string disagreement;  // both figures and which was used; empty if they agree
  std::string impossible;    // a count of the receiver's that cannot be, and what was used
};

// The datagrams sent, for a sender's sum or a stream. They are computed from the bytes, since all datagrams
// have one size, because `packets` is less reliable: 3.12 adds a queue's worth to it after an omitted part,
// and a 3.18 client prints 0 for a 3.12 server.
[[nodiscard]] std::optional<std::uint64_t> packets_sent(const Figures& sender,
                                                        std::optional<std::uint64_t> block_bytes);

[[nodiscard]] UdpLoss udp_loss(const UdpCounts& counts);

}  // namespace netperfd::workload
