// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <utility>
#include <vector>

#include "daemon/workload/iperf3/argv.hpp"
#include "daemon/workload/iperf3/report.hpp"
#include "daemon/workload/orphans.hpp"

namespace netperfd::workload {
namespace {

// Both ends of a good run end within milliseconds: the client's last message ends the server. On a slow or
// lossy path that message may need a few retransmissions.
constexpr std::chrono::seconds kGrace{5};

// A one-off server without a client waits forever. But its output, or its own death, may not have been read
// yet.
constexpr std::chrono::milliseconds kGraceUnmet{200};

// Prefix of iperf3's own messages, which some versions write to standard error and others to standard output.
constexpr std::string_view kWordsPrefix = "iperf3: ";

// Printed after the reason, so it is not the reason itself.
constexpr std::string_view kFarewell = "iperf3: exiting";

// The last message of iperf3 itself, without its prefix; empty if there is none.
std::string_view last_words(std::string_view text) {
  std::string_view words;
  while (!text.empty()) {
    const std::size_t line_end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, line_end);
    if (line.starts_with(kWordsPrefix) && line != kFarewell) words = line.substr(kWordsPrefix.size());
    text.remove_prefix(std::min(line_end + 1, text.size()));
  }
  return words;
}

std::string_view last_words(const Child& child) {
  const std::string_view words = last_words(child.err());
  return words.empty() ? last_words(child.out()) : words;
}

}  // namespace

Iperf3Run::Iperf3Run(EventLoop& loop, core::ReportReading& reports, ProgramSettings settings,
                     Iperf3Features features, TestSpec spec, core::WorkloadListener& listener)
    : loop_(loop),
      reports_(reports),
      settings_(std::move(settings)),
      features_(std::move(features)),
      spec_(std::move(spec)),
      listener_(listener),
      processes_(loop, settings_, [this] { read_output(); }),
      live_lines_(spec_) {}

Status Iperf3Run::begin() {
  if (Status made = processes_.begin(); !made) return made;
  return spec_.path.local ? launch_server() : launch_client();
}

Status Iperf3Run::launch_server() {
  ChildEvents events;
  events.ready = [this] { release_server(); };
  events.line = [this](std::string_view line) { on_server_line(line); };
  events.ended = [this](const ChildEnd& end) { on_server_ended(end); };
  LaunchOrder order{.argv = server_argv(settings_.path, spec_), .netns = spec_.path.local->netns, .cpus = {}};
  order.guarding = Guarding::server;
  if (spec_.iperf3.affinity.size() > 1) order.cpus = {spec_.iperf3.affinity[1]};
  return processes_.launch(server_, {.name = "local server"}, std::move(order), std::move(events));
}

// A server without a guard is better than no run on a kernel that cannot stop calls. The run says so. But if
// its calls stop and nobody answers them, they fail.
void Iperf3Run::release_server() {
  GuardFds fds = server_.child->take_guard();
  if (fds.calls) {
    guard_ =
        std::make_unique<ServerGuard>(loop_, std::move(fds), spec_, settings_.uid, settings_.guard_patience);
    if (Status begun = guard_->begin(); !begun) return give_up(begun.error().message);
  } else if (fds.stops_calls) {
    return give_up(fail_errno("its calls cannot be answered", fds.error_number).error().message);
  } else {
    unguarded_ = fail_errno("seccomp", fds.error_number).error().message;
  }
  server_.child->release();
}

void Iperf3Run::give_up(std::string_view why) {
  failure_ = fmt::format("local server: {}", why);
  processes_.end();
}

void Iperf3Run::on_client_ready() {
  if (processes_.ending()) return;
  if (guard_) {
    GuardFds fds = client_.child->take_guard();
    if (!fds.sockets) {
      return give_up(fail_errno("its client cannot be told from others", fds.error_number).error().message);
    }
    client_sockets_ = std::move(fds.sockets);
  }
  listener_.workload_prepared();
}

Status Iperf3Run::launch_client() {
  ChildEvents events;
  events.ready = [this] { on_client_ready(); };
  if (features_.json_stream()) events.line = [this](std::string_view line) { on_client_line(line); };
  events.ended = [this](const ChildEnd&) { on_client_ended(); };
  LaunchOrder order{
      .argv = client_argv(settings_.path, spec_, features_), .netns = spec_.path.netns, .cpus = {}};
  if (spec_.path.local) order.guarding = Guarding::client;
  if (!spec_.iperf3.affinity.empty()) order.cpus = {spec_.iperf3.affinity[0]};
  return processes_.launch(client_, {.name = "iperf3"}, std::move(order), std::move(events));
}

// Older clients say nothing before their end, and a server says it with its first interval.
bool Iperf3Run::tells_begin() const {
  return features_.json_stream();
}

bool Iperf3Run::reports_intervals() const {
  return features_.json_stream();
}

std::vector<pid_t> Iperf3Run::pids() const {
  std::vector<pid_t> pids;
  for (const RunProcess* side : {&client_, &server_}) {
    if (side->alive) pids.push_back(side->child->pid());
  }
  return pids;
}

void Iperf3Run::release() {
  if (!client_.alive || released_) return;
  released_ = true;
  if (guard_) guard_->expect_client(std::move(client_sockets_));
  client_.child->release();
}

void Iperf3Run::stop() {
  stopped_ = true;
  if (reading_) return limit_reading();
  processes_.end();
}

void Iperf3Run::on_server_line(std::string_view line) {
  if (line.starts_with("Accepted connection")) server_met_client_ = true;
  if (listening_ || !line.starts_with("Server listening")) return;
  listening_ = true;
  if (processes_.ending()) return;
  if (Status launched = launch_client(); !launched) {
    failure_ = std::move(launched.error().message);
    processes_.end();
  }
}

