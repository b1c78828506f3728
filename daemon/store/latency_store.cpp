// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/latency_store.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "daemon/store/digests.hpp"
#include "daemon/store/number_list.hpp"
#include "daemon/store/rows.hpp"

namespace netperfd::store {
namespace {

Status write_spans(Connection& connection, RunId run, const std::vector<LatencySpan>& spans) {
  auto insert = connection.prepare(insert_into(
      "latency_spans", fmt::format("run, position, {}, histogram", columns_of<rows::LatencySpan>())));
  if (!insert) return std::unexpected(insert.error());
  std::size_t position = 0;
  std::string histogram;
  for (const LatencySpan& span : spans) {
    auto done = write_pairs(span.histogram.buckets, histogram);
    if (done) done = insert->bind(run, position++, members_of(span.figures), histogram).run();
    if (!done) return done;
  }
  return {};
}

Status read_spans(Connection& connection, RunId run, std::vector<LatencySpan>& spans) {
  auto select = connection.prepare(
      fmt::format("SELECT {}, histogram FROM latency_spans WHERE run = ? ORDER BY position",
                  columns_of<rows::LatencySpan>()));
  if (!select) return std::unexpected(select.error());
  Status damage;
  auto read = for_each_row(select->bind(run), [&](RowReader& row) {
    LatencySpan& span = spans.emplace_back();
    std::string histogram;
    auto members = members_of(span.figures);
    row.read(members, histogram);
    auto buckets = read_buckets(histogram);
    if (buckets) {
      span.histogram.buckets = std::move(*buckets);
    } else if (damage) {
      damage = fail(buckets.error().kind, fmt::format("run {}: {}", run, buckets.error().message));
    }
  });
  return read ? damage : read;
}

}  // namespace

Status write_latency(Connection& connection, RunId run, const LatencyReport& report) {
  auto done = write_all(connection, "latency_probes", run, report.probes);
  if (done) done = write_all(connection, "latency_phases", run, report.phases);
  if (done) done = write_spans(connection, run, report.spans);
  if (done) done = write_all(connection, "latency_intervals", run, report.intervals);
  return done;
}

Result<LatencyReport> read_latency(Connection& connection, RunId run) {
  LatencyReport report;
  auto done = read_all(connection, "latency_probes", "position", run, report.probes);
  if (done) done = read_all(connection, "latency_phases", "position", run, report.phases);
  if (done) done = read_spans(connection, run, report.spans);
  if (done) done = read_all(connection, "latency_intervals", "position", run, report.intervals);
  if (done) {
    done = expect_intact(connection, of_run(run),
                         {"latency_probes", "latency_phases", "latency_spans", "latency_spans.histogram",
                          "latency_intervals"});
  }
  if (!done) return std::unexpected(std::move(done.error()));
  if (!report.probes.empty()) return report;
  const auto known =
      connection.value<std::int64_t>(fmt::format("SELECT count(*) FROM runs WHERE id = {}", run));
  if (!known) return std::unexpected(known.error());
  return fail(ErrorKind::not_found,
              fmt::format("run {}: {}", run, *known == 0 ? "no such run" : "its latency was not measured"));
}

}  // namespace netperfd::store
