// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/rereading.hpp"

#include <fmt/format.h>
#include <systemd/sd-event.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>

#include "daemon/analysis/compare/goodput.hpp"
#include "daemon/core/run/iperf3_facts.hpp"
#include "daemon/reading/memory_file.hpp"

namespace netperfd::import {
namespace {

constexpr const char* kClientOutput = "client.stdout";
constexpr const char* kClientWords = "client.stderr";
constexpr std::string_view kImported = "imported";

bool has_document(const core::RunRow& run, std::string_view name) {
  return std::ranges::find(run.documents, name) != run.documents.end();
}

// Calls `begin`, which calls back from the loop, and waits for that.
template <class Value, class Begin>
Result<Value> wait_for(EventLoop& loop, Begin begin) {
  std::optional<Result<Value>> answer;
  const auto reading = begin([&answer](Result<Value> read) { answer = std::move(read); });
  if (!reading) return std::unexpected(reading.error());
  while (!answer) {
    if (const int r = sd_event_run(loop.raw(), UINT64_MAX); r < 0) return fail_errno("sd_event_run", -r);
  }
  return *std::move(answer);
}

void tell_changes(RunId run, const std::vector<Change>& changes, const Rereading::Line& tell) {
  for (const Change& change : changes) {
    tell(fmt::format("run {}: {}: {} -> {}", run, change.figure, change.before, change.after));
  }
}

}  // namespace

// An import's first flag says so; the document's flags follow, then all others (core::Importer). A live run's
// begin with the document's (core::RunController).
std::vector<QualityFlag> Rereading::merged_flags(const std::vector<QualityFlag>& stored,
                                                 std::vector<QualityFlag> of_document) const {
  std::vector<QualityFlag> merged, old, others;
  for (const QualityFlag& flag : stored) {
    const bool of_old = std::ranges::find(ports_.document_flags, flag.code) != ports_.document_flags.end();
    (flag.code == kImported ? merged : of_old ? old : others).push_back(flag);
  }
  if (old == of_document) return stored;
  std::ranges::move(of_document, std::back_inserter(merged));
  std::ranges::move(others, std::back_inserter(merged));
  return merged;
}

Result<core::RunReading> Rereading::stored_reading(const core::RunRow& run) {
  core::RunReading reading;
  WorkloadReport& report = reading.report;
  report.version = run.iperf3_version;
  report.client = run.client;
  report.server = run.server;
  report.mss_bytes = run.mss_bytes;
  report.congestion = run.congestion;
  report.cpu_client_percent = run.cpu_client_percent;
  report.cpu_server_percent = run.cpu_server_percent;
  report.sums = run.sums;
  reading.flags = run.flags;
  auto streams = ports_.runs.streams(run.id);
  if (!streams) return std::unexpected(std::move(streams.error()));
  report.streams = std::move(*streams);
  std::string cursor;
  do {
    constexpr std::uint32_t kPage = 2000;
    auto page = ports_.runs.intervals(run.id, cursor, kPage);
    if (!page) return std::unexpected(std::move(page.error()));
    std::ranges::move(page->rows, std::back_inserter(report.intervals));
    cursor = std::move(page->next);
  } while (!cursor.empty());
  const auto traffic = ports_.runs.traffic(run.id);
  if (!traffic) return std::unexpected(traffic.error());
  reading.goodput_bytes = traffic->goodput_bytes;
  return reading;
}

Result<ParsedReport> Rereading::report_of(const core::RunRow& run) {
  const auto text = ports_.store.job_text(run.job);
  if (!text) return std::unexpected(text.error());
  core::JobOptions options;
  options.purpose = run.spec.purpose;
  const auto spec = ports_.scenarios.reread(*text, fmt::format("job {}", run.job), options);
  if (!spec) {
    return fail(spec.error().kind,
                fmt::format("its job's text can no longer be read: {}", spec.error().message));
  }
  const auto output = ports_.runs.document(run.id, kClientOutput);
  if (!output) return std::unexpected(output.error());
  Result<std::string> words = std::string{};
  if (has_document(run, kClientWords)) words = ports_.runs.document(run.id, kClientWords);
  if (!words) return std::unexpected(std::move(words.error()));
  const JobSpec told = spec_of_side(*spec, run.slot.variant, run.slot.point);
  return wait_for<ParsedReport>(ports_.loop, [&](core::ReportReading::Done done) {
    return ports_.reports.read(*output, *words, told.test, std::move(done));
  });
}

Result<Reread> Rereading::read_live(const core::RunRow& run) {
  auto parsed = report_of(run);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  if (run.state == RunState::finished && !parsed->error.empty()) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("it is stored as a measurement, and read as none: {}", parsed->error));
  }
  auto stored = stored_reading(run);
  if (!stored) return std::unexpected(std::move(stored.error()));
  core::RunReading now{.report = std::move(parsed->report), .flags = {}, .goodput_bytes = {}, .test = {}};
  now.goodput_bytes = analysis::goodput_of(now.report);
  now.flags = merged_flags(run.flags, std::move(parsed->flags));
  return Reread{.stored = std::move(*stored), .now = std::move(now)};
}

