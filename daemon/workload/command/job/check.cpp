// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/command/job/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/capabilities.hpp"
#include "daemon/model/named_figure_check.hpp"
#include "daemon/model/place_check.hpp"
#include "daemon/model/text.hpp"
#include "daemon/model/wording.hpp"
#include "daemon/model/workload_problems.hpp"
#include "daemon/workload/command/job/parameters.hpp"
#include "daemon/workload/command/job/pattern.hpp"

namespace netperfd::workload {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostArguments = 256;
constexpr std::size_t kMostArgumentBytes = 16'384;
constexpr std::size_t kMostVariables = 32;
constexpr std::size_t kMostCpus = 256;
constexpr std::size_t kMostDeclared = 32;
constexpr std::size_t kLongestFile = 64;
constexpr std::size_t kLongestPlace = 256;

// Set for each program by netperfd itself.
constexpr std::string_view kOwnVariables[] = {"PATH", "HOME", "LC_ALL", "TMPDIR"};

// What the dynamic loader and libc read when a program starts, which is the launcher, still as root.
constexpr std::string_view kOfLoader[] = {"LD_",     "GLIBC_",  "MALLOC_",     "GCONV_PATH",
                                          "LOCPATH", "NLSPATH", "RES_OPTIONS", "HOSTALIASES"};

void check_words(const std::vector<std::string>& argv, const std::string& key, WorkloadProblems& problems) {
  std::size_t bytes = 0;
  for (const std::string& word : argv) bytes += word.size() + 1;
  if (argv.size() > kMostArguments || bytes > kMostArgumentBytes) {
    problems.add_here(key, fmt::format("has {} words with {} bytes; at most {} with {} are possible",
                                       argv.size(), bytes, kMostArguments, kMostArgumentBytes));
  }
  const std::string name = argv.empty() ? "" : argv.front();
  if (name.empty() || (name.contains('/') && !name.starts_with('/'))) {
    problems.add_here(key,
                      fmt::format("begins with {}; expected is an absolute path, or a name without a slash",
                                  in_quotes(name)));
  }
}

void check_program(const CommandProgram& program, const std::string& above, WorkloadProblems& problems) {
  check_words(program.argv, above + "run", problems);
  if (program.cpus.size() > kMostCpus)
    problems.add_here(above + "cpus", fmt::format("has more than {} CPUs", kMostCpus));
  for (const auto cpu : program.cpus) problems.require_range(above + "cpus", cpu, 0U, kMaxCpu);
}

// In its unit, the program has no devices.
constexpr std::string_view kWithoutDevices[] = {"MKNOD", "SYS_RAWIO"};

void check_capabilities(const CommandProgram& program, const std::string& above, WorkloadProblems& problems) {
  std::set<std::string> seen;
  for (const std::string& name : program.capabilities) {
    if (!number_of_capability(name)) {
      problems.add_here(above + "capabilities",
                        fmt::format("{} is not a capability, like NET_ADMIN (capabilities(7), without CAP_)",
                                    in_quotes(name)));
    } else if (std::ranges::find(kWithoutDevices, name) != std::end(kWithoutDevices)) {
      problems.add_here(above + "capabilities",
                        fmt::format("{} is of no use to a program that has no devices", name));
    } else if (!seen.insert(name).second) {
      problems.add_here(above + "capabilities", fmt::format("{} is there a second time", name));
    }
  }
  if (program.cleanup.empty()) return;
  if (program.capabilities.empty())
    problems.add_here(above + "cleanup", "needs `capabilities`: it is run in the unit of such a program",
                      {above + "capabilities"});
  check_words(program.cleanup, above + "cleanup", problems);
}

void check_ready(const ReadyTest& ready, WorkloadProblems& problems) {
  const int tests = int{ready.port.has_value()} + int{!ready.line.empty()} + int{!ready.file.empty()};
  if (tests != 1) {
    problems.add_here("local.ready",
                      fmt::format("has {} of `port`, `line` and `file`; expected is one", tests));
  }
  if (ready.port && *ready.port == 0) problems.add_here("local.ready.port", "0 is out of range (1 to 65535)");
  if (ready.line.size() > kLongestPlace)
    problems.add_here("local.ready.line", fmt::format("has more than {} bytes", kLongestPlace));
  if (!ready.file.empty() && !is_word(ready.file, "._-", kLongestFile))
    problems.add_here("local.ready.file",
                      fmt::format("{} is not the name of a file in the directory", in_quotes(ready.file)));
  problems.require_range("local.ready.within", ready.within, 100ms, 10min);
}

void check_environment(const CommandSpec& command, WorkloadProblems& problems) {
  if (command.environment.size() > kMostVariables)
    problems.add_here("environment", fmt::format("has more than {} variables", kMostVariables));
  for (const std::string& variable : command.environment) {
    const std::string name = variable.substr(0, variable.find('='));
    const bool digit = !name.empty() && name.front() >= '0' && name.front() <= '9';
    const std::string rest = name.starts_with('_') ? "x" + name : name;
    if (digit || !is_word(rest, "_", kLongestFile)) {
      problems.add_here("environment", fmt::format("{} is not the name of a variable", in_quotes(name)));
    } else if (std::ranges::find(kOwnVariables, name) != std::end(kOwnVariables)) {
      problems.add_here("environment", fmt::format("{} is set by netperfd", name));
    } else if (std::ranges::any_of(kOfLoader, [&](auto begin) { return name.starts_with(begin); })) {
      problems.add_here("environment",
                        fmt::format("{} would be read by netperfd's launcher too, which is root; begin `run` "
                                    "with [env, '{}=VALUE'] instead",
                                    name, name));
    }
  }
}

bool is_pointer(std::string_view text) {
  if (!text.empty() && !text.starts_with('/')) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '~' && (i + 1 == text.size() || (text[i + 1] != '0' && text[i + 1] != '1'))) return false;
  }
  return true;
}

