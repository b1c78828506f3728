// SPDX-License-Identifier: GPL-2.0-or-later
// Methods about the latency of a run.
#include <fmt/format.h>

#include <algorithm>

#include "daemon/analysis/calls/histogram.hpp"
#include "daemon/bus/errors.hpp"
#include "daemon/bus/methods/methods.hpp"
#include "daemon/bus/rows/list_part.hpp"
#include "daemon/bus/rows/row_maker.hpp"
#include "daemon/model/latency.hpp"
#include "daemon/model/percentile.hpp"

namespace netperfd::bus::methods {
namespace {

template <class Described>
Rows rows_of(const std::vector<Described>& given) {
  Rows rows;
  for (const Described& row : given) rows.push_back(to_wire(row));
  return rows;
}

rows::LatencySpan with_enough(rows::LatencySpan span) {
  span.p50_ns = if_enough(span.p50_ns, span.count, 0.5);
  span.p90_ns = if_enough(span.p90_ns, span.count, 0.9);
  span.p99_ns = if_enough(span.p99_ns, span.count, 0.99);
  span.p999_ns = if_enough(span.p999_ns, span.count, 0.999);
  return span;
}

rows::LatencyInterval with_enough(rows::LatencyInterval interval) {
  interval.p50_ns = if_enough(interval.p50_ns, interval.received, 0.5);
  interval.p99_ns = if_enough(interval.p99_ns, interval.received, 0.99);
  return interval;
}

}  // namespace

// A run has at most eight probes, five phases and four spans, which fit into a message.
std::tuple<Rows, Rows, Rows> get_latency(Call& call, Run run) {
  const LatencyReport found = value_or_throw(call.ports.queries.latency(run.id));
  Rows spans;
  for (const LatencySpan& span : found.spans) spans.push_back(to_wire(with_enough(span.figures)));
  return {rows_of(found.probes), rows_of(found.phases), std::move(spans)};
}

CountedPage list_latency_intervals(Call& call, Run run, Cursor cursor, Limit limit) {
  return list_part(value_or_throw(call.ports.queries.latency(run.id)).intervals, cursor, limit,
                   [](const rows::LatencyInterval& interval) { return to_wire(with_enough(interval)); });
}

// At most 1,900 rows: 32 for each power of two.
Rows get_latency_histogram(Call& call, Run run, std::string probe, std::string phase, std::string span) {
  const LatencyReport found = value_or_throw(call.ports.queries.latency(run.id));
  const auto meant = std::ranges::find_if(found.spans, [&](const LatencySpan& each) {
    return each.figures.probe == probe && each.figures.phase == phase && each.figures.span == span;
  });
  if (meant == found.spans.end()) {
    throw to_dbus(
        Error{ErrorKind::not_found, fmt::format("run {}: no such span of a probe and phase", run.id)});
  }
  Rows rows;
  for (const auto& [bucket, count] : meant->histogram.buckets) {
    const std::uint64_t from = analysis::bucket_begin(bucket);
    rows.push_back(to_wire(rows::LatencyBucket{from, from + analysis::bucket_width(bucket), count}));
  }
  return rows;
}

}  // namespace netperfd::bus::methods
