// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/figure_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/analysis/compare/side_noise.hpp"
#include "daemon/model/counter_figure.hpp"
#include "daemon/model/figure_registry.hpp"
#include "daemon/model/latency.hpp"
#include "daemon/model/noise.hpp"
#include "daemon/store/columns.hpp"
#include "daemon/store/digests.hpp"
#include "daemon/store/named_figures.hpp"
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
        {&ReadingsReader::traffic_, "SELECT goodput_bytes, packets FROM traffic WHERE run = ?"},
        {&ReadingsReader::counters_,
         fmt::format("SELECT {} FROM counters WHERE run = ? AND (source = '{}' OR source = 'cpu' AND name = "
                     "'busy')",
                     columns_of<CounterDelta>(), noise::kSource)},
        {&ReadingsReader::all_counters_,
         fmt::format("SELECT {} FROM counters {}", columns_of<CounterDelta>(), of_run)},
        // The last sample of each has all that it counted.
        {&ReadingsReader::queues_,
         fmt::format("SELECT {} FROM (SELECT *, max(time_us) FROM queue_samples WHERE run = ? "
                     "GROUP BY device, netns, kind, handle, parent)",
                     columns_of<QueueSample>())},
        {&ReadingsReader::probes_, fmt::format("SELECT name FROM latency_probes {}", of_run)},
        {&ReadingsReader::phases_,
         fmt::format("SELECT {} FROM latency_phases {}", columns_of<rows::LatencyPhase>(), of_run)},
        {&ReadingsReader::round_trips_,
         fmt::format("SELECT {} FROM latency_spans WHERE run = ? AND span = '{}' ORDER BY position",
                     columns_of<rows::LatencySpan>(), kRoundTrip)},
        {&ReadingsReader::own_,
         fmt::format("SELECT {} FROM run_figures WHERE run = ? ORDER BY name", kNamedFigureColumns)}};
    for (const auto& [member, sql] : statements) {
      auto statement = connection.prepare(sql);
      if (!statement) return std::unexpected(std::move(statement.error()));
      reader.*member = std::move(*statement);
    }
    return reader;
  }

  // `counted`: with all that the kernel counted, which are some hundred rows.
  Result<FigureReadings> read(const analysis::ComparedRun& run, bool counted) {
    FigureReadings readings;
    readings.received_bits_per_second = run.received_bits_per_second;
    readings.own = run.own_figures;
    auto done = for_each_row(sums_.bind(run.id),
                             [&](RowReader& row) { row.read(members_of<2>(readings.sums.emplace_back())); });
    if (done) {
      done = for_each_row(traffic_.bind(run.id),
                          [&](RowReader& row) { row.read(readings.goodput_bytes, readings.packets); });
    }
    if (done) {
      done = for_each_row(probes_.bind(run.id),
                          [&](RowReader& row) { row.read(readings.probes.emplace_back()); });
    }
    if (done) {
      done = for_each_row(phases_.bind(run.id),
                          [&](RowReader& row) { row.read(members_of(readings.phases.emplace_back())); });
    }
    if (done) {
      done = for_each_row(round_trips_.bind(run.id),
                          [&](RowReader& row) { row.read(members_of(readings.round_trips.emplace_back())); });
    }
    if (done) done = read_cpu(run.id, readings);
    if (done && counted) done = read_counters(run.id, readings);
    if (!done) return std::unexpected(std::move(done.error()));
    return readings;
  }

  Status read_own(analysis::ComparedRun& run) {
    run.own_figures.clear();
    return for_each_row(own_.bind(run.id),
                        [&](RowReader& row) { run.own_figures.push_back(read_named_figure(row)); });
  }

 private:
  Status read_cpu(RunId run, FigureReadings& readings) {
    std::vector<CounterDelta> counters;
    auto done = for_each_row(counters_.bind(run),
                             [&](RowReader& row) { row.read(members_of(counters.emplace_back())); });
    const auto busy = noise::busy_ns(counters);
    readings.window_ns = noise::figure(counters, noise::kWindow);
    if (!done || !busy) return done;
    readings.cpu_ns = analysis::own_cpu_ns(*busy, counters);
    readings.counted_cpu_ns = analysis::counted_cpu_ns(*busy, counters);
    // With probes beside it, iperf3 does not run all the time.
    readings.has_uncounted_part =
        noise::figure(counters, noise::kUncountedBusy).has_value() || !readings.phases.empty();
    readings.has_end_apart = noise::figure(counters, noise::kUncountedEnd).has_value();
    return done;
  }

  Status read_counters(RunId run, FigureReadings& readings) {
    auto done = for_each_row(all_counters_.bind(run),
                             [&](RowReader& row) { row.read(members_of(readings.counters.emplace_back())); });
    if (done) {
      done = for_each_row(queues_.bind(run),
                          [&](RowReader& row) { row.read(members_of(readings.queues.emplace_back())); });
    }
    // A netperfd that did not look for noise stored no window. Each CPU was either busy or idle in all of it.
    if (!readings.window_ns) readings.window_ns = longest_cpu_time(readings.counters);
    return done;
  }

  static std::optional<std::uint64_t> longest_cpu_time(const std::vector<CounterDelta>& counters) {
    std::map<std::string_view, std::uint64_t> times;
    for (const CounterDelta& counter : counters) {
      const std::string_view name = counter.name;
      const bool of_a_cpu = counter.source == "cpu" && name.starts_with("cpu");
      if (of_a_cpu && (name.ends_with(" busy") || name.ends_with(" idle")))
        times[name.substr(0, name.find(' '))] += counter.delta;
    }
    std::uint64_t longest = 0;
    for (const auto& [cpu, time] : times) longest = std::max(longest, time);
    return longest > 0 ? std::optional{longest} : std::nullopt;
  }

  Statement sums_, traffic_, counters_, all_counters_, queues_, probes_, phases_, round_trips_, own_;
};

