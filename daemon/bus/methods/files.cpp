// SPDX-License-Identifier: GPL-2.0-or-later
// Methods that take files of callers or give some to them. A recording, the raw sub-buffers that are kept
// with a run or come in a file, is not parsed in this process.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "daemon/base/fd.hpp"
#include "daemon/base/foreign_fd.hpp"
#include "daemon/bundle/bundle.hpp"
#include "daemon/bus/errors.hpp"
#include "daemon/bus/methods/methods.hpp"
#include "daemon/bus/queries/bundle_answer.hpp"
#include "daemon/log/log.hpp"

namespace netperfd::bus::methods {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

// A run whose raw data the caller must be allowed to read: the job's runs have one owner.
RunId run_to_read(core::RunQueries& queries, JobId job, const BundleRequest& request) {
  core::RunFilter filter;
  filter.job = job;
  const auto runs = value_or_throw(queries.selected_runs(filter, {}, 1));
  if (runs.empty()) throw to_dbus(Error{ErrorKind::not_found, fmt::format("job {}: no such job", job)});
  if (request.run == 0) return runs.front().id;
  const core::RunRow run = value_or_throw(queries.run(value_or_throw(parse_id(request.run, "run"))));
  if (run.job == job) return run.id;
  throw to_dbus(Error{ErrorKind::not_found, fmt::format("job {} has no run {}", job, run.id)});
}

Result<std::string> recording_of(core::RunQueries& queries, RunId run) {
  auto bytes = queries.document(run, kRecording);
  if (bytes || bytes.error().kind != ErrorKind::not_found) return bytes;
  return fail(ErrorKind::not_found,
              fmt::format("run {} has no recording: its raw sub-buffers were not kept, which the key "
                          "trace.keep_raw of a job asks for",
                          run));
}

std::string imported_from(const Texts& names, uid_t uid, const std::optional<ImportDate>& date,
                          const Texts& repeated) {
  std::string text = fmt::format("imported from {} by uid {}, measured ", fmt::join(names, " and "), uid);
  if (date) {
    text += fmt::format(
        "{:%F %T} UTC ({})", std::chrono::floor<std::chrono::seconds>(date->measured),
        date->source == DateSource::document ? "as the document says" : "when the file was last written");
  } else {
    text += "at an unknown time";
  }
  for (const std::string& clause : repeated) text += "; " + clause;
  return text;
}

sdbus::UnixFd to_pass(Fd file) {
  return sdbus::UnixFd{file.release(), sdbus::adopt_fd};
}

}  // namespace

Task<sdbus::UnixFd> open_document(Call& call, Run run, Name name) {
  if (name.text == kRecording) {
    co_await call.allow_reading(run.id, "the recording, which has kernel addresses,",
                                Call::Raw::kernel_addresses);
  } else {
    co_await call.allow_reading(run.id, "documents", Call::Raw::of_owner);
  }
  co_return to_pass(value_or_throw(call.ports.documents.open(
      call.caller.uid, run.id, name.text, [&] { return call.ports.queries.document(run.id, name.text); })));
}

Task<sdbus::UnixFd> open_bundle(Call& call, Job job, BundleRequest request) {
  request.job = static_cast<std::uint64_t>(job.id);
  request.origin.version = call.settings.version;
  request.origin.host = host_name();
  request.origin.made = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const RunId run = run_to_read(call.ports.queries, job.id, request);
  co_await call.allow_reading(run, fmt::format("a bundle of job {} with", job.id),
                              request.recordings ? Call::Raw::kernel_addresses : Call::Raw::of_owner);
  const std::string bytes = co_await call.ask_process(to_query_bytes(request), bundle::kMostBytes);
  const std::string name = fmt::format("bundle-{}", call.manager.next_bundle());
  co_return to_pass(value_or_throw(
      call.ports.documents.open(call.caller.uid, run, name, [&]() -> Result<std::string> { return bytes; })));
}

sdbus::UnixFd open_trace_text(Call& call, Run run) {
  // Held while the child writes. If the caller leaves, the hold ends but the child goes on writing: another
  // process may own the pipe by then.
  const auto turn = std::make_shared<std::monostate>();
  Callers& callers = call.ports.callers;
  const auto ended = [&callers, name = call.caller.name, held = std::weak_ptr{turn}] {
    if (!held.expired()) callers.let_go(name);
  };
  core::RunQueries& queries = call.ports.queries;
  Fd text = value_or_throw(call.ports.trace_import.text(
      call.caller.uid, [&queries, id = run.id] { return recording_of(queries, id); },
      call.caller.uid == 0 ? core::TextReader::root : core::TextReader::owner, ended));
  throw_if_failed(callers.hold(call.caller.name, turn));
  return to_pass(std::move(text));
}

Task<std::uint64_t> import_run(Call& call, std::vector<sdbus::UnixFd> files, Texts names,
                               core::ImportRequest request) {
  if (files.size() > core::Importer::kMostFiles) {
    throw to_dbus(Error{ErrorKind::invalid_argument,
                        fmt::format("{} files cannot be one run; expected are one or two", files.size())});
  }
  if (files.size() != names.size()) {
    throw to_dbus(Error{ErrorKind::invalid_argument,
                        fmt::format("{} files have {} names", files.size(), names.size())});
  }
  throw_if_failed(call.ports.scheduler.check_stored(call.caller.uid));
  request.owner = call.caller.uid;
  std::vector<core::NamedFile> named;
  for (std::size_t i = 0; i < files.size(); ++i)  // tokens of what was received
    named.push_back({value_or_throw(call.ports.received.take(files[i].get())), names[i]});
  auto ended = later<Result<core::ImportedRun>>([&](const auto& done) {
    auto import = value_or_throw(call.ports.importer.read(std::move(named), request, done));
    throw_if_failed(call.ports.callers.hold(call.caller.name, std::move(import)));
  });
  const Result<core::ImportedRun> imported = co_await ended;
  call.ports.callers.let_go(call.caller.name);
  const auto& [job, run, date, repeated, more] = value_or_throw(imported);
  log::info(imported_from(names, request.owner, date, repeated), {.job = job, .run = run});
  call.audited->job = job;
  call.audited->run = run;
  // Announce this run like any other, for clients that keep a list of runs.
  call.manager.run_ended(run, job, RunState::finished, "");
  for (const core::NewRun& next : more) {
    log::info(fmt::format("imported as a further run of the same file as run {}", run),
              {.job = next.job, .run = next.run});
    call.manager.run_ended(next.run, next.job, RunState::finished, "");
  }
  co_return static_cast<std::uint64_t>(run);
}

}  // namespace netperfd::bus::methods
