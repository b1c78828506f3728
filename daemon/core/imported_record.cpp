// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/imported_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "daemon/analysis/compare/goodput.hpp"
#include "daemon/core/run/iperf3_facts.hpp"

namespace netperfd::core {
namespace {

constexpr const char* kImportedBefore = "imported-before";
constexpr const char* kSeveralRuns = "several-runs";
constexpr const char* kFurtherRun = "further-run";

struct ImportedRecord {
  JobSpec spec;
  RunRecord record;
  std::optional<TablePlace> place = std::nullopt;
};

// An imported run lacks this information, which readers of the run must know first.
QualityFlag flag_of_import(bool has_trace, bool has_document) {
  std::string message =
      "brought along as a file: neither the environment it was measured in nor any counter is known";
  if (!has_trace) message += ", and there is no trace";
  if (!has_document) message += ", nor how many bytes and packets its calls were made for";
  if (has_trace) message += "; the tracer's own cost is in the times";
  if (has_trace && has_document) {
    message += "; that document and trace are of one measurement is the word of whoever brought them";
  }
  return {"imported", message};
}

void take_workload(ImportedWorkload workload, ImportedRecord& into) {
  RunRecord& record = into.record;
  record.fingerprint = fingerprint_of_document(workload);
  into.place = std::move(workload.place);
  if (!workload.tool.empty()) {
    into.spec.workload = unknown_workload(workload.tool);
    into.spec.figures = {{.figure = {.name = workload.figures.front().name}}};
    record.figures = std::move(workload.figures);
  }
  into.spec.test = std::move(workload.asked);
  record.workload.report = std::move(workload.report);
  record.flags = std::move(workload.flags);
  record.started = workload.started;
  record.traffic.goodput_bytes = analysis::goodput_of(record.workload.report);
}

// The first flag says that the run was imported; the document's follow, then all others (import::Rereading).
void set_flags(std::vector<QualityFlag> others, const std::vector<std::string>& clauses,
               ImportedRecord& into) {
  RunRecord& record = into.record;
  for (const std::string& clause : clauses) {
    others.insert(others.begin(), {kImportedBefore, clause + "; both are one measurement"});
  }
  record.flags.insert(
      record.flags.begin(),
      flag_of_import(record.trace.has_value(), has_traffic(into.spec) || !record.figures.empty()));
  std::ranges::move(others, std::back_inserter(record.flags));
}

std::vector<ImportedRecord> records_of_import(const JobSpec& spec, const std::vector<SourceFile>& sources,
                                              std::vector<ImportedFile> files,
                                              const std::vector<std::string>& clauses) {
  std::vector<ImportedRecord> records;
  ImportedRecord& first = records.emplace_back(spec, RunRecord{});
  first.record.files = sources;
  first.record.state = RunState::finished;
  std::vector<QualityFlag> flags;
  for (std::size_t i = 0; i < files.size(); ++i) {
    ImportedFile& file = files[i];
    std::ranges::move(file.flags, std::back_inserter(flags));
    if (!file.raw.empty()) {
      first.record.workload.documents.push_back({fmt::format("import.{}", i + 1), std::move(file.raw)});
    }
    if (file.trace) first.record.trace = std::move(file.trace);
    if (file.workload) take_workload(std::move(*file.workload), first);
  }
  set_flags(flags, clauses, first);
  for (ImportedMore& more : files.front().more) {
    ImportedRecord& next = records.emplace_back(spec, RunRecord{});
    next.record.files = sources;
    next.record.state = RunState::finished;
    if (!more.raw.empty()) next.record.workload.documents.push_back({"import.1", std::move(more.raw)});
    take_workload(std::move(more.workload), next);
    set_flags(files.front().flags, clauses, next);
  }
  return records;
}

// Of a point: the sides are those of its runs.
ImportedJob job_of_point(const ImportedRecord& first) {
  ImportedJob job{.spec = first.spec, .slots = {}, .records = {}};
  if (const std::string& point = first.place->point; !point.empty()) {
    job.spec.description += ", point " + point;
    const std::string label =
        first.spec.label.empty() ? point : fmt::format("{} {}", first.spec.label, point);
    if (label.size() <= kMaxLabel) job.spec.label = label;
  }
  Design& design = job.spec.design.emplace();
  design.seed = 0;  // nothing was drawn
  design.a = design.b = Variant{.name = {}, .apply = {}, .verify = {}, .builds = {}};
  job.spec.repeat = 0;
  job.spec.figures.clear();
  return job;
}

// Judges the figures of all runs, as far as a comparison has room for them.
void add_figures(const std::vector<NamedFigure>& figures, std::vector<FigureChoice>& judged) {
  for (const NamedFigure& figure : figures) {
    const FigureChoice choice{.figure = {.name = figure.name}};
    if (judged.size() < kMostFigures && std::ranges::find(judged, choice) == judged.end())
      judged.push_back(choice);
  }
}

void add_to_point(const TablePlace& place, RunRecord record, ImportedJob& job) {
  Design& design = *job.spec.design;
  (place.is_b ? design.b : design.a)->name = place.side;
  Slot slot{
      .block = place.block, .letter = 0, .variant = place.is_b ? 'B' : 'A', .build = 0, .traced = false};
  if (place.block != 0)
    slot.letter = 1 + static_cast<std::uint32_t>(std::ranges::count(job.slots, place.block, &Slot::block));
  job.slots.push_back(slot);
  // It counts blocks or, without any, runs.
  job.spec.repeat = place.block != 0 ? std::max(job.spec.repeat, place.block) : job.spec.repeat + 1;
  add_figures(record.figures, job.spec.figures);
  job.records.push_back(std::move(record));
}

}  // namespace

std::vector<ImportedJob> jobs_of_import(const JobSpec& spec, const std::vector<SourceFile>& sources,
                                        std::vector<ImportedFile> files,
                                        const std::vector<std::string>& clauses) {
  std::vector<ImportedJob> jobs;
  std::vector<std::string> points;  // of the jobs
  for (ImportedRecord& each : records_of_import(spec, sources, std::move(files), clauses)) {
    if (!each.place) {
      const Slot slot{
          .block = 0, .letter = 0, .variant = '\0', .build = 0, .traced = each.record.trace.has_value()};
      ImportedJob& job =
          jobs.emplace_back(ImportedJob{.spec = std::move(each.spec), .slots = {slot}, .records = {}});
      job.records.push_back(std::move(each.record));
      continue;
    }
    const auto known = std::ranges::find(points, each.place->point);
    const auto number = static_cast<std::size_t>(known - points.begin());
    if (known == points.end()) {
      points.push_back(each.place->point);
      jobs.push_back(job_of_point(each));
    }
    add_to_point(*each.place, std::move(each.record), jobs[number]);
  }
  return jobs;
}

void flag_several(std::vector<ImportedJob>& jobs, RunId first) {
  std::size_t all = 0;
  for (const ImportedJob& job : jobs) all += job.records.size();
  if (all < 2) return;
  std::size_t number = 0;
  for (ImportedJob& job : jobs) {
    const char* what = job.spec.design ? "numbers" : "documents";
    for (RunRecord& record : job.records) {
      ++number;
      record.flags.push_back(
          {number == 1 ? kSeveralRuns : kFurtherRun,
           fmt::format(
               "the file has the {} of {} runs, and this is number {} of them; the first one is run {}", what,
               all, number, first)});
    }
  }
}

}  // namespace netperfd::core
