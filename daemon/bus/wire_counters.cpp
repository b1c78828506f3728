#include "daemon/bus/wire_counters.hpp"

#include <chrono>
#include <cstdint>

#include "daemon/bus/row_maker.hpp"
#include "daemon/bus/wire_text.hpp"

namespace netperfd::bus {

WireRow counter_row(const CounterDelta& delta) {
  RowMaker row;
  row.put("source", delta.source);
  row.put_if_any("netns", delta.netns);
  row.put("name", delta.name);
  row.put("delta", delta.delta);
  row.put_if_any("unit", delta.unit);
  return row.take();
}

WireRow tcp_sample_row(const TcpSample& sample) {
  RowMaker row;
  row.put("time_s", std::chrono::duration<double>(sample.time).count());
  row.put("local_port", std::uint32_t{sample.local_port});
  row.put("remote_port", std::uint32_t{sample.remote_port});
  row.put("snd_cwnd", sample.snd_cwnd);
  row.put("rtt", sample.rtt_us);
  row.put("rttvar", sample.rttvar_us);
  row.put("retransmits", sample.retransmits);
  row.put("delivery_bits_per_second", sample.delivery_rate_bps);
  row.put("pacing_bits_per_second", sample.pacing_rate_bps);
  return row.take();
}

std::vector<std::string> unknown_counters(const Counters& counters) {
  return wire_texts(counters.unknown, kListBytes).texts;
}

}  // namespace netperfd::bus
