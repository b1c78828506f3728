// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/command/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "daemon/model/units.hpp"
#include "daemon/workload/command/ready_test.hpp"
#include "daemon/workload/command/text_lines.hpp"

namespace netperfd::workload {
namespace {

// A server has no event that says that it listens. It is looked at before the measurement only.
constexpr std::chrono::milliseconds kLookAgain{10};
// For a server of which figures are read: it may print them when its client has ended.
constexpr std::chrono::seconds kServerPrints{1};
// For a client whose server has ended by itself.
constexpr std::chrono::seconds kClientGrace{5};

// Of all files with figures together: they are held here and stored with the run.
constexpr std::uint64_t kMostBytesOfFigures = std::uint64_t{64} << 20U;

// Of one file, where /tmp has no bound of its own.
constexpr std::uint64_t kMostBytesOfFile = std::uint64_t{256} << 20U;

// Each unit has an own one at this place.
constexpr const char* kDirectoryInUnit = "/tmp";

constexpr const char* kLocalServer = "local server";
constexpr const char* kOutputs[] = {"client.stdout", "client.stderr", "server.stdout", "server.stderr"};

std::string name_of(const CommandProgram& program) {
  return std::filesystem::path(program.argv.front()).filename();
}

}  // namespace

CommandRun::CommandRun(EventLoop& loop, core::FigureReading& figures, ProgramSettings settings, Path path,
                       CommandSpec spec, core::WorkloadListener& listener)
    : loop_(loop),
      figures_(figures),
      settings_(std::move(settings)),
      path_(std::move(path)),
      spec_(std::move(spec)),
      listener_(listener),
      processes_(loop, settings_, [this] { read_output(); }) {}

Status CommandRun::begin() {
  auto directory = WorkDirectory::make(settings_.uid, settings_.gid);
  if (!directory) return std::unexpected(std::move(directory.error()));
  directory_ = *std::move(directory);
  if (Status made = processes_.begin(); !made) return made;
  return spec_.server ? launch_server() : launch_client();
}

LaunchOrder CommandRun::order_for(const CommandProgram& program, const std::string& netns) const {
  LaunchOrder order{.argv = program.argv, .netns = netns, .cpus = program.cpus};
  order.capabilities = program.capabilities;
  order.cleanup = program.cleanup;
  order.directory = program.capabilities.empty() ? directory_.path() : kDirectoryInUnit;
  order.environment = spec_.environment;
  order.environment.push_back(fmt::format("TMPDIR={}", order.directory));
  order.waits_with_select = false;
  order.most_file_bytes = kMostBytesOfFile;
  return order;
}

ChildSettings CommandRun::settings_for(std::string name) const {
  return {.name = std::move(name),
          .stdout_limit_bytes = spec_.output_limit,
          .stderr_limit_bytes = spec_.output_limit};
}

// ---- The server

Status CommandRun::launch_server() {
  ChildEvents events;
  events.ready = [this] { on_server_ready_to_run(); };
  if (!spec_.ready.line.empty()) {
    events.line = [this](std::string_view line) { on_server_line(line); };
    events.error_line = events.line;
  }
  events.ended = [this](const ChildEnd& end) { on_server_ended(end); };
  return processes_.launch(server_, settings_for(kLocalServer),
                           order_for(*spec_.server, path_.local ? path_.local->netns : ""),
                           std::move(events));
}

void CommandRun::on_server_ready_to_run() {
  server_.child->release();
  Result<EventSource> patience = loop_.after(spec_.ready.within, [this] {
    look_.reset();
    give_up(fmt::format(
        "it was not ready within {}: {}", format_duration(spec_.ready.within),
        port_is_unknown_ ? fmt::format("it could not be looked at whether it has port {}", *spec_.ready.port)
        : spec_.ready.port         ? fmt::format("it has no port {}", *spec_.ready.port)
        : spec_.ready.file.empty() ? fmt::format("it printed no line with \"{}\"", spec_.ready.line)
                                   : fmt::format("there is no file {}", spec_.ready.file)));
  });
  if (!patience) return give_up(patience.error().message);
  patience_ = *std::move(patience);
  if (spec_.ready.line.empty()) look_at_server();
}

void CommandRun::on_server_line(std::string_view line) {
  if (!server_ready_ && line.contains(spec_.ready.line)) server_is_ready();
}

void CommandRun::look_at_server() {
  if (!server_.alive || processes_.ending()) return;
  const std::optional<bool> ready =
      spec_.ready.port ? has_port(processes_.members(), *spec_.ready.port) : directory_.has(spec_.ready.file);
  port_is_unknown_ = !ready;
  if (ready.value_or(false)) return server_is_ready();
  Result<EventSource> again = loop_.after(kLookAgain, [this] { look_at_server(); });
  if (!again) return give_up(again.error().message);
  look_ = *std::move(again);
}

void CommandRun::server_is_ready() {
  if (server_ready_ || processes_.ending()) return;
  server_ready_ = true;
  patience_.reset();
  if (Status launched = launch_client(); !launched) {
    failure_ = std::move(launched.error().message);
    processes_.end();
  }
}

void CommandRun::give_up(std::string why) {
  if (processes_.ending()) return;
  failure_ = fmt::format("{}: {}", kLocalServer, why);
  processes_.end();
}

void CommandRun::on_server_ended(const ChildEnd& end) {
  look_.reset();
  patience_.reset();
  if (server_.told_to_end || processes_.ending()) return;
  const bool badly = !end.failure.empty() || end.exit_code != 0;
  const bool client_runs = client_.alive && !client_.child->has_exited();
  if (server_ready_ && !badly && client_runs) {
    return processes_.end_after(kClientGrace, [this] {
      if (client_.alive) {
        failure_ = fmt::format("{}: no end within {} s of the local server's", name_of(spec_.client),
                               kClientGrace.count());
      }
    });
  }
  if (server_ready_ && !client_runs && !badly) return;
  if (end.failure.empty()) {
    failure_ = fmt::format("{}: it ended with exit code {} {}", kLocalServer, end.exit_code,
                           !server_ready_ ? "before it was ready"
                           : client_runs  ? "before its client"
                                          : "after its client");
  } else {
    failure_ = end.failure;
  }
  processes_.end();
}

// ---- The client

Status CommandRun::launch_client() {
  ChildEvents events;
  events.ready = [this] {
    if (!processes_.ending()) listener_.workload_prepared();
  };
  events.exited = [this] { listener_.workload_stopped(); };
  events.ended = [this](const ChildEnd&) { on_client_ended(); };
  return processes_.launch(client_, settings_for(name_of(spec_.client)), order_for(spec_.client, path_.netns),
                           std::move(events));
}

void CommandRun::on_client_ended() {
  if (!server_.alive) return;
  const bool prints = std::ranges::any_of(spec_.figures, [](const DeclaredFigure& figure) {
    return figure.document.starts_with("server.") || figure.document.starts_with(kFileDocument);
  });
  if (prints && !has_failed()) {
    processes_.end_after(kServerPrints, [] {});
  } else {
    processes_.end();
  }
}

std::vector<pid_t> CommandRun::pids() const {
  std::vector<pid_t> pids;
  for (const RunProcess* side : {&client_, &server_}) {
    if (side->alive) pids.push_back(side->child->pid());
  }
  return pids;
}

void CommandRun::release() {
  if (!client_.alive || released_) return;
  released_ = true;
  client_.child->release();
}

void CommandRun::stop() {
  if (reading_) return limit_reading();
  stopped_ = stopped_ || !client_.child || !client_.child->has_exited();
  processes_.end();
}

// ---- The end

bool CommandRun::has_failed() const {
  const bool server_broke = !server_.was_ended_by_us() && !server_.end.failure.empty();
  const bool uncleaned = !client_.end.cleanup_failure.empty() || !server_.end.cleanup_failure.empty();
  return stopped_ || !failure_.empty() || server_broke || uncleaned || !client_.end.executed ||
         !client_.end.failure.empty() || client_.end.exit_code != 0;
}

void CommandRun::read_output() {
  look_.reset();
  patience_.reset();
  if (!client_.child || !client_.child->has_exited()) listener_.workload_stopped();
  const auto keep = [this](const char* name, std::string bytes) {
    documents_.push_back({name, std::move(bytes)});
  };
  if (client_.child) {
    keep("client.stdout", client_.child->take_out());
    keep("client.stderr", client_.child->take_err());
  }
  if (server_.child) {
    keep("server.stdout", server_.child->take_out());
    keep("server.stderr", server_.child->take_err());
  }
  Status whole;
  for (const DeclaredFigure& figure : spec_.figures) {
    Status there = add_document(figure.document);
    if (!there && whole)
      whole = fail(there.error().kind, fmt::format("figure {}: {}", figure.name, there.error().message));
  }
  if (has_failed()) return report_failure();
  if (!whole) return report_end(std::unexpected(std::move(whole.error())));
  std::vector<core::FigureText> texts;
  for (const Document& document : documents_) {
    if (std::ranges::find(spec_.figures, document.name, &DeclaredFigure::document) != spec_.figures.end())
      texts.push_back({document.name, document.bytes});
  }
  auto reading = figures_.read_figures(
      spec_.figures, texts, [this](core::FigureReading::Values values) { report_end(std::move(values)); });
  if (!reading) return report_end(std::unexpected(std::move(reading.error())));
  reading_ = std::move(*reading);
}

Status CommandRun::add_document(const std::string& name) {
  if (std::ranges::find(documents_, name, &Document::name) != documents_.end()) return {};
  if (!name.starts_with(kFileDocument)) return {};  // of a server that was not launched
  auto bytes = directory_.read(name.substr(std::string_view(kFileDocument).size()), spec_.output_limit);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  file_bytes_ += bytes->size();
  if (file_bytes_ > kMostBytesOfFigures) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("the files with figures have more than {} bytes together", kMostBytesOfFigures));
  }
  documents_.push_back({name, *std::move(bytes)});
  return {};
}

