// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/verbs/shown_run.hpp"
#include "client/pages/workload/workload.hpp"

#include <optional>
#include <utility>

namespace netperfctl {
namespace {

Outcome<void> fetch_trace(Daemon& daemon, ShowView& view) {
  const RunView& run = view.details.run;
  if (!run.trace_events && !run.trace_skipped && !run.trace_broken) return {};
  auto trace = daemon.trace(run.run);
  if (!trace && trace.error().exit == Exit::not_found) return {};
  if (!trace) return std::unexpected(trace.error());
  view.trace = std::move(*trace);
  if (view.trace->trace.skipped) return {};
  constexpr std::uint32_t kOnThePage = 3;
  auto stacks =
      daemon.trace_stacks(run.run, view.trace_lists.stacks ? std::nullopt : std::optional{kOnThePage});
  if (!stacks) return std::unexpected(stacks.error());
  view.stacks = std::move(*stacks);
  if (!view.trace_lists.events) return {};
  auto samples = daemon.trace_samples(run.run);
  if (!samples) return std::unexpected(samples.error());
  view.samples = std::move(*samples);
  return {};
}

Outcome<void> fetch_functions(Daemon& daemon, ShowView& view) {
  if (!view.trace || view.trace->trace.skipped) return {};
  auto profile = daemon.profile(view.details.run.run, view.function_lists, view.trace_lists.over_time);
  // Events alone were traced.
  if (!profile && profile.error().exit == Exit::not_found) return {};
  if (!profile) return std::unexpected(profile.error());
  view.functions = std::move(*profile);
  if (!view.details.run.job) return {};
  auto budget = daemon.budget(*view.details.run.job);
  if (!budget) return std::unexpected(budget.error());
  view.budget = std::move(*budget);
  return {};
}

// A run without probes has no headline of them either, but one that failed may have measured some of it.
bool has_probes(const RunView& run) {
  return run.latency_phase || page_of(run).probes_alone;
}

Outcome<void> fetch_counters(Daemon& daemon, ShowView& view, Format format) {
  // The page has the noise of the host, and that of a TCP run its counter of retransmissions, whether it
  // lists all or not. The page of a run with probes draws the backlog of its queues.
  const RunView& run = view.details.run;
  const bool page = format == Format::table && view.with_page;
  const bool queues = view.list_queues || (page && has_probes(run));
  if (!view.list_counters && !view.list_tcp && !queues && !(page && run.protocol)) return {};
  auto counters = daemon.counters(run.run, view.list_tcp, queues);
  if (!counters && counters.error().exit == Exit::not_found) return {};
  if (!counters) return std::unexpected(counters.error());
  view.counters = std::move(*counters);
  return {};
}

Outcome<void> fetch_samples(Daemon& daemon, ShowView& view) {
  // The stacks of a traced run are those of its events.
  const bool stacks = view.trace_lists.stacks && !view.trace;
  if (!view.list_samples && !stacks) return {};
  auto sampled = daemon.samples(view.details.run.run, view.list_samples, stacks);
  if (!sampled && sampled.error().exit == Exit::not_found) return {};
  if (!sampled) return std::unexpected(sampled.error());
  view.sampled = std::move(*sampled);
  return {};
}

Outcome<void> fetch_latency(Daemon& daemon, ShowView& view) {
  const RunView& run = view.details.run;
  if (!has_probes(run) && !view.list_latency) return {};
  auto latency = daemon.latency(run.run);
  if (!latency && latency.error().exit == Exit::not_found) return {};
  if (!latency) return std::unexpected(latency.error());
  view.latency = std::move(*latency);
  return {};
}

Outcome<void> fetch_figures(Daemon& daemon, ShowView& view) {
  auto figures = daemon.figures(view.details.run.run);
  if (!figures) return std::unexpected(figures.error());
  view.figures = std::move(*figures);
  return {};
}

Outcome<void> fetch_environment(Daemon& daemon, ShowView& view) {
  if (!view.list_environment) return {};
  auto environment = daemon.environment(view.details.run.run);
  if (!environment && environment.error().exit == Exit::not_found) return {};
  if (!environment) return std::unexpected(environment.error());
  view.environment = std::move(*environment);
  return {};
}

// A run of a day has 86,400 intervals: a page gets as many points as its pictures need, whatever its width.
Outcome<void> fetch_intervals(Daemon& daemon, ShowView& view, const RunParts& parts, Format format) {
  constexpr std::uint32_t kPoints = 1000;
  const std::uint64_t run = view.details.run.run;
  if (format == Format::table) {
    auto points = daemon.interval_points(run, kPoints);
    if (!points) return std::unexpected(points.error());
    view.over_time = std::move(*points);
  }
  const bool csv = format == Format::csv && view.with_page && !parts.streams;
  if (!csv && !parts.intervals) return {};
  auto intervals = daemon.intervals(run);
  if (!intervals) return std::unexpected(intervals.error());
  view.intervals = std::move(*intervals);
  return {};
}

}  // namespace

Outcome<ShowView> fetch_run(Daemon& daemon, std::uint64_t run, const RunParts& parts, Format format) {
  ShowView view;
  view.with_page = parts.with_page || !parts.lists_anything();
  view.list_intervals = parts.intervals;
  view.list_streams = parts.streams;
  view.list_environment = parts.environment;
  view.list_counters = parts.counters;
  view.list_tcp = parts.tcp;
  view.list_queues = parts.queues;
  view.list_samples = parts.samples;
  view.list_latency = parts.latency;
  view.list_figures = parts.figures;
  view.trace_lists = parts.trace;
  view.function_lists = parts.functions;
  auto details = daemon.run(run);
  if (!details) return std::unexpected(details.error());
  view.details = std::move(*details);
  const std::uint64_t number = view.details.run.run;
  if (view.details.run.job) {
    auto job = daemon.job(*view.details.run.job);
    if (!job && job.error().exit != Exit::not_found) return std::unexpected(job.error());
    if (job) view.job = std::move(*job);
  }
  if (const auto done = fetch_intervals(daemon, view, parts, format); !done)
    return std::unexpected(done.error());
  if (parts.streams) {
    auto streams = daemon.streams(number);
    if (!streams) return std::unexpected(streams.error());
    view.streams = std::move(*streams);
  }
  if (const auto done = fetch_counters(daemon, view, format); !done) return std::unexpected(done.error());
  if (const auto done = fetch_latency(daemon, view); !done) return std::unexpected(done.error());
  if (const auto done = fetch_figures(daemon, view); !done) return std::unexpected(done.error());
  if (const auto done = fetch_environment(daemon, view); !done) return std::unexpected(done.error());
  if (const auto traced = fetch_trace(daemon, view); !traced) return std::unexpected(traced.error());
  if (const auto traced = fetch_functions(daemon, view); !traced) return std::unexpected(traced.error());
  if (const auto done = fetch_samples(daemon, view); !done) return std::unexpected(done.error());
  return view;
}

}  // namespace netperfctl
