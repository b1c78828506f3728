// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/command/job/part.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <utility>

#include "daemon/workload/command/job/check.hpp"
#include "daemon/workload/command/job/keys.hpp"
#include "daemon/workload/job/programs.hpp"

namespace netperfd::workload {
namespace {

constexpr const char* kGroup = "command";

std::optional<std::chrono::milliseconds> planned_command(const JobSpec& spec) {
  return spec.command ? spec.command->duration : std::nullopt;
}

std::vector<PortOfJob> ports_of_command(const JobSpec& spec) {
  if (!spec.command || !spec.command->ready.port) return {};
  return {{"workload.command.local.ready.port", *spec.command->ready.port}};
}

// What a figure is: another way to find it is another figure.
std::string definition(const DeclaredFigure& figure) {
  return fmt::format("{}, {} better, {} in {} times {}", figure.unit, to_string(figure.better), figure.place,
                     figure.document, figure.scale);
}

void add_program(const char* side, const CommandProgram& program, std::vector<Fact>& facts) {
  const auto add = [&](const std::string& key, std::string value) {
    if (!value.empty()) facts.push_back({kGroup, key, std::move(value)});
  };
  add(side, fmt::format("{}", fmt::join(program.argv, " ")));
  add(fmt::format("{} program", side), program_file(program.argv.front()));
  add(fmt::format("{} cpus", side), fmt::format("{}", fmt::join(program.cpus, ",")));
  add(fmt::format("{} capabilities", side), fmt::format("{}", fmt::join(program.capabilities, ",")));
  add(fmt::format("{} cleanup", side), fmt::format("{}", fmt::join(program.cleanup, " ")));
}

// The version belongs to iperf3; of a program, its file tells another one.
std::vector<Fact> facts_of_command(const JobSpec& spec, std::string_view /*version*/) {
  if (!spec.command) return {};
  const CommandSpec& command = *spec.command;
  std::vector<Fact> facts;
  add_program("client", command.client, facts);
  if (command.server) add_program("server", *command.server, facts);
  for (const std::string& variable : command.environment) {
    const std::size_t end = variable.find('=');
    facts.push_back({kGroup, "environment " + variable.substr(0, end), variable.substr(end + 1)});
  }
  for (const DeclaredFigure& figure : command.figures)
    facts.push_back({kGroup, "figure " + figure.name, definition(figure)});
  return facts;
}

}  // namespace

std::vector<std::string> programs_of_command(const JobSpec& spec) {
  std::vector<std::string> programs;
  const auto add = [&programs](const CommandProgram& program) {
    programs.push_back(program.argv.front());
    if (!program.cleanup.empty()) programs.push_back(program.cleanup.front());
  };
  if (spec.command) add(spec.command->client);
  if (spec.command && spec.command->server) add(*spec.command->server);
  return programs;
}

JobPart command_part() {
  return {.traits = {.name = "command",
                     .measures_path = true,
                     .makes_traffic = false,
                     .takes_probes = false,
                     .runs_processes = true,
                     .ends_by_itself = true,
                     .of_files = false,
                     .of_root = true,
                     .check = check_command,
                     .planned_duration = planned_command,
                     .ports = ports_of_command,
                     .programs = programs_of_command,
                     .facts = facts_of_command},
          .meaning = "for any other program",
          .timed_by = {"workload.command.duration"},
          .make_keys = make_command_keys};
}

}  // namespace netperfd::workload
