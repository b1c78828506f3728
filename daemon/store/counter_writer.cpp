// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/counter_writer.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "daemon/store/rows.hpp"

namespace netperfd::store {
namespace {

// A driver may report a nonsense value as a counter; the run must not lose its record because of it.
template <class Number>
void cut(Number& number) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  number = std::min<std::uint64_t>(number, kMost);
}

}  // namespace

Status write_counters(Connection& connection, RunId run, const Counters& counters) {
  std::vector<CounterDelta> deltas = counters.deltas;
  for (CounterDelta& delta : deltas) cut(delta.delta);
  std::vector<TcpSample> samples = counters.tcp;
  for (TcpSample& sample : samples) {
    if (sample.delivery_rate_bps) cut(*sample.delivery_rate_bps);
    if (sample.pacing_rate_bps) cut(*sample.pacing_rate_bps);
  }
  std::vector<QueueSample> queues = counters.queues;
  for (QueueSample& sample : queues) {
    cut(sample.sent_bytes);
    cut(sample.sent_packets);
  }
  auto done = write_all(connection, "counters", run, deltas);
  if (done) done = write_all(connection, "tcp_samples", run, samples);
  if (done) done = write_all(connection, "queue_samples", run, queues);
  if (done) done = write_all(connection, "counters_unknown", "clause", run, counters.unknown);
  return done;
}

}  // namespace netperfd::store
