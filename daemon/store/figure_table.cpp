// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/figure_table.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/analysis/compare/side_noise.hpp"
#include "daemon/model/noise.hpp"
#include "daemon/store/columns.hpp"
#include "daemon/store/digests.hpp"
#include "daemon/store/rows.hpp"

namespace netperfd::store {
namespace {

// Of all directions; if one of them is not known, so is the figure.
std::string_view select_of_iperf3(FigureKind kind) {
  switch (kind) {
    case FigureKind::sent:
      return "SELECT iif(count(*) = count(sent_bits_per_second), sum(sent_bits_per_second), NULL) "
             "FROM sums WHERE run = ?";
    case FigureKind::delivered:
      // iperf3 counts a late datagram that it took for lost as -1 lost.
      return "SELECT iif(count(*) = count(packets) AND count(*) = count(lost_packets), "
             "1 - max(sum(lost_packets), 0) * 1.0 / nullif(sum(packets), 0), NULL) FROM sums WHERE run = ?";
    case FigureKind::retransmits:
      return "SELECT iif(count(*) = count(retransmits) AND count(*) = count(sent_bytes), "
             "sum(retransmits) * 1e9 / nullif(sum(sent_bytes), 0), NULL) FROM sums WHERE run = ?";
    case FigureKind::rtt:
      return "SELECT iif(count(*) = count(mean_rtt), avg(mean_rtt) * 1e3, NULL) FROM sums WHERE run = ?";
    case FigureKind::jitter:
      return "SELECT iif(count(*) = count(jitter_ms), avg(jitter_ms) * 1e6, NULL) FROM sums WHERE run = ?";
    case FigureKind::received:
    case FigureKind::cpu:
    case FigureKind::latency:
      break;
  }
  return "";
}

std::string_view expression_of(LatencyStatistic statistic) {
  switch (statistic) {
    case LatencyStatistic::min:
      return "s.min_ns";
    case LatencyStatistic::p50:
      return "s.p50_ns";
    case LatencyStatistic::p90:
      return "s.p90_ns";
    case LatencyStatistic::p99:
      return "s.p99_ns";
    case LatencyStatistic::p999:
      return "s.p999_ns";
    case LatencyStatistic::max:
      return "s.max_ns";
    case LatencyStatistic::mean:
      return "s.mean_ns";
    case LatencyStatistic::jitter:
      return "p.jitter_ns";
    case LatencyStatistic::delivered:
      return "1.0 * p.received / nullif(p.sent, 0)";
    case LatencyStatistic::bloat:
      return "s.p99_ns - (SELECT i.p50_ns FROM latency_spans AS i WHERE i.run = p.run AND i.probe = p.probe "
             "AND i.phase = 'idle' AND i.span = 'round-trip')";
  }
  return "";
}

// Of the run ?1, the probe ?2 (empty: the first) and the phase ?3 (empty: load if the probe has it, otherwise
// idle).
std::string select_of_latency(LatencyStatistic statistic) {
  return fmt::format(
      "WITH chosen (probe) AS (SELECT name FROM latency_probes WHERE run = ?1 AND ?2 IN ('', name) "
      "ORDER BY position LIMIT 1) "
      "SELECT {} FROM chosen AS c JOIN latency_phases AS p ON p.run = ?1 AND p.probe = c.probe "
      "LEFT JOIN latency_spans AS s ON s.run = p.run AND s.probe = p.probe AND s.phase = p.phase "
      "AND s.span = 'round-trip' "
      "WHERE p.phase = iif(?3 <> '', ?3, iif(EXISTS (SELECT 1 FROM latency_phases AS l WHERE l.run = ?1 "
      "AND l.probe = c.probe AND l.phase = 'load'), 'load', 'idle'))",
      expression_of(statistic));
}

// All bytes that arrived; those that iperf3 counted; whether there were phases without load.
constexpr std::string_view kSelectOfCpu =
    "SELECT goodput_bytes, (SELECT iif(count(*) = count(received_bytes), sum(received_bytes), NULL) FROM "
    "sums "
    "WHERE run = t.run), EXISTS (SELECT 1 FROM latency_phases WHERE run = t.run) FROM traffic AS t "
    "WHERE run = ?";

class FigureReader {
 public:
  static Result<FigureReader> prepare(Connection& connection, const Figure& figure) {
    FigureReader reader{connection, figure};
    if (figure.kind == FigureKind::cpu) {
      auto counters = connection.prepare(fmt::format(
          "SELECT {} FROM counters WHERE run = ? AND (source = '{}' OR source = 'cpu' AND name = 'busy')",
          columns_of<CounterDelta>(), noise::kSource));
      if (!counters) return std::unexpected(std::move(counters.error()));
      reader.counters_ = std::move(*counters);
    }
    auto value =
        connection.prepare(figure.kind == FigureKind::latency ? select_of_latency(figure.statistic)
                           : figure.kind == FigureKind::cpu   ? std::string{kSelectOfCpu}
                                                              : std::string{select_of_iperf3(figure.kind)});
    if (!value) return std::unexpected(std::move(value.error()));
    reader.value_ = std::move(*value);
    return reader;
  }

