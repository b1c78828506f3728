// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/report_writer.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "daemon/store/fingerprint_writer.hpp"
#include "daemon/store/rows.hpp"

namespace netperfd::store {
namespace {

auto endpoint_columns(const std::optional<Endpoint>& end) {
  using Columns = std::tuple<std::optional<std::string>, std::optional<std::uint16_t>>;
  return end ? Columns{end->host, end->port} : Columns{};
}

Status update_run_figures(Connection& connection, RunId run, const WorkloadReport& report) {
  auto update = connection.prepare(
      "UPDATE runs SET iperf3_version = ?, client_host = ?, client_port = ?, server_host = ?, "
      "server_port = ?, mss = ?, congestion = ?, cpu_client_percent = ?, cpu_server_percent = ? "
      "WHERE id = ?");
  if (!update) return std::unexpected(update.error());
  return update
      ->bind(report.version, endpoint_columns(report.client), endpoint_columns(report.server),
             report.mss_bytes, report.congestion, report.cpu_client_percent, report.cpu_server_percent, run)
      .run();
}

Status insert_sums(Connection& connection, RunId run, const WorkloadReport& report) {
  constexpr std::size_t kKey = 2;  // direction and stream: a sum has no stream
  auto sum =
      connection.prepare(insert_into("sums", "run, position, direction, " + columns_of<Totals, kKey>()));
  if (!sum) return std::unexpected(sum.error());
  std::size_t position = 0;
  for (const auto& totals : report.sums) {
    auto done = sum->bind(run, position++, totals.direction, members_of<kKey>(totals)).run();
    if (!done) return done;
  }
  return {};
}

Status expect_ended(Connection& connection, RunId run) {
  const auto ended = connection.value<std::int64_t>(
      fmt::format("SELECT count(*) FROM runs WHERE id = {} AND removing = 0 AND state IN ('finished', "
                  "'failed', 'canceled', 'interrupted')",
                  run));
  if (!ended) return std::unexpected(ended.error());
  if (*ended == 0) return fail(ErrorKind::not_found, fmt::format("run {}: no such run has ended", run));
  return {};
}

// Packets that a device counted stay in the row.
Status replace_goodput(Connection& connection, RunId run, const std::optional<std::uint64_t>& bytes) {
  auto insert = connection.prepare(
      "INSERT INTO traffic (run, goodput_bytes) VALUES (?, ?) "
      "ON CONFLICT (run) DO UPDATE SET goodput_bytes = excluded.goodput_bytes");
  if (!insert) return std::unexpected(insert.error());
  if (auto done = insert->bind(run, bytes).run(); !done) return done;
  return connection.execute(
      fmt::format("DELETE FROM traffic WHERE run = {} AND goodput_bytes IS NULL AND packets IS NULL", run));
}

// The job of an import has this run only.
Status replace_test(Connection& connection, RunId run, const core::RunReading::Test& test) {
  auto job = connection.prepare(
      "UPDATE jobs SET protocol = ?, direction = ?, streams = ?, duration_ms = ?, bytes = ?, omit_ms = ?, "
      "server = ? WHERE id = (SELECT job FROM runs WHERE id = ?)");
  if (!job) return std::unexpected(job.error());
  const TestSpec& asked = test.asked;
  auto done =
      job->bind(to_string(asked.traffic.protocol), to_string(asked.traffic.direction), asked.traffic.streams,
                asked.traffic.duration, asked.traffic.bytes, asked.traffic.omit, asked.path.server, run)
          .run();
  if (!done) return done;
  auto started = connection.prepare("UPDATE runs SET started_us = ? WHERE id = ?");
  if (!started) return std::unexpected(started.error());
  if (done = started->bind(test.started, run).run(); !done) return done;
  if (done = connection.execute(fmt::format("DELETE FROM environments WHERE run = {}", run)); !done) {
    return done;
  }
  return write_fingerprint(connection, run, test.fingerprint);
}

}  // namespace

Status write_report(Connection& connection, RunId run, const WorkloadReport& report,
                    const std::vector<QualityFlag>& flags, std::size_t early) {
  if (auto done = update_run_figures(connection, run, report); !done) return done;
  if (auto done = insert_sums(connection, run, report); !done) return done;
  if (auto done = write_all(connection, "streams", run, report.streams); !done) return done;
  const std::span<const Interval> intervals = std::span{report.intervals}.subspan(early);
  if (auto done = write_intervals(connection, run, intervals, early); !done) return done;
  return write_all(connection, "flags", run, flags);
}

Status write_intervals(Connection& connection, RunId run, std::span<const Interval> intervals,
                       std::size_t first) {
  return write_all(
      connection, "intervals", columns_of<Interval>(), run, intervals,
      [](const Interval& interval) { return members_of(interval); }, first);
}

Status replace_reading(Connection& connection, RunId run, const core::RunReading& reading) {
  if (auto ended = expect_ended(connection, run); !ended) return ended;
  for (const char* table : {"sums", "streams", "intervals", "flags"}) {
    const auto emptied = connection.execute(fmt::format("DELETE FROM {} WHERE run = {}", table, run));
    if (!emptied) return emptied;
  }
  if (auto done = write_report(connection, run, reading.report, reading.flags); !done) return done;
  if (auto done = replace_goodput(connection, run, reading.goodput_bytes); !done) return done;
  return reading.test ? replace_test(connection, run, *reading.test) : Status{};
}

}  // namespace netperfd::store
