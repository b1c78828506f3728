#include "daemon/store/counter_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "daemon/store/columns.hpp"
#include "daemon/store/counter_columns.hpp"

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
  auto counter =
      connection.prepare(insert_into("counters", fmt::format("run, position, {}", kCounterColumns)));
  if (!counter) return std::unexpected(counter.error());
  std::size_t position = 0;
  for (CounterDelta delta : counters.deltas) {
    cut(delta.delta);
    if (auto done = counter->bind(run, position++, counter_members(delta)).run(); !done) return done;
  }

  auto tcp =
      connection.prepare(insert_into("tcp_samples", fmt::format("run, position, {}", kTcpSampleColumns)));
  if (!tcp) return std::unexpected(tcp.error());
  position = 0;
  for (TcpSample sample : counters.tcp) {
    if (sample.delivery_rate_bps) cut(*sample.delivery_rate_bps);
    if (sample.pacing_rate_bps) cut(*sample.pacing_rate_bps);
    if (auto done = tcp->bind(run, position++, tcp_sample_members(sample)).run(); !done) return done;
  }

  auto unknown = connection.prepare(insert_into("counters_unknown", "run, position, clause"));
  if (!unknown) return std::unexpected(unknown.error());
  position = 0;
  for (const std::string& clause : counters.unknown) {
    if (auto done = unknown->bind(run, position++, clause).run(); !done) return done;
  }
  return {};
}

}  // namespace netperfd::store
