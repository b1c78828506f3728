// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/rows/wire.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "daemon/bus/rows/row_maker.hpp"
#include "daemon/bus/rows/wire_text.hpp"
#include "daemon/model/figure.hpp"
#include "daemon/model/import_date.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_state.hpp"
#include "dbus/rows/iperf3.hpp"
#include "dbus/rows/run.hpp"

namespace netperfd::bus {
namespace {

double seconds(std::chrono::milliseconds duration) {
  return std::chrono::duration<double>(duration).count();
}
double seconds(std::chrono::microseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

std::uint64_t number(std::int64_t id) {
  return static_cast<std::uint64_t>(id);
}

// Of latency alone, too.
void put_place(rows::Run& row, const JobSpec& spec) {
  const TestSpec& place = spec.test;
  if (place.traffic.duration) row.duration_s = seconds(*place.traffic.duration);
  row.server = if_any(place.path.server);  // a command may have none
  row.client_netns = if_any(place.path.netns);
  if (place.path.local) row.server_netns = if_any(place.path.local->netns);
}

void put_what_was_asked(rows::Run& row, const JobSpec& spec) {
  const TestSpec& test = spec.test;
  row.protocol = to_string(test.traffic.protocol);
  row.direction = to_string(test.traffic.direction);
  row.streams = test.traffic.streams;
  row.bytes = test.traffic.bytes;
  row.omit_s = seconds(test.traffic.omit);
}

void put_latency(rows::Run& row, const core::RunRow::Latency& latency) {
  row.latency_phase = latency.phase;
  row.latency_p50_ns = latency.p50_ns;
  row.latency_p99_ns = latency.p99_ns;
  row.latency_lost_percent = latency.lost_percent;
}

void put_what_iperf3_told(rows::Run& row, const core::RunRow& run) {
  row.iperf3_version = if_any(run.iperf3_version);
  if (run.client) {
    row.client_host = if_any(run.client->host);
    row.client_port = run.client->port;
  }
  if (run.server) {
    row.server_host = if_any(run.server->host);
    row.server_port = run.server->port;
  }
  row.mss = run.mss_bytes;
  row.congestion = if_any(run.congestion);
  row.cpu_client_percent = run.cpu_client_percent;
  row.cpu_server_percent = run.cpu_server_percent;
  if (run.client_usage) {
    row.client_user_s = seconds(run.client_usage->user);
    row.client_system_s = seconds(run.client_usage->system);
  }
}

template <class Row>  // rows::Job or rows::Design
void put_design(Row& row, const Design& design) {
  row.seed = design.seed;
  if (design.a) row.variant_a = design.a->name;
  if (design.b) row.variant_b = design.b->name;
  row.changed = design.changed;
}

// A skipped trace has no counts.
void put_trace(rows::Run& row, const core::TraceTotals& trace) {
  row.trace_skipped = if_any(trace.skipped);
  if (!trace.skipped.empty()) return;
  row.trace_events = trace.events;
  row.trace_lost = trace.lost;
  row.trace_broken = if_any(trace.broken);
  row.tracer_share = trace.tracer_share;
}

void put_slot(rows::Run& row, const core::RunRow& run) {
  if (run.spec.purpose != JobPurpose::measurement) row.purpose = to_string(run.spec.purpose);
  // The sides of a table of numbers may have no blocks.
  if (run.slot.block != 0) {
    row.block = run.slot.block;
    row.letter = run.slot.letter;
    row.traced = run.slot.traced;
  }
  if (run.slot.point != 0) {
    row.point = run.slot.point;
    row.point_name = run.point_name;
  }
  if (run.slot.variant == '\0') return;
  row.side = std::string{run.slot.variant};
  row.variant = run.variant;
  if (!run.build.empty()) row.build = run.build;
}

void put_import(rows::Run& row, const core::RunRow& run) {
  if (!run.files.empty()) row.files.emplace();
  for (const SourceFile& file : run.files) row.files->push_back(file.name);
  const auto date = date_of_import(run.files, run.started);
  if (!date) return;
  row.measured_us = microseconds(date->measured);
  row.measured_by = to_string(date->source);
}

rows::Run make_run(const core::RunRow& run) {
  rows::Run row;
  row.run = number(run.id);
  row.job = number(run.job);
  row.index = run.index;
  row.repeat = run.spec.repeat;
  put_slot(row, run);
  row.scenario = run.spec.name;
  row.label = run.spec.label;
  row.state = to_string(run.state);
  row.error = if_any(run.error);
  row.owner = static_cast<std::uint32_t>(run.owner);
  row.created_us = microseconds(run.created);
  row.started_us = microseconds(run.started);
  row.ended_us = microseconds(run.ended);
  row.workload = run.spec.workload.name;
  // The text of a tool that netperfd also runs tells no place.
  if (has_traffic(run.spec) || (run.spec.workload.measures_path && run.files.empty()))
    put_place(row, run.spec);
  if (run.latency) put_latency(row, *run.latency);
  if (run.figure) {
    row.figure = run.figure->name;
    row.figure_value = run.figure->value;
    row.figure_unit = if_any(run.figure->unit);
  }
  if (has_traffic(run.spec)) {
    put_what_was_asked(row, run.spec);
    put_what_iperf3_told(row, run);
  }
  if (run.trace) put_trace(row, *run.trace);
  row.flags = static_cast<std::uint32_t>(run.flags.size());
  row.documents = run.documents;
  row.note = if_any(run.note);
  if (run.spec.workload.of_files || !run.files.empty()) put_import(row, run);
  if (std::ranges::find(run.flags, kFromBundle, &QualityFlag::code) != run.flags.end())
    row.from_bundle = true;
  return row;
}

}  // namespace

Row run_row(const core::RunRow& run) {
  return to_wire(make_run(run));
}

Row listed_run_row(const core::RunRow& run) {
  rows::Run row = make_run(run);
  row.error = if_any(wire_text(run.error, kShortTextBytes));
  if (!run.sums.empty()) {
    const Totals& first = run.sums.front();
    row.received_bits_per_second = first.received_bits_per_second;
    row.sent_bits_per_second = first.sent_bits_per_second;
    row.retransmits = first.retransmits;
    row.lost_percent = first.lost_percent;
  }
  return to_wire(row);
}

Row named_figure_row(const NamedFigure& figure) {
  rows::NamedFigure row;
  row.name = figure.name;
  row.unit = if_any(figure.unit);
  row.better = to_string(figure.better);
  row.value = figure.value;
  return to_wire(row);
}

Row scenario_row(const core::ScenarioRow& scenario) {
  rows::Scenario row;
  row.name = scenario.name;
  row.description = scenario.description;
  row.file = scenario.file;
  row.error = if_any(scenario.error);
  return to_wire(row);
}

Row spread_row(const analysis::Spread& spread) {
  rows::Spread row;
  row.direction = to_string(spread.direction);
  row.runs = spread.runs;
  row.median = spread.median;
  row.lowest = spread.lowest;
  row.highest = spread.highest;
  row.cv_percent = spread.cv_percent;
  return to_wire(row);
}

core::JobRow summary_of(const std::vector<core::RunRow>& runs) {
  const core::RunRow& first = runs.front();
  core::JobRow job;
  job.id = first.job;
  job.scenario = first.spec.name;
  job.label = first.spec.label;
  job.owner = first.owner;
  job.created = first.created;
  job.repeat = first.spec.repeat;
  job.purpose = first.spec.purpose;
  job.design = first.spec.design;
  job.confirms = first.spec.confirms;
  const auto flag = std::ranges::find(first.flags, kFromBundle, &QualityFlag::code);
  if (flag != first.flags.end()) job.origin = flag->message.substr(0, flag->message.find(kOriginalRun));
  for (const core::RunRow& run : runs) {
    job.points = std::max(job.points, run.slot.point);
    job.runs.push_back({.id = run.id,
                        .state = run.state,
                        .started = run.started,
                        .ended = run.ended,
                        .needed = run.state != RunState::canceled || !run.error.starts_with(kNotNeeded)});
  }
  return job;
}

Row boot_row(const BootRecord& boot) {
  rows::Boot row;
  row.number = boot.number;
  if (boot.letter != 0) {
    row.block = boot.block;
    row.letter = boot.letter;
  }
  row.side = std::string(1, boot.side);
  row.variant = if_any(boot.variant);
  row.asked_us = microseconds(boot.asked);
  if (boot.settled) {
    row.settled_us = microseconds(*boot.settled);
    row.seconds = std::chrono::duration<double>(*boot.settled - boot.asked).count();
  }
  row.kernel = if_any(boot.kernel);
  row.boot_id = if_any(boot.boot_id);
  row.failure = if_any(boot.failure);
  return to_wire(row);
}

Row job_row(const core::JobRow& job) {
  const auto count = [&](RunState state) {
    return static_cast<std::uint32_t>(std::ranges::count(job.runs, state, &core::JobRow::Run::state));
  };
  std::vector<std::uint64_t> ids;
  ids.reserve(job.runs.size());
  std::optional<WallTime> started, ended;
  bool live = false;
  for (const core::JobRow::Run& run : job.runs) {
    ids.push_back(number(run.id));
    live = live || !has_ended(run.state);
    if (run.started && (!started || *run.started < *started)) started = run.started;
    if (run.ended && (!ended || *run.ended > *ended)) ended = run.ended;
  }
  rows::Job row;
  row.job = number(job.id);
  row.scenario = job.scenario;
  row.label = job.label;
  row.owner = static_cast<std::uint32_t>(job.owner);
  row.created_us = microseconds(job.created);
  row.repeat = job.repeat;
  row.purpose = to_string(job.purpose);
  if (job.design) put_design(row, *job.design);
  if (job.points > 0) row.points = job.points;
  row.runs = ids;
  row.finished = count(RunState::finished);
  row.failed = count(RunState::failed);
  const auto not_needed =
      static_cast<std::uint32_t>(std::ranges::count(job.runs, false, &core::JobRow::Run::needed));
  row.canceled = count(RunState::canceled) - not_needed;
  if (not_needed > 0) row.not_needed = not_needed;
  row.interrupted = count(RunState::interrupted);
  const bool failed = *row.failed + *row.interrupted > 0;
  row.state = live ? "live" : failed ? "failed" : *row.canceled > 0 ? "canceled" : "finished";
  row.started_us = microseconds(started);
  if (!live) row.ended_us = microseconds(ended);
  if (job.confirms) row.confirms = number(*job.confirms);
  row.origin = if_any(job.origin);
  return to_wire(row);
}

Row design_row(const core::JobStatus& job) {
  rows::Design row;
  if (!job.design) return to_wire(row);
  row.blocks = job.repeat;
  row.plain = job.design->plain;
  put_design(row, *job.design);
  if (const std::uint32_t points = job.design->points(); points > 0) row.points = points;
  std::vector<std::uint32_t> blocks, letters;
  std::vector<std::string> variants;
  std::vector<bool> traced;
  for (const Slot& slot : job.slots) {
    blocks.push_back(slot.block);
    letters.push_back(slot.letter);
    traced.push_back(slot.traced);
    if (slot.variant != '\0') variants.push_back((slot.variant == 'A' ? job.design->a : job.design->b)->name);
  }
  row.block = blocks;
  row.letter = letters;
  row.variant = variants;
  row.traced = traced;
  return to_wire(row);
}

Rows flag_rows(const std::vector<QualityFlag>& flags) {
  std::size_t room = kRowsBudgetBytes / 2;
  return fitting_rows(flags, to_wire<QualityFlag>, room, room);
}

}  // namespace netperfd::bus