void CommandRun::limit_reading() {
  if (reading_limit_) return;
  Result<EventSource> timer = loop_.after(kReadAfterStop, [this] {
    reading_.reset();
    report_end(fail(ErrorKind::io, fmt::format("the output of {} was not read within {} s of the stop",
                                               name_of(spec_.client), kReadAfterStop.count())));
  });
  // Without a timer, the reading still has a deadline of its own.
  if (timer) reading_limit_ = *std::move(timer);
}

void CommandRun::report_failure() {
  WorkloadResult result;
  result.error = causes();
  finish(std::move(result));
}

void CommandRun::report_end(core::FigureReading::Values values) {
  WorkloadResult result;
  if (values) {
    for (std::size_t i = 0; i < spec_.figures.size(); ++i) {
      const DeclaredFigure& figure = spec_.figures[i];
      result.figures.push_back({figure.name, figure.unit, figure.better, (*values)[i]});
    }
  } else {
    result.error = std::move(values.error().message);
    result.lacks_something = values.error().kind == ErrorKind::not_found;
  }
  finish(std::move(result));
}

// The listener may destroy this run inside the call.
void CommandRun::finish(WorkloadResult result) {
  reading_limit_.reset();
  directory_ = {};
  if (client_.end.executed) result.client_usage = client_.end.usage;
  if (server_.end.executed) result.server_usage = server_.end.usage;
  if (const std::size_t left = processes_.left_behind(); left > 0) {
    result.flags.push_back(
        {"processes-left", fmt::format("The commands left {} {} behind, which netperfd ended.", left,
                                       left == 1 ? "process" : "processes")});
  }
  std::erase_if(documents_, [](const Document& document) { return document.bytes.empty(); });
  result.documents = std::move(documents_);
  listener_.workload_ended(std::move(result));
}

