// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/text.hpp"
#include "client/verbs/confirmation.hpp"
#include "client/verbs/fail_on.hpp"
#include "client/verbs/follower.hpp"
#include "client/verbs/job_comparison.hpp"
#include "client/verbs/launch.hpp"
#include "client/verbs/numbers.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

struct StartArguments {
  LaunchArguments launch;
  bool detach = false;
  FailOn fail_on;                              // empty: a comparison does not decide the exit code
  std::string confirm;                         // job:N; empty: none
  std::optional<std::uint32_t> until_decided;  // the most blocks
  std::vector<std::string> sweep;              // KEY=VALUE,VALUE
};

Outcome<Exit> report_detached(const StartArguments& arguments, Format format) {
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  const auto launched = launch(*daemon, arguments.launch);
  if (!launched) return std::unexpected(launched.error());
  const LiveJobView& job = launched->job;
  if (format == Format::table) {
    put_lines(stdout, detached_text(job, launched->until_stopped));
    return Exit::ok;
  }
  const auto view = fetch_start_view(*daemon, job.job);
  if (!view) return std::unexpected(view.error());
  put(format == Format::json ? start_json(*view, nullptr) : runs_csv(view->runs));
  return Exit::ok;
}

bool has_design(const StartView& view) {
  return std::ranges::any_of(view.runs, [](const RunView& run) { return run.block.has_value(); });
}

// If the sides cannot be compared, prints the reason; this is not an error of its own.
std::optional<ComparedSides> compare_started(const StartView& view, Format format) {
  CompareRequest request;
  request.job = view.job.job.job;
  auto daemon = Daemon::connect();
  auto compared = daemon
                      ? compare_job(*daemon, request, fmt::format("netperfctl compare job:{}", *request.job))
                      : std::unexpected(daemon.error());
  if (compared) return std::move(*compared);
  put_lines(format == Format::table ? stdout : stderr,
            fmt::format("Its sides were not compared: {}\n", printable(compared.error().message, "\n")));
  return {};
}

// Completes the arguments of a job that confirms another one.
Outcome<void> complete(const Settings& settings, StartArguments& arguments) {
  if (arguments.confirm.empty()) return {};
  const auto job = job_number(arguments.confirm);
  if (!job) return std::unexpected(job.error());
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  const auto words = confirm(*daemon, *job, arguments.launch);
  if (!words) return std::unexpected(words.error());
  put_lines(settings.format == Format::table ? stdout : stderr, *words);
  return {};
}

std::string compared_text(const Screen& screen, const ComparedSides& compared) {
  const auto* swept = std::get_if<SweepView>(&compared);
  return swept != nullptr ? sweep_text(screen, *swept)
                          : compare_text(screen, std::get<CompareView>(compared));
}

Exit exit_of_compared(const std::optional<ComparedSides>& compared, const FailOn& fail_on) {
  if (!compared) return exit_of("", fail_on);
  const auto* swept = std::get_if<SweepView>(&*compared);
  return swept != nullptr ? exit_of(swept->details, fail_on)
                          : exit_of(std::get<CompareView>(*compared).details.comparison.verdict, fail_on);
}

Outcome<Exit> run_start(const Settings& settings, StartArguments arguments) {
  if (const auto done = complete(settings, arguments); !done) return std::unexpected(done.error());
  if (arguments.until_decided) {
    StartOptions& options = arguments.launch.options;
    options.overrides.push_back(until_decided(*arguments.until_decided));
    options.repeat.reset();  // of a job that this one confirms
  }
  for (const std::string& axis : arguments.sweep) {
    const auto equals = axis.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return fail(Exit::usage, fmt::format("--sweep: {}; expected is KEY=VALUE,VALUE, such as streams=1,4,16",
                                           printable(axis)));
    }
    arguments.launch.options.overrides.push_back(
        fmt::format("sweep.{}=[{}]", axis.substr(0, equals), axis.substr(equals + 1)));
  }
  if (arguments.detach) return report_detached(arguments, settings.format);
  const auto followed = launch_and_follow(settings.format, arguments.launch);
  if (!followed) return std::unexpected(followed.error());
  if (!followed->view) return followed->exit;
  const StartView& view = *followed->view;
  const bool design = has_design(view);
  const auto compared = design ? compare_started(view, settings.format) : std::nullopt;
  switch (settings.format) {
    case Format::table:
      if (compared) put_text(stdout, "\n" + compared_text(screen_of(stdout), *compared));
      break;
    case Format::json:
      put(start_json(view, compared ? std::get_if<CompareView>(&*compared) : nullptr,
                     compared ? std::get_if<SweepView>(&*compared) : nullptr));
      break;
    case Format::csv:
      put(runs_csv(view.runs));
      break;
  }
  if (followed->exit != Exit::ok || arguments.fail_on.empty() || !design) return followed->exit;
  return exit_of_compared(compared, arguments.fail_on);
}

