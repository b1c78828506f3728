// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/verbs/job_comparison.hpp"
#include "client/verbs/launch.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

Exit exit_of_selftest(const ComparisonView& self_test) {
  if (self_test.verdict == "equivalent") return Exit::ok;
  return finds_difference(self_test) ? Exit::difference : Exit::inconclusive;
}

Outcome<Exit> run_selftest(const Settings& settings, LaunchArguments arguments) {
  arguments.options.purpose = "selftest";
  const auto followed = launch_and_follow(settings.format, arguments);
  if (!followed) return std::unexpected(followed.error());
  if (!followed->view || followed->exit == Exit::interrupted) return followed->exit;
  CompareRequest request;
  request.job = followed->view->job.job.job;
  auto daemon = Daemon::connect();
  if (!daemon) return exit_without_result(*followed, daemon.error());
  const auto view = compare_sides(*daemon, request, command_of("selftest", arguments));
  if (!view) return exit_without_result(*followed, view.error());
  switch (settings.format) {
    case Format::table:
      put_text(stdout, "\n" + selftest_text(screen_of(stdout), *view));
      break;
    case Format::json:
      put(selftest_json(*view));
      break;
    case Format::csv:
      put(compare_csv(*view));
      if (const std::string lacks = left_out_of_csv(*view); !lacks.empty()) complain(lacks);
      break;
  }
  return followed->exit == Exit::ok ? exit_of_selftest(view->details.comparison) : followed->exit;
}

}  // namespace

Verb add_selftest(CLI::App& app, const Settings& settings) {
  CLI::App* command = app.add_subcommand(
      "selftest",
      "Compare this host with itself: which differences it can detect, and whether it finds false ones");
  const auto arguments = std::make_shared<LaunchArguments>();
  add_launch_options(*command, *arguments, "Number of blocks");
  command->footer("Example:\n  netperfctl selftest veth-tcp");
  return {command, [&settings, arguments] { return run_selftest(settings, *arguments); }};
}

}  // namespace netperfctl