void check_figure_place(const DeclaredFigure& figure, const std::string& above, WorkloadProblems& problems) {
  switch (figure.form) {
    case FigureForm::pattern:
      if (const auto compiled = compile_pattern(figure.place); !compiled)
        problems.add_here(above + "pattern", compiled.error().message);
      break;
    case FigureForm::pointer:
      if (!is_pointer(figure.place) || figure.place.size() > kLongestPlace) {
        problems.add_here(above + "pointer", fmt::format("{} is not a JSON pointer, such as /end/rate",
                                                         in_quotes(figure.place)));
      }
      break;
    case FigureForm::column:
      if (figure.place.empty() || figure.place.size() > kLongestPlace)
        problems.add_here(above + "column", "is not the name of a column");
      break;
    case FigureForm::tool:
      break;  // no key of a command makes it
  }
}

void check_declared(const CommandSpec& command, WorkloadProblems& problems) {
  if (command.figures.empty() || command.figures.size() > kMostDeclared) {
    problems.add_here("figures", fmt::format("has {} figures; 1 to {} are possible", command.figures.size(),
                                             kMostDeclared));
  }
  std::set<std::string> names;
  for (std::size_t i = 0; i < command.figures.size() && i < kMostDeclared; ++i) {
    const DeclaredFigure& figure = command.figures[i];
    const std::string above = fmt::format("figures[{}].", i);
    const NamedFigure named{.name = figure.name, .unit = figure.unit, .better = figure.better, .value = 0};
    if (const std::string wrong = problem_of({&named, 1}); !wrong.empty())
      problems.add_here(above + "name", wrong);
    if (!names.insert(figure.name).second)
      problems.add_here(above + "name", fmt::format("{} is there a second time", in_quotes(figure.name)));
    check_figure_place(figure, above, problems);
    const std::string_view document = figure.document;
    const std::string_view files = kFileDocument;
    if (document.starts_with(files) && !is_word(document.substr(files.size()), "._-", kLongestFile)) {
      problems.add_here(above + "file", fmt::format("{} is not the name of a file in the directory",
                                                    in_quotes(document.substr(files.size()))));
    }
    if (document.starts_with("server.") && !command.server)
      problems.add_here(above + "from", "means a server, and the job has no `local`", {"local"});
  }
}

// netperfd does not see the directory of a program in a unit.
void check_files(const CommandSpec& command, WorkloadProblems& problems) {
  const bool server_in_unit = command.server && !command.server->capabilities.empty();
  if (server_in_unit && !command.ready.file.empty()) {
    problems.add_here("local.ready.file",
                      "is in the directory of a server with capabilities, which netperfd does not see; "
                      "expected is `port` or `line`",
                      {"local.capabilities"});
  }
  const bool all_in_units = !command.client.capabilities.empty() && (!command.server || server_in_unit);
  for (std::size_t i = 0; i < command.figures.size() && all_in_units; ++i) {
    if (!command.figures[i].document.starts_with(kFileDocument)) continue;
    problems.add_here(fmt::format("figures[{}].file", i),
                      "is in the directory of a program with capabilities, which netperfd does not see; "
                      "expected is `from`",
                      {"capabilities"});
  }
}

}  // namespace

std::vector<JobProblem> check_command(const JobSpec& spec) {
  WorkloadProblems problems("workload.command");
  if (!spec.command) return problems.take();
  const CommandSpec& command = *spec.command;
  check_place_of_any(spec.test, problems);
  check_program(command.client, "", problems);
  check_capabilities(command.client, "", problems);
  if (command.server) {
    check_program(*command.server, "local.", problems);
    check_capabilities(*command.server, "local.", problems);
    check_ready(command.ready, problems);
  }
  check_files(command, problems);
  if (command.duration) problems.require_range("duration", *command.duration, 100ms, 24h);
  problems.require_range<std::uint64_t>("output_limit", command.output_limit, 1U << 10U, 64U << 20U);
  check_environment(command, problems);
  for (const CommandParameter& parameter : command.parameters) {
    if (std::string wrong = wrong_value(parameter); !wrong.empty())
      problems.add_here(fmt::format("parameters.{}.value", parameter.name), std::move(wrong));
  }
  check_declared(command, problems);
  return problems.take();
}

}  // namespace netperfd::workload
