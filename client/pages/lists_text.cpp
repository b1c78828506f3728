// SPDX-License-Identifier: GPL-2.0-or-later
// The tables: runs, live jobs, scenarios.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "client/pages/named_figures_text.hpp"
#include "client/pages/render.hpp"
#include "client/pages/slots.hpp"
#include "client/terminal/escaped.hpp"
#include "client/terminal/table.hpp"
#include "client/terminal/times.hpp"
#include "client/terminal/units.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfctl {
namespace {

Cell run_note(const RunView& run) {
  if (run.error && !run.error->empty())
    return {*run.error, run.state == "failed" ? Style::bad : Style::plain};
  std::string note = run.note.value_or("");
  if (run.files) note += fmt::format("{}{}", note.empty() ? "" : ", ", fmt::join(*run.files, " and "));
  if (run.from_bundle.value_or(false)) note += (note.empty() ? "" : ", ") + std::string{"from a bundle"};
  if (run.direction == "both")
    note += (note.empty() ? "" : ", ") + std::string{"figures of sending; see show"};
  if (run.trace_skipped && !run.trace_skipped->empty())
    note += (note.empty() ? "" : ", ") + std::string{"not traced"};
  if (run.trace_broken && !run.trace_broken->empty())
    note += (note.empty() ? "" : ", ") + std::string{"trace broken"};
  if (run.flags.value_or(0) > 0) note += (note.empty() ? "" : ", ") + plural(*run.flags, "flag");
  return {note};
}

Cells run_row(const Screen& screen, const RunView& run) {
  const std::string state = run.state.value_or("-");
  // A run that has not begun, or of which nobody knows when it was, is placed by the time it was asked for.
  const auto when = run.measured_us ? run.measured_us : run.started_us ? run.started_us : run.created_us;
  return {
      {fmt::format("{}", run.run)},
      {or_dash(run.job, [](std::uint64_t job) { return fmt::format("{}", job); })},
      {run.scenario.value_or("-")},
      {run.label.value_or("")},
      {short_slot_words(run)},
      {or_dash(when, [&](std::uint64_t time) { return format_time(time, screen.now_us); })},
      {state, style_of_state(state)},
      {or_dash(run.received_bits_per_second, format_rate)},
      {run.lost_percent ? format_percent(*run.lost_percent) : or_dash(run.retransmits, format_count)},
      {show::figure_words(run)},
      {or_dash(run.latency_p50_ns, format_as_milliseconds)},
      {or_dash(run.latency_p99_ns, format_as_milliseconds)},
      {or_dash(run.trace_events,
               [](std::uint64_t count) { return format_short(static_cast<double>(count)); })},
      {or_dash(run.trace_lost, [](std::uint64_t count) { return format_short(static_cast<double>(count)); }),
       run.trace_lost.value_or(0) > 0 ? Style::bad : Style::plain}};
}

std::string job_run(const LiveJobView& job) {
  if (!job.runs) return "-";
  const auto ended = job.runs_ended.value_or(0);
  if (!job.current_run) return fmt::format("{} of {} ended", ended, job.runs->size());
  return fmt::format("{} ({} of {})", *job.current_run, ended + 1, job.runs->size());
}

// The current run's, else the design's.
std::string job_slot(const LiveJobView& job) {
  if (!job.current_run || !job.runs) return design_words(job);
  const auto place = std::ranges::find(*job.runs, *job.current_run) - job.runs->begin();
  return slot_words(job, static_cast<std::size_t>(place));
}

// Of a job that waits; the times of jobs are estimates.
std::string job_queue(const LiveJobView& job) {
  return job.queue_position.value_or(0) > 0 ? plural(*job.queue_position, "job") + " before it" : "";
}

std::string job_end(const Screen& screen, const LiveJobView& job) {
  if (!job.expected_end_us) return "";
  return format_time(*job.expected_end_us, screen.now_us);
}

std::string job_progress(const LiveJobView& job) {
  const auto progress = run_progress(job);
  if (!progress) return "-";
  return fmt::format("{} % of {}", netperfd::rows::whole_percent(*progress * 100),
                     format_seconds(*job.planned_s));
}

// What went wrong in a job that goes on, and what it waits for.
Cell job_note(const LiveJobView& job) {
  const std::string waiting = waiting_words(job);
  if (!job.error) return {waiting};
  return {*job.error + (waiting.empty() ? "" : "; ") + waiting, Style::bad};
}

Cells job_row(const Screen& screen, const LiveJobView& job) {
  const std::string state = job.state.value_or("-");
  return {{fmt::format("{}", job.job)},
          {job.scenario.value_or("-")},
          {job.label.value_or("")},
          {state, style_of_state(state)},
          {job_run(job)},
          {job_slot(job)},
          {job.current_run ? job.run_state.value_or("-") : "-"},
          {job_progress(job)},
          {job_queue(job)},
          {job_end(screen, job)}};
}

}  // namespace

