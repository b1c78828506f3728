// SPDX-License-Identifier: GPL-2.0-or-later
#include <CLI/CLI.hpp>

#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

Outcome<Exit> run_scenarios(const Settings& settings) {
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  const auto scenarios = daemon->scenarios();
  if (!scenarios) return std::unexpected(scenarios.error());
  switch (settings.format) {
    case Format::table:
      put_text(stdout, scenarios_text(screen_of(stdout), *scenarios));
      break;
    case Format::json:
      put(scenarios_json(*scenarios));
      break;
    case Format::csv:
      put(scenarios_csv(*scenarios));
      break;
  }
  return Exit::ok;
}

}  // namespace

Verb add_scenarios(CLI::App& app, const Settings& settings) {
  CLI::App* command = app.add_subcommand("scenarios", "List the scenarios that root has installed");
  command->footer("Example:\n  netperfctl scenarios");
  return {command, [&settings] { return run_scenarios(settings); }};
}

}  // namespace netperfctl
