// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

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
  FailOn fail_on;       // empty: a comparison does not decide the exit code
  std::string confirm;  // job:N; empty: none
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
std::optional<CompareView> compare_arms(const StartView& view, Format format) {
  CompareRequest request;
  request.job = view.job.job.job;
  auto daemon = Daemon::connect();
  auto compared =
      daemon ? compare_sides(*daemon, request, fmt::format("netperfctl compare job:{}", *request.job))
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

Outcome<Exit> run_start(const Settings& settings, StartArguments arguments) {
  if (const auto done = complete(settings, arguments); !done) return std::unexpected(done.error());
  if (arguments.detach) return report_detached(arguments, settings.format);
  const auto followed = launch_and_follow(settings.format, arguments.launch);
  if (!followed) return std::unexpected(followed.error());
  if (!followed->view) return followed->exit;
  const StartView& view = *followed->view;
  const bool design = has_design(view);
  const auto compared = design ? compare_arms(view, settings.format) : std::nullopt;
  switch (settings.format) {
    case Format::table:
      if (compared) put_text(stdout, "\n" + compare_text(screen_of(stdout), *compared));
      break;
    case Format::json:
      put(start_json(view, compared ? &*compared : nullptr));
      break;
    case Format::csv:
      put(runs_csv(view.runs));
      break;
  }
  if (followed->exit != Exit::ok || arguments.fail_on.empty() || !design) return followed->exit;
  return exit_of(compared ? compared->details.comparison.verdict : "", arguments.fail_on);
}

}  // namespace

Verb add_start(CLI::App& app, const Settings& settings) {
  CLI::App* command = app.add_subcommand("start", "Start a measurement and follow it to its end");
  const auto arguments = std::make_shared<StartArguments>();
  add_launch_options(*command, arguments->launch,
                     "Number of runs, or of blocks if the scenario has a design");
  auto* detach =
      command->add_flag("--detach", arguments->detach, "Print the job's number and its runs', and leave it");
  auto* what = command->get_option("SCENARIO|FILE");
  command
      ->add_option("--confirm", arguments->confirm,
                   "Measure only the functions that this job (job:N) suspects, at a tenth of the CPU time at "
                   "most; with the scenario, label and number of runs of that job unless they are given")
      ->type_name("JOB")
      ->each([what](const std::string& /*job*/) { what->required(false); });
  detach->excludes(command->get_option("--cancel-on-interrupt"));
  add_fail_on(*command, arguments->fail_on,
              "Which verdicts of a design's comparison fail, as in compare: regression (exit code 8), "
              "inconclusive (6); without it the comparison is only shown")
      ->excludes(detach);
  command->footer(
      "Example:\n"
      "  netperfctl start veth-tcp --label before --repeat 5\n"
      "  netperfctl start ./ring.yaml --set workload.iperf3.duration=30s\n"
      "  netperfctl start --confirm job:12");
  return {command, [&settings, arguments] { return run_start(settings, *arguments); }};
}

}  // namespace netperfctl