std::string runs_text(const Screen& screen, std::span<const RunView> runs, bool filtered, bool more) {
  if (runs.empty()) {
    return filtered ? "No run matches.\n"
                    : "No runs yet. `netperfctl scenarios` lists what can be started, `netperfctl start "
                      "NAME` does.\n";
  }
  std::vector<Cells> rows;
  std::vector<Cell> notes;
  for (const RunView& raw : runs) {
    const RunView run = escaped(raw);
    rows.push_back(run_row(screen, run));
    notes.push_back(run_note(run));
  }
  // Where events and their losses stand beside it, "LOST" would say two things, and room is short.
  const bool traced =
      std::ranges::any_of(runs, [](const RunView& run) { return run.trace_events || run.trace_lost; });
  // Which side it was says more than when; and nothing is cut where a column that says less can go.
  const bool design = std::ranges::any_of(runs, has_slot);
  std::string text =
      render_table(screen,
                   {{.title = "RUN", .right = true},
                    {.title = "JOB", .right = true, .leaves = 2},
                    {.title = "SCENARIO", .shrink_to = 8, .yields = 1},
                    {.title = "LABEL", .shrink_to = 6, .optional = true, .yields = 2},
                    {.title = "ARM", .shrink_to = 9, .optional = true},
                    {.title = "STARTED", .leaves = design ? 1U : 0U, .yields = 8},
                    {.title = "STATE"},
                    {.title = "RECEIVED", .right = true},
                    {.title = traced ? "RETR" : "RETR/LOST", .right = true, .optional = true, .yields = 3},
                    {.title = "FIGURE", .shrink_to = 12, .optional = true},
                    {.title = "P50 ms", .right = true, .optional = true, .yields = 5},
                    {.title = "P99 ms", .right = true, .optional = true, .yields = 4},
                    {.title = "EVENTS", .right = true, .optional = true, .yields = 7},
                    {.title = "LOST", .right = true, .optional = true, .yields = 6}},
                   std::move(rows), std::move(notes));
  if (more) text += fmt::format("The newest {}; --all lists every run, --limit N so many.\n", runs.size());
  return text;
}

std::string jobs_text(const Screen& screen, std::span<const LiveJobView> jobs) {
  if (jobs.empty()) return "No live jobs. `netperfctl jobs --all` lists those that have ended.\n";
  std::vector<Cells> rows;
  std::vector<Cell> notes;
  for (const LiveJobView& raw : jobs) {
    const LiveJobView job = escaped(raw);
    rows.push_back(job_row(screen, job));
    notes.push_back(job_note(job));
  }
  const bool design =
      std::ranges::any_of(jobs, [](const LiveJobView& job) { return job.blocks.has_value(); });
  return render_table(screen,
                      {{.title = "JOB", .right = true},
                       {.title = "SCENARIO", .shrink_to = 8},
                       {.title = "LABEL", .shrink_to = 6, .optional = true, .yields = 3},
                       {.title = "STATE"},
                       {.title = "RUN"},
                       {.title = "ARM", .shrink_to = 14, .optional = true, .yields = 1},
                       {.title = "RUN STATE", .optional = true, .leaves = design ? 3U : 0U, .yields = 4},
                       {.title = "PROGRESS", .right = true, .optional = true, .yields = 2},
                       {.title = "WAITS", .optional = true, .leaves = 1},
                       {.title = "ENDS ABOUT", .optional = true, .leaves = 2}},
                      std::move(rows), std::move(notes));
}

std::string scenarios_text(const Screen& screen, std::span<const ScenarioView> scenarios) {
  if (scenarios.empty()) {
    return "No scenarios. root puts them into /etc/netperfd/scenarios.d/, a YAML file each;\n"
           "`netperfctl start ./FILE.yaml` measures by a file of your own.\n";
  }
  std::vector<Cells> rows;
  std::vector<Cell> notes;
  for (const ScenarioView& raw : scenarios) {
    const ScenarioView scenario = escaped(raw);
    rows.push_back(
        {{scenario.name.value_or("-")}, {scenario.description.value_or("")}, {scenario.file.value_or("")}});
    const bool wrong = scenario.error && !scenario.error->empty();
    notes.push_back({wrong ? "cannot be started: " + *scenario.error : "", Style::bad});
  }
  return render_table(screen,
                      {{.title = "SCENARIO", .shrink_to = 20},
                       {.title = "DESCRIPTION", .shrink_to = 20},
                       {.title = "FILE", .optional = true, .leaves = 1}},
                      std::move(rows), std::move(notes));
}

}  // namespace netperfctl