void Iperf3Run::on_client_line(std::string_view line) {
  if (line.starts_with(R"({"event":"start")") && !std::exchange(begun_, true)) listener_.workload_begun();
  if (!live_lines_.may_parse(line, std::chrono::steady_clock::now())) return;
  for (const Interval& interval : parse_live_intervals(line, spec_)) listener_.workload_interval(interval);
}

void Iperf3Run::on_server_ended(const ChildEnd& end) {
  if (guard_) guard_->end();
  if (!server_.told_to_end && !released_) {
    if (end.failure.empty()) {
      failure_ = listening_ ? "local server: it ended before the test began"
                            : "local server: it ended before it listened";
    }
    processes_.end();
  } else if (client_.alive) {
    end_children_after(kGrace);
  }
}

void Iperf3Run::on_client_ended() {
  if (server_.alive) end_children_after(server_met_client_ ? kGrace : kGraceUnmet);
}

void Iperf3Run::end_children_after(std::chrono::milliseconds grace) {
  processes_.end_after(grace, [this, grace] {
    if (client_.alive)
      failure_ = fmt::format("iperf3: no end within {} ms of the local server's", grace.count());
  });
}

void Iperf3Run::read_output() {
  if (!client_.end.executed) return report_end(ParsedReport{});
  listener_.workload_stopped();
  auto reading = reports_.read(client_.child->out(), client_.child->err(), spec_,
                               [this](Result<ParsedReport> parsed) { report_end(std::move(parsed)); });
  if (!reading) return report_end(std::unexpected(std::move(reading.error())));
  reading_ = std::move(*reading);
  if (stopped_) limit_reading();
}

void Iperf3Run::limit_reading() {
  if (reading_limit_) return;
  Result<EventSource> timer = loop_.after(kReadAfterStop, [this] {
    reading_.reset();
    report_end(fail(ErrorKind::io, fmt::format("iperf3's output was not read within {} s of the stop",
                                               kReadAfterStop.count())));
  });
  // Without a timer, the reading still has a deadline of its own.
  if (timer) reading_limit_ = *std::move(timer);
}

// The listener may destroy this run inside the call.
void Iperf3Run::report_end(Result<ParsedReport> parsed) {
  reading_limit_.reset();
  listener_.workload_ended(take_result(std::move(parsed)));
}

WorkloadResult Iperf3Run::take_result(Result<ParsedReport> parsed) {
  WorkloadResult result;
  const std::string parse_error = parsed ? parsed->error : parsed.error().message;
  // If the client has both sides' figures, neither the server's end nor a late stop matters.
  if (!client_.end.executed || !parse_error.empty() || !client_.end.failure.empty()) {
    result.error = causes(parse_error);
  }
  // Only after the server's last words were found in them.
  const auto keep = [&result](const char* name, std::string bytes) {
    if (!bytes.empty()) result.documents.push_back({name, std::move(bytes)});
  };
  if (client_.child) {
    keep("client.stdout", client_.child->take_out());
    keep("client.stderr", client_.child->take_err());
  }
  if (server_.child) {
    keep("server.stdout", server_.child->take_out());
    keep("server.stderr", server_.child->take_err());
  }
  if (!client_.end.executed) return result;
  result.client_usage = client_.end.usage;
  if (server_.end.executed) result.server_usage = server_.end.usage;
  if (parsed) {
    result.server = parsed->server;
    result.lacks_something = parsed->lacks_something && !stopped_;
    result.report = std::move(parsed->report);
    result.flags = std::move(parsed->flags);
  }
  add_flags(result.flags);
  return result;
}

void Iperf3Run::add_flags(std::vector<QualityFlag>& flags) const {
  if (const std::size_t left = processes_.left_behind(); left > 0) {
    flags.push_back(
        {"processes-left",
         fmt::format("iperf3 left {} {} behind, which netperfd ended: this is not the usual iperf3", left,
                     left == 1 ? "process" : "processes")});
  }
  if (const std::string others = guard_ ? guard_->others() : ""; !others.empty()) {
    flags.push_back(
        {"server-disturbed",
         fmt::format("The local server is for this run's client alone. netperfd refused {}.", others)});
  }
  const std::string& why = guard_ ? guard_->failure() : unguarded_;
  if (spec_.path.local && !why.empty()) {
    flags.push_back(
        {"server-unguarded",
         fmt::format("Others could connect to the local server: its calls could not be watched ({}).", why)});
  }
}

std::string Iperf3Run::causes(const std::string& parse_error) const {
  std::vector<std::string> causes;
  if (stopped_) causes.emplace_back("stopped before its end");
  if (!failure_.empty()) causes.push_back(failure_);
  if (!server_.was_ended_by_us() && !server_.end.failure.empty()) causes.push_back(server_.end.failure);
  if (client_.forced) {
    causes.push_back(fmt::format("iperf3: no end within {} s of SIGTERM, killed", kForceAfter.count()));
  } else if (!client_.was_ended_by_us() && !client_.end.failure.empty()) {
    causes.push_back(client_.end.failure);
  }
  if (!parse_error.empty()) causes.push_back(parse_error);
  if (server_.child && !server_.told_to_end) {
    if (const std::string_view words = last_words(*server_.child); !words.empty()) {
      causes.push_back(fmt::format("the local server says: {}", words));
    }
  }
  if (const std::string others = guard_ ? guard_->others() : ""; !others.empty()) {
    causes.push_back(fmt::format("beside this run's client, the local server was reached by {}", others));
  }
  return fmt::format("{}", fmt::join(causes, "; "));
}

}  // namespace netperfd::workload
