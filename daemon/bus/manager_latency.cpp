// SPDX-License-Identifier: GPL-2.0-or-later
// The methods of org.netperfd1.Manager for the latency of a run.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "daemon/analysis/calls/histogram.hpp"
#include "daemon/bus/errors.hpp"
#include "daemon/bus/list_part.hpp"
#include "daemon/bus/manager_object.hpp"
#include "daemon/bus/row_maker.hpp"
#include "daemon/model/latency.hpp"
#include "daemon/model/percentile.hpp"

namespace netperfd::bus {
namespace {

template <class Row>
dbus::Rows all_rows(const std::vector<Row>& given) {
  dbus::Rows rows;
  for (const Row& row : given) rows.push_back(to_wire(row).row);
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
std::tuple<ManagerObject::Dicts, ManagerObject::Dicts, ManagerObject::Dicts> ManagerObject::GetLatency(
    const std::uint64_t& run) {
  return dbus::guarded([&] {
    const LatencyReport found = value_or_throw(ports_.queries.latency(value_or_throw(parse_id(run, "run"))));
    dbus::Rows spans;
    for (const LatencySpan& span : found.spans) spans.push_back(to_wire(with_enough(span.figures)).row);
    return std::tuple{all_rows(found.probes), all_rows(found.phases), std::move(spans)};
  });
}

ManagerObject::ListPage ManagerObject::ListLatencyIntervals(const std::uint64_t& run,
                                                            const std::string& cursor,
                                                            const std::uint32_t& limit) {
  return dbus::guarded([&] {
    const LatencyReport found = value_or_throw(ports_.queries.latency(value_or_throw(parse_id(run, "run"))));
    return list_part(found.intervals, cursor, limit,
                     [](const rows::LatencyInterval& interval) { return to_wire(with_enough(interval)); });
  });
}

// At most 1,900 rows: 32 for each power of two.
ManagerObject::Dicts ManagerObject::GetLatencyHistogram(const std::uint64_t& run, const std::string& probe,
                                                        const std::string& phase, const std::string& span) {
  return dbus::guarded([&] {
    const LatencyReport found = value_or_throw(ports_.queries.latency(value_or_throw(parse_id(run, "run"))));
    const auto is_meant = [&](const LatencySpan& each) {
      return each.figures.probe == probe && each.figures.phase == phase && each.figures.span == span;
    };
    const auto meant = std::ranges::find_if(found.spans, is_meant);
    if (meant == found.spans.end()) {
      throw to_dbus(
          Error{ErrorKind::not_found, fmt::format("run {}: no such span of a probe and phase", run)});
    }
    dbus::Rows rows;
    for (const auto& [bucket, count] : meant->histogram.buckets) {
      const std::uint64_t from = analysis::bucket_begin(bucket);
      rows.push_back(to_wire(rows::LatencyBucket{from, from + analysis::bucket_width(bucket), count}).row);
    }
    return rows;
  });
}

}  // namespace netperfd::bus