void add_start_options(CLI::App& command, StartArguments& arguments, const std::string& repeat_words) {
  add_launch_options(command, arguments.launch, repeat_words);
  command
      .add_option("--until-decided", arguments.until_decided,
                  "Measure blocks of a design until the comparison is decided, and this many at most")
      ->type_name("MOST")
      ->check(count_above_zero())
      ->excludes(command.get_option("--repeat"));
  command
      .add_option("--sweep", arguments.sweep,
                  "Compare the sides of a design at each of these values of a key, such as streams=1,4,16; "
                  "repeatable: at each combination")
      ->type_name("KEY=VALUE,...")
      ->allow_extra_args(false);
  auto* detach =
      command.add_flag("--detach", arguments.detach, "Print the job's number and its runs', and leave it");
  detach->excludes(command.get_option("--cancel-on-interrupt"));
  add_fail_on(command, arguments.fail_on,
              "Which verdicts of a design's comparison fail, as in compare: regression (exit code 8), "
              "inconclusive (6); without it the comparison is only shown")
      ->excludes(detach);
}

struct Sides {
  std::vector<std::string> a, b;  // KEY=VALUE
};

Outcome<Exit> run_ab(const Settings& settings, StartArguments arguments, const Sides& sides) {
  StartOptions& options = arguments.launch.options;
  if (sides.a.empty()) options.overrides.emplace_back("design.a.name=as-it-is");
  for (const std::string& each : sides.a) options.overrides.push_back("design.a.set." + each);
  for (const std::string& each : sides.b) options.overrides.push_back("design.b.set." + each);
  return run_start(settings, std::move(arguments));
}

}  // namespace

Verb add_ab(CLI::App& app, const Settings& settings) {
  CLI::App* command =
      app.add_subcommand("ab", "Compare two settings of a workload, measured by turns: is B faster than A?");
  const auto arguments = std::make_shared<StartArguments>();
  const auto sides = std::make_shared<Sides>();
  add_start_options(*command, *arguments,
                    "Number of blocks of four runs: as many as the figures take unless given, 6 for one");
  const auto add_side = [command](const char* option, std::vector<std::string>& words) {
    command
        ->add_option(
            option, words,
            "A key of the workload that this side has, such as congestion=bbr, or what it sets on the "
            "machine, such as offload.gro.eth1=off; repeatable")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
  };
  add_side("--a", sides->a);
  add_side("--b", sides->b);
  command->get_option("--b")->required();
  command->footer(
      "Example:\n"
      "  netperfctl ab veth-tcp --a congestion=cubic --b congestion=bbr\n"
      "  netperfctl ab veth-tcp --b streams=8 --b length=1M\n"
      "  netperfctl ab veth-tcp --b congestion=bbr --sweep streams=1,4,16\n"
      "  netperfctl ab veth-tcp --a mtu.veth0@left=1500 --b mtu.veth0@left=9000");
  return {command, [&settings, arguments, sides] { return run_ab(settings, *arguments, *sides); }};
}

Verb add_start(CLI::App& app, const Settings& settings) {
  CLI::App* command = app.add_subcommand("start", "Start a measurement and follow it to its end");
  const auto arguments = std::make_shared<StartArguments>();
  add_start_options(*command, *arguments, "Number of runs, or of blocks if the scenario has a design");
  auto* what = command->get_option("SCENARIO|FILE");
  command
      ->add_option("--confirm", arguments->confirm,
                   "Measure only the functions that this job (job:N) suspects, at a tenth of the CPU time at "
                   "most; with the scenario, label and number of runs of that job unless they are given")
      ->type_name("JOB")
      ->each([what](const std::string& /*job*/) { what->required(false); });
  command->footer(
      "Example:\n"
      "  netperfctl start veth-tcp --label before --repeat 5\n"
      "  netperfctl start ./ring.yaml --set workload.iperf3.duration=30s\n"
      "  netperfctl start --confirm job:12");
  return {command, [&settings, arguments] { return run_start(settings, *arguments); }};
}

}  // namespace netperfctl