Result<ImportedFile> Rereading::file_of(RunId run, const std::string& name) {
  const auto bytes = ports_.runs.document(run, name);
  if (!bytes) return std::unexpected(bytes.error());
  auto file = reading::in_memory("document", {*bytes});
  if (!file) return std::unexpected(std::move(file.error()));
  return wait_for<ImportedFile>(ports_.loop, [&](core::FileImport::Done done) {
    return ports_.files.read(0, std::move(*file), bytes->size(), std::move(done));
  });
}

// Only the reader can tell which of two files is the document. A trace is read for nothing but that.
Result<std::optional<Reread>> Rereading::read_import(const core::RunRow& run) {
  std::optional<Error> error;
  std::optional<ImportedWorkload> workload;
  for (const std::string& name : run.documents) {
    auto file = file_of(run.id, name);
    if (!file) {
      error = std::move(file.error());
    } else if (file->workload) {
      workload = std::move(file->workload);
      break;
    }
  }
  if (!workload) {
    if (error) return std::unexpected(std::move(*error));
    return std::nullopt;  // it was too long to be kept
  }
  auto stored = stored_reading(run);
  if (!stored) return std::unexpected(std::move(stored.error()));
  auto fingerprint = ports_.runs.fingerprint(run.id);
  if (!fingerprint && fingerprint.error().kind == ErrorKind::not_found) fingerprint = Fingerprint{};
  if (!fingerprint) return std::unexpected(std::move(fingerprint.error()));
  stored->test = core::RunReading::Test{
      .asked = run.spec.test, .started = run.started, .fingerprint = std::move(*fingerprint)};
  core::RunReading now;
  now.test = core::RunReading::Test{.asked = workload->asked,
                                    .started = workload->started,
                                    .fingerprint = core::fingerprint_of_document(*workload)};
  now.report = std::move(workload->report);
  now.goodput_bytes = analysis::goodput_of(now.report);
  now.flags = merged_flags(run.flags, std::move(workload->flags));
  return Reread{.stored = std::move(*stored), .now = std::move(now)};
}

Result<std::optional<Reread>> Rereading::read(const core::RunRow& run) {
  if (run.job == 0) return fail(ErrorKind::io, run.error);  // it stands for a damaged one
  const bool imported = run.spec.workload.of_files;
  if (!has_traffic(run.spec) || run.documents.empty()) return std::nullopt;
  if (imported) return read_import(run);
  if (!has_document(run, kClientOutput)) return std::nullopt;
  auto live = read_live(run);
  if (!live) return std::unexpected(std::move(live.error()));
  return std::optional{std::move(*live)};
}

Status Rereading::visit(const core::RunRow& run, const Line& tell, const Apply& apply, RereadCounts& counts) {
  if (!has_ended(run.state)) return {};
  const auto reread = read(run);
  if (!reread) {
    ++counts.unreadable;
    tell(fmt::format("run {}: cannot be read: {}", run.id, reread.error().message));
    return {};
  }
  if (!*reread) {
    ++counts.without;
    return {};
  }
  ++counts.read;
  const auto changes = changes_between((*reread)->stored, (*reread)->now);
  if (changes.empty()) return {};
  tell_changes(run.id, changes, tell);
  if (apply) {
    if (auto applied = apply(run, (*reread)->now, changes); !applied) {
      return fail(applied.error().kind, fmt::format("run {}: {}", run.id, applied.error().message));
    }
  }
  ++counts.changed;
  return {};
}

Result<RereadCounts> Rereading::read_all(const Line& tell, const Apply& apply) {
  RereadCounts counts;
  std::string cursor;
  do {
    constexpr std::uint32_t kPage = 100;
    const auto page = ports_.runs.runs({}, cursor, kPage);
    if (!page) return std::unexpected(page.error());
    for (const core::RunRow& run : page->rows) {
      if (auto visited = visit(run, tell, apply, counts); !visited) return std::unexpected(visited.error());
    }
    cursor = page->next;
  } while (!cursor.empty());
  return counts;
}

}  // namespace netperfd::import
