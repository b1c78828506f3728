// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/rows/wire_counters.hpp"

#include <chrono>
#include <cstdint>

#include "daemon/bus/rows/row_maker.hpp"
#include "daemon/bus/rows/wire_text.hpp"
#include "dbus/rows/counters.hpp"

namespace netperfd::bus {

Row counter_row(const CounterDelta& delta) {
  rows::Counter row;
  row.source = delta.source;
  row.netns = if_any(delta.netns);
  row.name = delta.name;
  row.delta = delta.delta;
  row.unit = if_any(delta.unit);
  return to_wire(row);
}

Row tcp_sample_row(const TcpSample& sample) {
  rows::TcpSample row;
  row.time_s = std::chrono::duration<double>(sample.time).count();
  row.local_port = std::uint32_t{sample.local_port};
  row.remote_port = std::uint32_t{sample.remote_port};
  row.snd_cwnd = sample.snd_cwnd;
  row.rtt = sample.rtt_us;
  row.rttvar = sample.rttvar_us;
  row.retransmits = sample.retransmits;
  row.delivery_bits_per_second = sample.delivery_rate_bps;
  row.pacing_bits_per_second = sample.pacing_rate_bps;
  return to_wire(row);
}

Row queue_sample_row(const QueueSample& sample) {
  rows::QueueSample row;
  row.time_s = std::chrono::duration<double>(sample.time).count();
  row.device = sample.device;
  row.netns = if_any(sample.netns);
  row.kind = sample.kind;
  row.handle = sample.handle;
  row.parent = sample.parent;
  row.backlog_bytes = sample.backlog_bytes;
  row.backlog_packets = sample.backlog_packets;
  row.sent_bytes = sample.sent_bytes;
  row.sent_packets = sample.sent_packets;
  row.drops = sample.drops;
  row.overlimits = sample.overlimits;
  row.requeues = sample.requeues;
  return to_wire(row);
}

std::vector<std::string> unknown_counters(const Counters& counters) {
  return wire_texts(counters.unknown, kListBytes).texts;
}

}  // namespace netperfd::bus
