// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/figure_table.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/analysis/compare/side_noise.hpp"
#include "daemon/model/figure_registry.hpp"
#include "daemon/model/latency.hpp"
#include "daemon/model/noise.hpp"
#include "daemon/store/columns.hpp"
#include "daemon/store/digests.hpp"
#include "daemon/store/rows.hpp"

namespace netperfd::store {
namespace {

// What figures are read from, each by one statement for all runs.
class ReadingsReader {
 public:
  static Result<ReadingsReader> prepare(Connection& connection) {
    ReadingsReader reader;
    const std::string of_run = "WHERE run = ? ORDER BY position";
    const std::pair<Statement ReadingsReader::*, std::string> statements[] = {
        {&ReadingsReader::sums_, fmt::format("SELECT {} FROM sums {}", columns_of<rows::Sum, 2>(), of_run)},
        {&ReadingsReader::goodput_, "SELECT goodput_bytes FROM traffic WHERE run = ?"},
        {&ReadingsReader::counters_,
         fmt::format("SELECT {} FROM counters WHERE run = ? AND (source = '{}' OR source = 'cpu' AND name = "
                     "'busy')",
                     columns_of<CounterDelta>(), noise::kSource)},
        {&ReadingsReader::probes_, fmt::format("SELECT name FROM latency_probes {}", of_run)},
        {&ReadingsReader::phases_,
         fmt::format("SELECT {} FROM latency_phases {}", columns_of<rows::LatencyPhase>(), of_run)},
        {&ReadingsReader::round_trips_,
         fmt::format("SELECT {} FROM latency_spans WHERE run = ? AND span = '{}' ORDER BY position",
                     columns_of<rows::LatencySpan>(), kRoundTrip)}};
    for (const auto& [member, sql] : statements) {
      auto statement = connection.prepare(sql);
      if (!statement) return std::unexpected(std::move(statement.error()));
      reader.*member = std::move(*statement);
    }
    return reader;
  }

  Result<FigureReadings> read(const analysis::ComparedRun& run) {
    FigureReadings readings;
    readings.received_bits_per_second = run.received_bits_per_second;
    auto done = for_each_row(sums_.bind(run.id), [&](const Statement& row) {
      row.read(members_of<2>(readings.sums.emplace_back()));
    });
    if (done) {
      done = for_each_row(goodput_.bind(run.id),
                          [&](const Statement& row) { row.read(readings.goodput_bytes); });
    }
    if (done) {
      done = for_each_row(probes_.bind(run.id),
                          [&](const Statement& row) { row.read(readings.probes.emplace_back()); });
    }
    if (done) {
      done = for_each_row(phases_.bind(run.id), [&](const Statement& row) {
        row.read(members_of(readings.phases.emplace_back()));
      });
    }
    if (done) {
      done = for_each_row(round_trips_.bind(run.id), [&](const Statement& row) {
        row.read(members_of(readings.round_trips.emplace_back()));
      });
    }
    if (done) done = read_cpu(run.id, readings);
    if (!done) return std::unexpected(std::move(done.error()));
    return readings;
  }

 private:
  Status read_cpu(RunId run, FigureReadings& readings) {
    std::vector<CounterDelta> counters;
    auto done = for_each_row(counters_.bind(run),
                             [&](const Statement& row) { row.read(members_of(counters.emplace_back())); });
    const auto busy = noise::busy_ns(counters);
    if (!done || !busy) return done;
    readings.cpu_ns = analysis::own_cpu_ns(*busy, counters);
    readings.counted_cpu_ns = analysis::counted_cpu_ns(*busy, counters);
    // With probes beside it, iperf3 does not run all the time.
    readings.has_uncounted_part =
        noise::figure(counters, noise::kUncountedBusy).has_value() || !readings.phases.empty();
    return done;
  }

  Statement sums_, goodput_, counters_, probes_, phases_, round_trips_;
};

void put_figure(const Figure& figure, const FigureReadings& readings, analysis::ComparedRun& run) {
  const FigureEntry* entry = find_figure(figure.name);
  if (entry == nullptr) return;  // the run's own
  auto value = entry->read(readings, figure);
  if (entry->read_whole != nullptr) {
    run.whole_cpu = entry->read_whole(readings, figure);
    run.cpu_of_whole = !value && run.whole_cpu;
    if (!value) value = run.whole_cpu;
  }
  if (value) run.figures.insert_or_assign(to_string(figure), *value);
}

}  // namespace

Status insert_figures(Connection& connection, JobId job, const std::vector<FigureChoice>& figures) {
  if (figures.empty()) return {};
  auto insert = connection.prepare(insert_into("job_figures", "job, position, figure, threshold"));
  if (!insert) return std::unexpected(std::move(insert.error()));
  std::int64_t position = 0;
  for (const FigureChoice& choice : figures) {
    const std::string name = to_string(choice.figure);
    if (auto done = insert->bind(job, position++, name, choice.threshold).run(); !done) return done;
  }
  return {};
}

Result<std::vector<FigureChoice>> read_figures_of(Connection& connection, JobId job) {
  auto select =
      connection.prepare("SELECT figure, threshold FROM job_figures WHERE job = ? ORDER BY position");
  if (!select) return std::unexpected(std::move(select.error()));
  std::vector<FigureChoice> figures;
  std::string unknown;
  auto done = for_each_row(select->bind(job), [&](const Statement& row) {
    std::string name;
    FigureChoice& choice = figures.emplace_back();
    row.read(name, choice.threshold);
    auto figure = parse_figure(name);
    if (figure) {
      choice.figure = std::move(*figure);
    } else if (unknown.empty()) {
      unknown = figure.error().message;
    }
  });
  if (done) done = expect_intact(connection, of_job(job), {"job_figures"});
  if (!done) return std::unexpected(std::move(done.error()));
  if (unknown.empty()) {
    if (auto checked = check_figures(figures); !checked) unknown = checked.error().message;
  }
  if (!unknown.empty()) {
    return fail(ErrorKind::unsupported,
                fmt::format("job {}: {}; name the figures to compare in the call", job, unknown));
  }
  return figures;
}

Status read_figure_values(Connection& connection, const std::vector<Figure>& figures,
                          std::vector<analysis::ComparedRun>& runs) {
  for (const analysis::ComparedRun& run : runs) {
    auto intact =
        expect_intact(connection, of_run(run.id),
                      {"sums", "counters", "traffic", "latency_probes", "latency_phases", "latency_spans"});
    if (!intact) return intact;
  }
  auto reader = ReadingsReader::prepare(connection);
  if (!reader) return std::unexpected(std::move(reader.error()));
  for (analysis::ComparedRun& run : runs) {
    const auto readings = reader->read(run);
    if (!readings) return std::unexpected(readings.error());
    for (const Figure& figure : figures) put_figure(figure, *readings, run);
  }
  return {};
}

}  // namespace netperfd::store