  Status read(analysis::ComparedRun& run) {
    if (figure_.kind == FigureKind::cpu) return read_cpu(run);
    // One value or none. GCC 12 takes an optional here for uninitialized.
    std::vector<double> values;
    auto done = for_each_row(bound(run.id), [&](const Statement& row) {
      std::optional<double> value;
      row.read(value);
      if (value) values.push_back(*value);
    });
    if (done && !values.empty()) run.figures.insert_or_assign(name_, values.front());
    return done;
  }

 private:
  FigureReader(Connection& connection, const Figure& figure)
      : connection_(&connection), figure_(figure), name_(to_string(figure)), phase_(phase_of(figure)) {}

  static std::string_view phase_of(const Figure& figure) {
    if (figure.statistic == LatencyStatistic::bloat) return to_string(LatencyPhase::load);
    return figure.phase ? to_string(*figure.phase) : std::string_view{};
  }

  Statement& bound(RunId run) {
    if (figure_.kind == FigureKind::latency) return value_.bind(run, figure_.probe, phase_);
    return value_.bind(run);
  }

  // CPU time for each byte of goodput: of the part of the run that iperf3 counted, otherwise of the whole
  // run. If others took as much as there was, to the precision of the kernel's figures, what the workload
  // took is not known.
  Status read_cpu(analysis::ComparedRun& run) {
    std::int64_t whole = 0, received = 0;
    bool probed = false;
    auto done = for_each_row(value_.bind(run.id), [&](const Statement& row) {
      std::optional<std::int64_t> whole_bytes, received_bytes;
      row.read(whole_bytes, received_bytes, probed);
      whole = whole_bytes.value_or(0);
      received = received_bytes.value_or(0);
    });
    if (!done) return done;
    std::vector<CounterDelta> counters;
    done = for_each_row(counters_.bind(run.id),
                        [&](const Statement& row) { row.read(members_of(counters.emplace_back())); });
    const auto busy = noise::busy_ns(counters);
    if (!done || !busy) return done;
    const auto ratio = [](std::uint64_t ns, std::int64_t bytes) -> std::optional<double> {
      if (ns == 0 || bytes <= 0) return std::nullopt;
      return static_cast<double>(ns) / static_cast<double>(bytes);
    };
    run.whole_cpu = ratio(analysis::own_cpu_ns(*busy, counters), whole);
    const auto ns = analysis::counted_cpu_ns(*busy, counters);
    const bool counts_all = !noise::figure(counters, noise::kUncountedBusy) && !probed && received == whole;
    const auto counted = ns ? ratio(*ns, received) : counts_all ? run.whole_cpu : std::nullopt;
    run.cpu_of_whole = !counted && run.whole_cpu;
    if (const auto value = counted ? counted : run.whole_cpu) run.figures.insert_or_assign(name_, *value);
    return done;
  }

  Connection* connection_;
  Figure figure_;
  std::string name_, phase_;
  Statement value_, counters_;
};

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
  for (const Figure& figure : figures) {
    if (figure.kind == FigureKind::received) continue;
    auto reader = FigureReader::prepare(connection, figure);
    if (!reader) return std::unexpected(std::move(reader.error()));
    for (analysis::ComparedRun& run : runs) {
      if (auto done = reader->read(run); !done) return done;
    }
  }
  return {};
}

}  // namespace netperfd::store