std::string CommandRun::causes() const {
  std::vector<std::string> causes;
  const std::string client = client_.child ? name_of(spec_.client) : "";
  if (stopped_) causes.emplace_back("stopped before its end");
  if (!failure_.empty()) causes.push_back(failure_);
  if (!server_.was_ended_by_us() && !server_.end.failure.empty() && server_.end.failure != failure_)
    causes.push_back(server_.end.failure);
  if (client_.forced) {
    causes.push_back(fmt::format("{}: no end within {} s of SIGTERM, killed", client, kForceAfter.count()));
  } else if (!client_.was_ended_by_us() && !client_.end.failure.empty()) {
    causes.push_back(client_.end.failure);
  } else if (client_.end.executed && !client_.told_to_end && client_.end.exit_code != 0) {
    causes.push_back(fmt::format("{}: ended with exit code {}", client, client_.end.exit_code));
  }
  for (const RunProcess* side : {&client_, &server_}) {
    if (!side->end.cleanup_failure.empty()) causes.push_back(side->end.cleanup_failure);
  }
  const auto add_words = [&](const char* document, const std::string& whose) {
    const auto found = std::ranges::find(documents_, document, &Document::name);
    if (found == documents_.end() || found->bytes.empty()) return false;
    causes.push_back(fmt::format("{}'s {}: {}", whose, found->name.substr(found->name.find('.') + 1),
                                 last_lines(found->bytes)));
    return true;
  };
  const bool of_server =
      failure_.starts_with(kLocalServer) || (!server_.was_ended_by_us() && !server_.end.failure.empty());
  if (client_.end.executed && !add_words(kOutputs[1], client)) add_words(kOutputs[0], client);
  if (of_server && !add_words(kOutputs[3], kLocalServer)) add_words(kOutputs[2], kLocalServer);
  return fmt::format("{}", fmt::join(causes, "; "));
}

}  // namespace netperfd::workload
