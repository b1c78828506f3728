// SPDX-License-Identifier: GPL-2.0-or-later
// The methods of org.netperfd1.Manager for recordings: the raw sub-buffers kept with a run, and files to
// import. Neither is parsed in this process.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/base/foreign_fd.hpp"
#include "daemon/bus/errors.hpp"
#include "daemon/bus/manager_object.hpp"
#include "daemon/bus/options.hpp"
#include "daemon/log/log.hpp"
#include "daemon/model/run_state.hpp"

namespace netperfd::bus {
namespace {

Result<std::string> recording_of(core::RunQueries& queries, RunId run) {
  auto bytes = queries.document(run, kRecording);
  if (bytes || bytes.error().kind != ErrorKind::not_found) return bytes;
  return fail(ErrorKind::not_found,
              fmt::format("run {} has no recording: its raw sub-buffers were not kept, which the key "
                          "trace.keep_raw of a job asks for",
                          run));
}

std::string imported_from(const std::vector<std::string>& names, uid_t uid,
                          const std::optional<ImportDate>& date, const std::vector<std::string>& repeated) {
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

}  // namespace

void ManagerObject::OpenTraceText(sdbus::Result<sdbus::UnixFd>&& result, std::uint64_t run) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    with_readable_run(run, "the trace text", Raw::of_owner, reply,
                      [this, reply](const core::RunRow& row, const Caller& caller) {
                        require_idle(caller.name);
                        // Held while the child writes. If the caller leaves, the hold ends but the child goes
                        // on writing: another process may own the pipe by then.
                        const auto turn = std::make_shared<std::monostate>();
                        const auto ended = [this, name = caller.name, held = std::weak_ptr{turn}] {
                          if (!held.expired()) ports_.callers.let_go(name);
                        };
                        Fd text = value_or_throw(ports_.trace_import.text(
                            [this, id = row.id] { return recording_of(ports_.queries, id); },
                            caller.uid == 0 ? core::TextReader::root : core::TextReader::owner, ended));
                        throw_if_failed(ports_.callers.hold(caller.name, turn));
                        reply->ok(sdbus::UnixFd{text.release(), sdbus::adopt_fd});
                      });
  });
}

// Recordings are large, so each caller may have only one in work at a time.
void ManagerObject::require_idle(const std::string& unique_name) const {
  if (!ports_.callers.is_holding(unique_name)) return;
  throw to_dbus(
      Error{ErrorKind::busy, "another recording of this caller's is being imported or written as text"});
}

void ManagerObject::ImportRun(sdbus::Result<std::uint64_t>&& result, std::vector<sdbus::UnixFd> files,
                              std::vector<std::string> names, Dict options) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    if (files.size() > core::Importer::kMostFiles) {
      throw to_dbus(Error{ErrorKind::invalid_argument,
                          fmt::format("{} files cannot be one run; expected are one or two", files.size())});
    }
    if (files.size() != names.size()) {
      throw to_dbus(Error{ErrorKind::invalid_argument,
                          fmt::format("{} files have {} names", files.size(), names.size())});
    }
    // Tokens of what was received. Shared, since the callbacks that hold them must be copyable.
    const auto tokens = std::make_shared<std::vector<sdbus::UnixFd>>(std::move(files));
    const auto import = [this, reply, tokens, names = std::move(names),
                         request = value_or_throw(parse_import_options(options))](const Caller& caller) {
      refuse_recorded({.uid = caller.uid, .action = "import"}, ports_.scheduler.check_stored(caller.uid));
      core::ImportRequest owned = request;
      owned.owner = caller.uid;
      std::vector<core::NamedFile> named;
      for (std::size_t i = 0; i < tokens->size(); ++i) {
        named.push_back({value_or_throw(ports_.received.take((*tokens)[i].get())), names[i]});
      }
      import_files(reply, std::move(named), owned, caller.name);
    };
    with_allowed({.actions = {core::Action::measure}, .deed = "import a run"}, reply, import);
  });
}

void ManagerObject::import_files(const SharedReply<std::uint64_t>& reply, std::vector<core::NamedFile> files,
                                 const core::ImportRequest& request, const std::string& unique_name) {
  require_idle(unique_name);
  std::vector<std::string> names;
  for (const core::NamedFile& file : files) names.push_back(file.name);
  const auto done = [this, reply, unique_name, names = std::move(names),
                     uid = request.owner](const Result<core::ImportedRun>& imported) {
    answer(reply, [&] {
      const auto& [job, run, date, repeated] = value_or_throw(imported);
      log::info(imported_from(names, uid, date, repeated), {.job = job, .run = run});
      ports_.audit.record({.uid = uid, .action = "import", .job = job, .run = run});
      reply->ok(static_cast<std::uint64_t>(run));
      // Announce this run like any other, for clients that keep a list of runs.
      emitRunEnded(static_cast<std::uint64_t>(run), static_cast<std::uint64_t>(job),
                   std::string{to_string(RunState::finished)}, "");
    });
    ports_.callers.let_go(unique_name);  // last: this destroys the function that is running
  };
  auto import = ports_.importer.read(std::move(files), request, done);
  if (!import) throw to_dbus(import.error());
  throw_if_failed(ports_.callers.hold(unique_name, std::move(*import)));
}

}  // namespace netperfd::bus
