// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/command/workload.hpp"

#include <string>
#include <utility>

#include "daemon/workload/command/job/part.hpp"
#include "daemon/workload/command/run.hpp"
#include "daemon/workload/iperf3/workload.hpp"
#include "daemon/workload/job/programs.hpp"

namespace netperfd::workload {

CommandWorkload::CommandWorkload(EventLoop& loop, core::FigureReading& figures, ProgramSettings settings)
    : loop_(loop), figures_(figures), settings_(std::move(settings)) {}

Status CommandWorkload::check(const JobSpec& spec) {
  if (!spec.command) return {};
  const CommandSpec& command = *spec.command;
  const bool of_server = command.server && !command.server->capabilities.empty();
  if (command.client.capabilities.empty() && !of_server) return {};
  if (settings_.units == nullptr) return fail(ErrorKind::unsupported, "there are no units of systemd here");
  return settings_.units->check();
}

std::vector<std::string> CommandWorkload::missing(const JobSpec& spec) {
  return missing_of(spec.test, spec.command ? programs_of_command(spec) : std::vector<std::string>{});
}

Result<std::unique_ptr<core::ActiveWorkload>> CommandWorkload::prepare(const JobSpec& spec,
                                                                       core::WorkloadListener& listener) {
  if (!spec.command) return fail(ErrorKind::invalid_argument, "the job has no command");
  if (Status there = expect_namespaces(spec.test); !there) return std::unexpected(std::move(there.error()));
  if (Status possible = check(spec); !possible) return std::unexpected(std::move(possible.error()));
  for (const std::string& program : programs_of_command(spec)) {
    if (Status there = expect_program(program); !there) return std::unexpected(std::move(there.error()));
  }
  auto run =
      std::make_unique<CommandRun>(loop_, figures_, settings_, spec.test.path, *spec.command, listener);
  if (Status begun = run->begin(); !begun) return std::unexpected(std::move(begun.error()));
  return run;
}

std::unique_ptr<core::Workload> make_command(const WorkloadSite& site) {
  return std::make_unique<CommandWorkload>(site.loop, site.figures, site.iperf3);
}

}  // namespace netperfd::workload
