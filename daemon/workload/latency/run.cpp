// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/latency/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/random.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <utility>

#include "daemon/model/echo_session.hpp"
#include "daemon/model/place_check.hpp"

namespace netperfd::workload {
namespace {

// Beyond the timeout of the last request.
constexpr std::chrono::seconds kAnswerGrace{5};

// The prober's words for a server that does not answer its greeting.
constexpr std::string_view kNoAnswer = "no answer from ";

std::string in_ms(std::chrono::milliseconds time) {
  return fmt::format("{}ms", time.count());
}

}  // namespace

std::vector<std::string> prober_argv(const std::string& program, const JobSpec& spec) {
  const LatencySpec& latency = *spec.latency;
  const TestSpec& place = spec.test;
  std::vector<std::string> argv{program,      "probe",
                                "--to",       place.path.server,
                                "--port",     std::to_string(latency.port),
                                "--timeout",  in_ms(latency.timeout),
                                "--interval", in_ms(latency.interval)};
  const auto option = [&argv](const char* name, std::string value) {
    argv.emplace_back(name);
    argv.push_back(std::move(value));
  };
  if (!place.path.bind.empty()) option("--bind", place.path.bind);
  if (place.path.ip_version != IpVersion::any)
    option("--family", std::string(to_string(place.path.ip_version)));
  if (latency.duration) option("--duration", in_ms(*latency.duration));
  for (const ProbeSpec& probe : latency.probes) {
    std::string words =
        fmt::format("protocol={},rate={},length={}", probe.protocol, probe.rate, probe.length_bytes);
    if (const auto dscp = dscp_of(probe.dscp)) words += fmt::format(",dscp={}", *dscp);
    option("--probe", std::move(words));
  }
  return argv;
}

std::vector<std::string> echo_server_argv(const std::string& program, const JobSpec& spec) {
  return {program, "serve", "--bind", spec.test.path.server, "--port", std::to_string(spec.latency->port)};
}

LatencyRun::LatencyRun(EventLoop& loop, core::LatencyReading& reports, const LatencySettings& settings,
                       const JobSpec& spec, core::WorkloadListener& listener, std::function<void()> begun)
    : loop_(loop),
      reports_(reports),
      settings_(settings),
      spec_(spec),
      listener_(listener),
      begun_(std::move(begun)),
      processes_(loop, settings_.common, [this] { read_output(); }) {
  for (const ProbeSpec& probe : spec.latency->probes) order_.probes.push_back(probe.name);
  order_.phases.emplace_back(kLatencyPhases.front());
}

Status LatencyRun::begin() {
  if (Status made = processes_.begin(); !made) return made;
  if (!spec_.test.path.local) return launch_prober();
  std::uint64_t session = 0;
  if (::getrandom(&session, sizeof session, 0) != sizeof session) return fail_errno("getrandom", errno);
  session_ = {fmt::format("{}={:016x}", kEchoSessionVariable, session)};
  return launch_server();
}

Status LatencyRun::launch_server() {
  ChildEvents events;
  events.ready = [this] { server_.child->release(); };
  events.line = [this](std::string_view line) { on_server_line(line); };
  events.ended = [this](const ChildEnd& end) { on_server_ended(end); };
  return processes_.launch(server_, {.name = "echo server"},
                           {.argv = echo_server_argv(settings_.path, spec_),
                            .netns = spec_.test.path.local->netns,
                            .cpus = {},
                            .environment = session_},
                           std::move(events));
}

Status LatencyRun::launch_prober() {
  ChildEvents events;
  events.ready = [this] {
    if (!processes_.ending()) listener_.workload_prepared();
  };
  events.line = [this](std::string_view line) { on_prober_line(line); };
  events.ended = [this](const ChildEnd&) { on_prober_ended(); };
  return processes_.launch(prober_, {.name = "prober"},
                           {.argv = prober_argv(settings_.path, spec_),
                            .netns = spec_.test.path.netns,
                            .cpus = {},
                            .environment = session_},
                           std::move(events));
}

std::vector<pid_t> LatencyRun::pids() const {
  std::vector<pid_t> pids;
  for (const RunProcess* process : {&prober_, &server_}) {
    if (process->alive) pids.push_back(process->child->pid());
  }
  return pids;
}

void LatencyRun::release() {
  if (!prober_.alive || released_) return;
  released_ = true;
  prober_.child->release();
}

void LatencyRun::stop() {
  stopped_ = true;
  if (reading_) return limit_reading();
  processes_.end();
}

void LatencyRun::limit_reading() {
  if (reading_limit_) return;
  Result<EventSource> timer = loop_.after(kReadAfterStop, [this] {
    reading_.reset();
    report_end(fail(ErrorKind::io, fmt::format("the prober's output was not read within {} s of the stop",
                                               kReadAfterStop.count())));
  });
  // Without a timer, the reading still has a deadline of its own.
  if (timer) reading_limit_ = *std::move(timer);
}

void LatencyRun::next_phase(std::string_view name) {
  if (!prober_.alive) return;
  order_.phases.emplace_back(name);
  prober_.child->signal(SIGRTMIN);
}

void LatencyRun::finish() {
  if (!prober_.alive) return processes_.end();
  prober_.child->signal(SIGTERM);
  processes_.end_after(spec_.latency->timeout + kAnswerGrace,
                       [this] { failure_ = "prober: it did not end after its last request"; });
}

void LatencyRun::on_server_line(std::string_view line) {
  if (listening_ || !line.starts_with("Listening")) return;
  listening_ = true;
  if (processes_.ending()) return;
  if (Status launched = launch_prober(); !launched) {
    failure_ = std::move(launched.error().message);
    processes_.end();
  }
}

void LatencyRun::on_prober_line(std::string_view line) {
  if (has_begun_ || !line.starts_with(R"({"event":"start")")) return;
  has_begun_ = true;
  if (begun_ && !processes_.ending()) begun_();
}

void LatencyRun::on_server_ended(const ChildEnd& end) {
  if (server_.told_to_end) return;
  if (end.failure.empty())
    failure_ = listening_ ? "echo server: it ended too early" : "echo server: it did not listen";
  processes_.end();
}

void LatencyRun::on_prober_ended() {
  processes_.end();
}

void LatencyRun::read_output() {
  if (!prober_.end.executed) return report_end(ParsedLatency{});
  listener_.workload_stopped();
  auto reading = reports_.read_latency(
      prober_.child->out(), order_, [this](Result<ParsedLatency> parsed) { report_end(std::move(parsed)); });
  if (!reading) return report_end(std::unexpected(std::move(reading.error())));
  reading_ = std::move(*reading);
  if (stopped_) limit_reading();
}

// The listener may destroy this run inside the call.
void LatencyRun::report_end(Result<ParsedLatency> parsed) {
  reading_limit_.reset();
  WorkloadResult result;
  const std::string parse_error = parsed ? parsed->error : parsed.error().message;
  result.error = causes(parse_error);
  const auto keep = [&result](const RunProcess& process, const std::string& name) {
    if (!process.child) return;
    if (std::string out = process.child->take_out(); !out.empty())
      result.documents.push_back({name + ".stdout", std::move(out)});
    if (std::string err = process.child->take_err(); !err.empty())
      result.documents.push_back({name + ".stderr", std::move(err)});
  };
  keep(prober_, "latency");
  if (server_.child && !server_.child->err().empty()) keep(server_, "latency-server");
  if (prober_.end.executed) {
    result.client_usage = prober_.end.usage;
    if (server_.end.executed) result.server_usage = server_.end.usage;
    if (parse_error.starts_with(kNoAnswer)) result.server = ServerAbsence::absent;
    if (parsed) {
      result.latency = std::move(parsed->report);
      result.flags = std::move(parsed->flags);
    }
  }
  listener_.workload_ended(std::move(result));
}

std::string LatencyRun::causes(const std::string& parse_error) const {
  std::vector<std::string> causes;
  if (stopped_) causes.emplace_back("stopped before its end");
  if (!failure_.empty()) causes.push_back(failure_);
  if (!server_.was_ended_by_us() && !server_.end.failure.empty()) causes.push_back(server_.end.failure);
  if (prober_.forced) {
    causes.push_back(fmt::format("prober: no end within {} s of SIGTERM, killed", kForceAfter.count()));
  } else if (!prober_.was_ended_by_us() && !prober_.end.failure.empty()) {
    causes.push_back(prober_.end.failure);
  }
  if (!parse_error.empty()) causes.push_back(parse_error);
  if (prober_.end.executed && prober_.end.exit_code != 0 && parse_error.empty()) {
    causes.push_back(fmt::format("prober: exit code {}", prober_.end.exit_code));
  }
  return fmt::format("{}", fmt::join(causes, "; "));
}

}  // namespace netperfd::workload