void put_figure(const Figure& figure, const FigureReadings& readings, analysis::ComparedRun& run) {
  const FigureEntry* entry = find_figure(figure.name);
  if (entry == nullptr) return;  // the run's own
  auto value = entry->read(readings, figure);
  if (entry->read_whole != nullptr) {
    run.whole_cpu = entry->read_whole(readings, figure);
    run.cpu_of_whole = !value && run.whole_cpu;
    const bool of_iperf3_alone = value && !readings.sums.empty() && readings.phases.empty();
    run.cpu_with_start = of_iperf3_alone && !readings.counted_cpu_ns;
    run.cpu_with_end = of_iperf3_alone && !readings.has_end_apart;
    if (!value) value = run.whole_cpu;
  }
  const std::string name = to_string(figure);
  if (value && entry->source != nullptr) run.sources.insert_or_assign(name, entry->source(readings, figure));
  if (value) {
    run.figures.insert_or_assign(name, *value);
  } else if (is_counter_figure(name)) {
    for (std::string& near : nearest_counters(name, counter_figures_of(readings))) {
      if (std::ranges::find(run.nearest, near) == run.nearest.end()) run.nearest.push_back(std::move(near));
    }
  }
}

bool is_of_counters(const Figure& figure) {
  return is_counter_figure(figure.name);
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
  // Whether a run of the job has it as its own.
  auto select = connection.prepare(
      "SELECT figure, threshold, EXISTS (SELECT 1 FROM runs AS r JOIN run_figures AS f ON f.run = r.id "
      "WHERE r.job = j.job AND f.name = j.figure) FROM job_figures AS j WHERE job = ? ORDER BY position");
  if (!select) return std::unexpected(std::move(select.error()));
  std::vector<FigureChoice> figures;
  std::string unknown;
  auto done = for_each_row(select->bind(job), [&](RowReader& row) {
    std::string name;
    bool is_runs_own = false;
    FigureChoice& choice = figures.emplace_back();
    row.read(name, choice.threshold, is_runs_own);
    auto figure = is_runs_own ? parse_any_figure(name) : parse_figure(name);
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
    auto intact = expect_intact(connection, of_run(run.id),
                                {"sums", "counters", "queue_samples", "traffic", "latency_probes",
                                 "latency_phases", "latency_spans", "run_figures"});
    if (!intact) return intact;
  }
  auto reader = ReadingsReader::prepare(connection);
  if (!reader) return std::unexpected(std::move(reader.error()));
  const bool counted = std::ranges::any_of(figures, is_of_counters);
  for (analysis::ComparedRun& run : runs) {
    if (auto done = reader->read_own(run); !done) return done;
    const auto readings = reader->read(run, counted);
    if (!readings) return std::unexpected(readings.error());
    run.nearest.clear();
    for (const Figure& figure : figures) put_figure(figure, *readings, run);
  }
  return {};
}

}  // namespace netperfd::store
