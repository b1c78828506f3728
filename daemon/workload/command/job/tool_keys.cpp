// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/command/job/tool_keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <utility>

#include "daemon/model/place_check.hpp"
#include "daemon/model/units.hpp"
#include "daemon/model/workload_problems.hpp"
#include "daemon/workload/command/job/part.hpp"
#include "daemon/workload/job/programs.hpp"

namespace netperfd::workload {

using namespace keys;

namespace {

using namespace std::chrono_literals;

// More than such a tool prints: its answer has some kilobytes.
constexpr std::uint64_t kMostToolOutput = std::uint64_t{1} << 20U;

// The tools take whole seconds.
std::optional<std::chrono::milliseconds> parse_whole_seconds(std::string_view text) {
  const auto duration = parse_duration(text);
  if (!duration || *duration < 1s || *duration > 24h || *duration % 1s != 0ms) return std::nullopt;
  return duration;
}

std::vector<JobProblem> check_tool(const JobSpec& spec) {
  WorkloadProblems problems("workload." + spec.workload.name);
  if (!spec.command) return problems.take();
  check_place(spec.test, problems);
  for (const auto cpu : spec.command->client.cpus) problems.require_range("cpus", cpu, 0U, kMaxCpu);
  if (!spec.command->server) return problems.take();
  for (const auto cpu : spec.command->server->cpus) problems.require_range("local.cpus", cpu, 0U, kMaxCpu);
  return problems.take();
}

std::optional<std::chrono::milliseconds> planned_tool(const JobSpec& spec) {
  return spec.command ? spec.command->duration : std::nullopt;
}

std::vector<PortOfJob> ports_of_tool(const JobSpec& spec) {
  if (!spec.command || !spec.command->ready.port) return {};
  return {{fmt::format("workload.{}.port", spec.workload.name), *spec.command->ready.port}};
}

// The version belongs to iperf3.
std::vector<Fact> facts_of_tool(const JobSpec& spec, std::string_view /*version*/) {
  if (!spec.command) return {};
  std::vector<Fact> facts = spec.command->facts;
  const auto add = [&](const char* side, const CommandProgram& program) {
    const auto add_if_any = [&](const char* what, std::string value) {
      if (!value.empty())
        facts.push_back({spec.workload.name, fmt::format("{} {}", side, what), std::move(value)});
    };
    add_if_any("program", program_file(program.argv.front()));
    add_if_any("cpus", fmt::format("{}", fmt::join(program.cpus, ",")));
  };
  add("client", spec.command->client);
  if (spec.command->server) add("server", *spec.command->server);
  return facts;
}

}  // namespace

std::string_view ToolKeys::path(std::string_view key) {
  return paths_.emplace_back(key.empty() ? fmt::format("workload.{}", tool_.name)
                                         : fmt::format("workload.{}.{}", tool_.name, key));
}

std::vector<Key> ToolKeys::keys_of_place() {
  return {
      {path("duration"),
       word(duration_, parse_whole_seconds, "a duration of 1 s to 24 h in whole seconds (like 10s)"),
       {"duration", "required", "how long to measure: 1 s to 24 h in whole seconds", ""},
       Need::required},
      {path("server"),
       text(place_.path.server),
       {"host", "required: this or `local`",
        "name or address of a host on which somebody runs the tool's server", ""}},
      {path("port"), number(port_, std::uint16_t{1}), {"number", tool_.port_text, "port of the server", ""}},
      {path("netns"),
       text(place_.path.netns),
       {"word", "the host's own", "network namespace of the client", ""}},
      {path("bind"), text(place_.path.bind), {"address", "the kernel's", "the client's own address", ""}},
      {path("cpus"), cpu_list(cpus_), {"list of numbers", "any", "the CPUs on which the client may run", ""}},
      {path("local"), {}},
      {path("local.netns"),
       text(place_.local.netns),
       {"word", "the host's own", "network namespace of a server that netperfd runs for this job", ""}},
      {path("local.bind"),
       text(place_.local.bind),
       {"address", "required", "address on which that server listens and to which the client connects", ""},
       Need::required},
      {path("local.cpus"),
       cpu_list(server_cpus_),
       {"list of numbers", "any", "the CPUs on which that server may run", ""}},
  };
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): it loses sight of std::function in an initializer list

std::vector<Key> ToolKeys::keys() {
  std::vector<Key> keys;
  keys.push_back({path(""), {}});
  for (auto more : {own_keys(), keys_of_place()}) std::ranges::move(more, std::back_inserter(keys));
  return keys;
}

void ToolKeys::finish(const YamlNode& root, JobSpec& spec, Complaints& complaints) {
  if (spec.workload.name != tool_.name) return;
  const YamlNode* own = value_of(value_of(&root, "workload"), tool_.name);
  spec.test.path = path_of(std::move(place_), tool_.name, root, complaints);
  spec.test.path.server_wait = {};  // its server is there, or the run fails
  const auto complain = [&](std::string_view key, std::string message) {
    const YamlEntry* entry = own->find(key);
    if (entry != nullptr)
      complaints.add(entry->place, fmt::format("workload.{}.{}", tool_.name, key), std::move(message));
  };
  const ToolPlace place{.path = spec.test.path,
                        .port = port_,
                        .duration = std::chrono::duration_cast<std::chrono::seconds>(duration_.value_or(0s))};
  ToolTest test = test_at(place, complain);
  CommandSpec& made = spec.command.emplace();
  made.client = {.argv = std::move(test.client), .cpus = std::move(cpus_)};
  if (place.path.local) made.server = {.argv = std::move(test.server), .cpus = std::move(server_cpus_)};
  made.ready.port = port_;
  made.duration = duration_;
  made.output_limit = kMostToolOutput;
  made.figures = std::move(test.figures);
  made.answers_per_second = test.answers_per_second;
  const std::string checked = to_place({std::string(tool_.name), place.duration, test.says});
  for (DeclaredFigure& figure : made.figures) {
    figure.form = FigureForm::tool;
    figure.place = checked;
    figure.document = "client.stdout";
  }
  for (const auto* facts : {&test.says, &test.more_facts}) {
    for (const auto& [key, value] : *facts) made.facts.push_back({std::string(tool_.name), key, value});
  }
  // A comparison judges the first one unless the job names others.
  if (spec.figures.empty() && !made.figures.empty())
    spec.figures.push_back({.figure = {.name = made.figures.front().name}});
}

JobPart tool_part(std::string_view name, std::string_view meaning, std::string_view duration,
                  std::unique_ptr<JobKeys> (*make_keys)()) {
  return {.traits = {.name = std::string(name),
                     .measures_path = true,
                     .makes_traffic = false,
                     .takes_probes = false,
                     .runs_processes = true,
                     .ends_by_itself = true,
                     .of_files = false,
                     .of_root = false,
                     .check = check_tool,
                     .planned_duration = planned_tool,
                     .ports = ports_of_tool,
                     .programs = programs_of_command,
                     .facts = facts_of_tool},
          .meaning = meaning,
          .timed_by = {duration},
          .make_keys = make_keys};
}

}  // namespace netperfd::workload
