// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/json_values.hpp"
#include "client/pages/render.hpp"

namespace netperfctl {
namespace {

Json event(std::string_view name, std::uint64_t job) {
  Json json = document("event");
  json["event"] = name;
  json["job"] = job;
  return json;
}

Json jobs_document(std::span<const LiveJobView> jobs) {
  Json json = document("jobs");
  json["jobs"] = Json::array();
  for (const LiveJobView& job : jobs) json["jobs"].push_back(object(job));
  return json;
}

void add_comparison(Json& json, const ComparisonDetails& details) {
  json["comparison"] = object(details.comparison);
  json["functions"] = array(details.functions);
  json["counters"] = array(details.counters);
  json["facts"] = array(details.facts);
}

void add_sweep(Json& json, const SweepDetails& details) {
  json["sweep"] = object(details.sweep);
  json["figures"] = array(details.figures);
  json["trends"] = array(details.trends);
}

Json comparison_document(const char* kind, const CompareView& view) {
  Json json = document(kind);
  json["a"] = view.asked.a;
  json["b"] = view.asked.b;
  if (view.asked.job) json["job"] = *view.asked.job;
  add_budget(json, view.budget);
  add_comparison(json, view.details);
  return json;
}

// ASCII only, so that the content of a label cannot control a terminal.
}  // namespace

std::string runs_json(std::span<const RunView> runs, bool more) {
  Json json = document("runs");
  json["more"] = more;
  json["runs"] = array(runs);
  return pretty(json);
}

std::string audit_json(const AuditLogView& view) {
  Json json = document("log");
  json["more"] = view.more;
  json["entries"] = array(view.entries);
  return pretty(json);
}

std::string jobs_json(std::span<const LiveJobView> jobs) {
  return pretty(jobs_document(jobs));
}
std::string jobs_event_json(std::span<const LiveJobView> jobs) {
  return line(jobs_document(jobs));
}

std::string history_json(std::span<const JobView> jobs, bool more) {
  Json json = document("history");
  json["more"] = more;
  json["jobs"] = array(jobs);
  return pretty(json);
}

std::string job_json(const StartView& view) {
  Json json = document("job");
  json["job"] = object(view.job.job);
  json["spreads"] = array(view.job.spreads);
  json["runs"] = array(view.runs);
  if (!view.boots.empty()) json["boots"] = array(view.boots);
  add_budget(json, view.budget);
  return pretty(json);
}

std::string labelled_json(std::uint64_t job, std::string_view label) {
  Json json = document("labelled");
  json["job"] = job;
  json["label"] = label;
  return pretty(json);
}

std::string noted_json(std::uint64_t run, std::string_view note) {
  Json json = document("noted");
  json["run"] = run;
  json["note"] = note;
  return pretty(json);
}

std::string scenarios_json(std::span<const ScenarioView> scenarios) {
  Json json = document("scenarios");
  json["scenarios"] = array(scenarios);
  return pretty(json);
}

std::string sweep_json(const SweepView& view) {
  Json json = document("sweep");
  if (view.asked.job) json["job"] = *view.asked.job;
  add_sweep(json, view.details);
  return pretty(json);
}
std::string compare_json(const CompareView& view) {
  return pretty(comparison_document("comparison", view));
}
std::string selftest_json(const CompareView& view) {
  return pretty(comparison_document("selftest", view));
}

std::string plan_json(const PlanPageView& view) {
  Json json = document("plan");
  json["scenario"] = view.scenario;
  json["selection"] = view.runs;
  if (view.job) json["job"] = *view.job;
  if (view.repeat) json["repeat"] = *view.repeat;
  json["plan"] = object(view.plan);
  json["effects"] = array(view.effects);
  json["commands"] = view.steps.commands;
  if (view.steps.most) json["most"] = *view.steps.most;
  return pretty(json);
}

std::string doctor_json(std::span<const CapabilityView> capabilities, bool reachable) {
  Json json = document("doctor");
  json["reachable"] = reachable;
  json["capabilities"] = array(capabilities);
  return pretty(json);
}

std::string modules_json(std::span<const ModuleView> modules) {
  Json json = document("modules");
  json["modules"] = array(modules);
  return pretty(json);
}

std::string functions_json(const FunctionPage& page) {
  Json json = document("functions");
  json["total"] = page.total;
  json["functions"] = array(page.functions);
  json["nearest"] = page.nearest;
  return pretty(json);
}

std::string events_json(std::span<const EventView> events) {
  Json json = document("events");
  json["events"] = array(events);
  return pretty(json);
}

std::string event_json(const EventDetails& details) {
  Json json = document("kernel_event");
  json["kernel_event"] = object(details.event);
  json["fields"] = array(details.fields);
  return pretty(json);
}

std::string tracers_json(std::span<const TracerView> tracers) {
  Json json = document("tracers");
  json["tracers"] = array(tracers);
  return pretty(json);
}

std::string marked_json(std::uint64_t job, std::string_view text) {
  Json json = document("marked");
  json["job"] = job;
  json["text"] = text;
  return pretty(json);
}

std::string start_json(const StartView& view, const CompareView* compared, const SweepView* swept) {
  Json json = document("start");
  json["job"] = object(view.job.job);
  json["spreads"] = array(view.job.spreads);
  json["runs"] = array(view.runs);
  if (compared != nullptr) add_comparison(json, compared->details);
  if (swept != nullptr) add_sweep(json, swept->details);
  return pretty(json);
}

std::string imported_json(std::span<const ImportedView> runs) {
  Json json = document("imported");
  if (runs.size() == 1) json["run"] = runs.front().run;
  json["runs"] = Json::array();
  for (const ImportedView& run : runs) {
    Json row;
    row["run"] = run.run;
    row["files"] = run.files;
    row["flags"] = Json::array();
    for (const FlagView& flag : run.flags)
      row["flags"].push_back({{"code", flag.code}, {"message", flag.message}});
    json["runs"].push_back(std::move(row));
  }
  return pretty(json);
}

std::string exported_json(std::uint64_t run, std::string_view format, std::string_view file,
                          std::uint64_t bytes, std::optional<std::uint64_t> job) {
  Json json = document("exported");
  if (job) json["job"] = *job;
  json["run"] = run;
  json["format"] = format;
  json["file"] = file;
  json["bytes"] = bytes;
  return pretty(json);
}

std::string stopped_json(std::uint64_t job) {
  Json json = document("stopped");
  json["job"] = job;
  return pretty(json);
}

std::string held_json(std::uint64_t job, bool held) {
  Json json = document(held ? "held" : "released");
  json["job"] = job;
  return pretty(json);
}

std::string undone_json(std::uint64_t job, const std::string& left) {
  Json json = document("undone");
  json["job"] = job;
  json["left"] = left;
  return pretty(json);
}

std::string deleted_json(std::span<const std::uint64_t> runs) {
  Json json = document("deleted");
  json["runs"] = std::vector(runs.begin(), runs.end());
  return pretty(json);
}

std::string job_event_json(std::string_view name, const LiveJobView& job) {
  Json json = event(name, job.job);
  json["live_job"] = object(job);
  return line(json);
}

std::string job_removed_json(std::uint64_t job) {
  return line(event("job_removed", job));
}

std::string interval_json(std::uint64_t job, std::uint64_t run, const IntervalView& interval) {
  Json json = event("interval", job);
  json["run"] = run;
  json["interval"] = object(interval);
  return line(json);
}

std::string trace_progress_json(std::uint64_t job, std::uint64_t run, const TraceProgressView& progress) {
  Json json = event("trace_progress", job);
  json["run"] = run;
  if (sayable(progress.seconds)) json["seconds"] = progress.seconds;
  json["lost"] = progress.lost;
  json["events"] = array(progress.events);
  json["functions"] = array(progress.functions);
  return line(json);
}

std::string run_deleted_json(std::uint64_t job, std::uint64_t run) {
  Json json = event("run_deleted", job);
  json["run"] = run;
  return line(json);
}

std::string run_ended_json(std::uint64_t job, std::uint64_t run, std::string_view state,
                           std::string_view error) {
  Json json = event("run_ended", job);
  json["run"] = run;
  json["state"] = state;
  if (!error.empty()) json["error"] = error;
  return line(json);
}

}  // namespace netperfctl
