// SPDX-License-Identifier: GPL-2.0-or-later
// There are two ways to count lost datagrams. The receiver counts gaps in the sequence numbers. Its count is
// wrong if client and server have different versions (a new client prints 0 for an old server), if a part was
// omitted (3.12 counts the losses of that part too), and if a stream starves (after the last datagram that
// arrived, nothing reveals a gap). The other way is sent minus received. It counts datagrams in flight at the
// end of the test as lost, so a small difference is no contradiction.
#include "daemon/workload/iperf3/udp_loss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace netperfd::workload {
namespace {

constexpr double kLossTolerance = 0.01;   // of the datagrams sent
constexpr double kUnderWaySeconds = 0.1;  // datagrams that may be in a queue
constexpr double kFewest = 10;
constexpr double kPacketTolerance = 0.1;  // between a count of datagrams and their bytes

std::optional<std::uint64_t> datagrams(const Figures* figures, std::optional<std::uint64_t> block_bytes) {
  if (figures == nullptr || !figures->bytes || block_bytes.value_or(0) == 0) return std::nullopt;
  return *figures->bytes / *block_bytes;
}

// A count below 0 or, where what was sent is not known, above the datagrams that its own side knows of:
// iperf3 3.12 counts those of an omitted part, too.
std::optional<std::int64_t> impossible_loss(const Figures& receiver, bool can_compute) {
  if (!receiver.lost_packets) return std::nullopt;
  const bool above = !can_compute && receiver.packets.value_or(0) > 0 && *receiver.lost_packets > 0 &&
                     std::cmp_greater(*receiver.lost_packets, *receiver.packets);
  return *receiver.lost_packets < 0 || above ? receiver.lost_packets : std::nullopt;
}

std::string impossible_words(std::int64_t lost, const Figures& receiver, const UdpLoss& loss,
                             std::optional<std::uint64_t> arrived) {
  std::string words =
      lost < 0 ? fmt::format("the receiver reports {} lost datagrams, fewer than none", lost)
               : fmt::format("the receiver reports {} lost datagrams of {}", lost, *receiver.packets);
  if (!loss.lost) return words + "; the loss is taken as not known";
  return words + fmt::format("; of {} sent {} arrived, so {} were lost, which was used", *loss.packets,
                             *arrived, *loss.lost);
}

}  // namespace

std::optional<std::uint64_t> packets_sent(const Figures& sender, std::optional<std::uint64_t> block_bytes) {
  const auto computed = datagrams(&sender, block_bytes);
  if (!computed || !sender.packets)
    return computed && *sender.bytes % *block_bytes == 0 ? computed : sender.packets;
  if (*sender.bytes % *block_bytes == 0) return computed;
  const double apart = std::abs(static_cast<double>(*sender.packets) - static_cast<double>(*computed));
  return apart > std::max(kPacketTolerance * static_cast<double>(*computed), kFewest) ? computed
                                                                                      : sender.packets;
}

UdpLoss udp_loss(const UdpCounts& counts) {
  UdpLoss loss;
  if (counts.sent != nullptr) loss.packets = packets_sent(*counts.sent, counts.block_bytes);
  if (counts.received == nullptr) return loss;
  const auto arrived = datagrams(counts.received, counts.block_bytes);
  const auto impossible = impossible_loss(*counts.received, loss.packets && arrived);
  if (!impossible) loss.lost = counts.received->lost_packets;
  if (!loss.packets || !arrived) {
    if (impossible) loss.impossible = impossible_words(*impossible, *counts.received, loss, arrived);
    // Without the sender's count, the share can only refer to the datagrams that the receiver noticed.
    if (loss.lost && arrived && static_cast<double>(*arrived) + static_cast<double>(*loss.lost) > 0) {
      const auto lost = static_cast<double>(*loss.lost);
      loss.lost_percent = 100 * lost / (static_cast<double>(*arrived) + lost);
    } else if (loss.lost && !arrived && counts.received->packets.value_or(0) > 0) {
      loss.lost_percent =
          100 * static_cast<double>(*loss.lost) / static_cast<double>(*counts.received->packets);
    }
    return loss;
  }
  const auto packets = static_cast<double>(*loss.packets);
  const double missing = packets - static_cast<double>(*arrived);
  const double under_way =
      packets * kUnderWaySeconds / std::max(counts.seconds.value_or(1), kUnderWaySeconds);
  const double allowed = std::max({kLossTolerance * packets, under_way, kFewest});
  if (!loss.lost || std::abs(static_cast<double>(*loss.lost) - missing) > allowed) {
    const auto computed = static_cast<std::int64_t>(std::clamp(missing, 0.0, 9e18));
    if (loss.lost) {
      loss.disagreement = fmt::format(
          "the receiver reports {} lost datagrams, but of {} sent {} arrived, so {} were lost; that was used",
          *loss.lost, *loss.packets, *arrived, computed);
    }
    loss.lost = computed;
  }
  if (impossible) loss.impossible = impossible_words(*impossible, *counts.received, loss, arrived);
  if (packets > 0) loss.lost_percent = 100 * static_cast<double>(*loss.lost) / packets;
  return loss;
}

}  // namespace netperfd::workload
