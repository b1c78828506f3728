// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/end.hpp"

#include <algorithm>

namespace netperfd::workload {
namespace {

bool present(const EndFigures& figures) {
  return figures.sum || figures.sent || figures.received;
}

// Only a bidirectional test has two directions. The keys' names are unreliable there, and a UDP `sum_sent`
// always says "sender". So the direction is taken from the `sender` of the TCP sums and of the UDP `sum`, and
// from the names only if these are absent.
Direction direction_of_end(const EndFigures& figures, bool reverse_key, const TestSpec& asked) {
  if (asked.traffic.direction != Direction::both) return asked.traffic.direction;
  const std::optional<Figures>& speaker = figures.sum    ? figures.sum
                                          : figures.sent ? figures.sent
                                                         : figures.received;
  if (speaker->sender) return *speaker->sender ? Direction::send : Direction::receive;
  return reverse_key ? Direction::receive : Direction::send;
}

// The far side's figures, as opposed to the writer's own.
const Figures* far_figures(const Iperf3Document& document, const EndGroup& group) {
  return pointer(writer_sends(document, group.direction) ? group.figures->received : group.figures->sent);
}

}  // namespace

std::vector<EndGroup> end_groups(const Iperf3Document& document, const TestSpec& asked) {
  std::vector<EndGroup> groups;
  if (present(document.end)) groups.push_back({direction_of_end(document.end, false, asked), &document.end});
  if (present(document.end_reverse)) {
    const Direction direction = direction_of_end(document.end_reverse, true, asked);
    if (groups.empty() || groups.front().direction != direction)
      groups.push_back({direction, &document.end_reverse});
  }
  return groups;
}

bool writer_sends(const Iperf3Document& document, Direction direction) {
  return (direction == Direction::send) != document.of_server;
}

bool far_side_answered(const Iperf3Document& document, const TestSpec& asked) {
  // From 3.1 on, a server prints before it reads its client's results, and never clears the client's CPU use:
  // that is of the test before.
  if (!document.of_server && document.cpu_remote_percent.value_or(0) > 0) return true;
  const auto groups = end_groups(document, asked);
  return std::any_of(groups.begin(), groups.end(), [&](const EndGroup& group) {
    if (is_sum_alone(*group.figures, asked.traffic.protocol)) {
      const Figures& sum = *group.figures->sum;
      const bool sends = writer_sends(document, group.direction);
      if (sends && sum.lost_packets.value_or(0) != 0) return true;
      if (!sends && document.of_server && sum.bytes.value_or(0) > 0) return true;
    }
    const Figures* far = far_figures(document, group);
    return far != nullptr && far->bytes.value_or(0) > 0;
  });
}

const Figures* pointer(const std::optional<Figures>& figures) {
  return figures ? &*figures : nullptr;
}

bool is_sum_alone(const EndFigures& figures, Protocol protocol) {
  return protocol == Protocol::udp && figures.sum && !figures.sent && !figures.received;
}

std::optional<std::uint64_t> bytes_less_lost(const Figures& sum, std::optional<std::uint64_t> block_bytes) {
  const std::uint64_t block = block_bytes.value_or(0);
  if (!sum.bytes || !sum.lost_packets || *sum.lost_packets < 0 || block == 0) return std::nullopt;
  const std::uint64_t datagrams = *sum.bytes / block, lost = static_cast<std::uint64_t>(*sum.lost_packets);
  if (lost > datagrams) return std::nullopt;
  return *sum.bytes - lost * block;
}

const Figures* speaker_of(const StreamFigures& stream) {
  for (const auto* figures : {&stream.udp, &stream.sender, &stream.receiver}) {
    if (*figures) return pointer(*figures);
  }
  return nullptr;
}

}  // namespace netperfd::workload
