// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/probe.hpp"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "daemon/workload/child.hpp"

namespace netperfd::workload {
namespace {

constexpr std::chrono::seconds kDeadline{5};
constexpr int kAttempts = 3;

// Sets `killed` if somebody else ended the process.
Result<std::string> ask_once(EventLoop& loop, const ProgramSettings& settings, const std::string& option,
                             bool& killed) {
  std::unique_ptr<Child> child;
  std::optional<ChildEnd> end;
  ChildEvents events;
  events.ready = [&] { child->release(); };
  events.ended = [&](const ChildEnd& seen) { end = seen; };
  LaunchOrder order{
      .argv = {settings.path, option}, .netns = {}, .cpus = {}, .uid = settings.uid, .gid = settings.gid};
  Result<std::unique_ptr<Child>> started =
      Child::start(loop, {.name = settings.path + " " + option, .launcher = settings.launcher},
                   std::move(order), std::move(events));
  if (!started) return std::unexpected(std::move(started.error()));
  child = *std::move(started);

  bool late = false;
  const Result<EventSource> deadline = loop.after(kDeadline, [&] {
    late = true;
    child->signal(SIGKILL);
  });
  if (!deadline) return std::unexpected(deadline.error());
  while (!end) {
    if (const int r = sd_event_run(loop.raw(), UINT64_MAX); r < 0) return fail_errno("sd_event_run", -r);
  }
  if (late) {
    return fail(ErrorKind::io,
                fmt::format("{} {}: no end within {} s", settings.path, option, kDeadline.count()));
  }
  killed = end->signal_number != 0;
  if (!end->failure.empty()) return fail(ErrorKind::io, end->failure);
  return child->out() + child->err();
}

// The output of `iperf3 OPTION`; versions differ in which of the two outputs they use. A process that was
// killed, for lack of memory for instance, says nothing about iperf3, and without an answer the daemon could
// measure nothing until its next start.
Result<std::string> ask(EventLoop& loop, const ProgramSettings& settings, const std::string& option) {
  for (int attempt = 1;; ++attempt) {
    bool killed = false;
    auto answer = ask_once(loop, settings, option, killed);
    if (!killed || attempt == kAttempts) return answer;
  }
}

}  // namespace

Result<Iperf3Features> probe_iperf3(EventLoop& loop, const ProgramSettings& settings) {
  const Result<std::string> version = ask(loop, settings, "--version");
  if (!version) return std::unexpected(version.error());
  const Result<std::string> help = ask(loop, settings, "--help");
  if (!help) return std::unexpected(help.error());
  Iperf3Features features = parse_features(*version, *help);
  if (features.version.empty() || !features.has("--client") || !features.has("--server")) {
    return fail(ErrorKind::unsupported,
                fmt::format("{}: its --version and --help are not those of an iperf3", settings.path));
  }
  return features;
}

}  // namespace netperfd::workload
