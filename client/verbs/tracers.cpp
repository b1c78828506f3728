// SPDX-License-Identifier: GPL-2.0-or-later
#include <CLI/CLI.hpp>

#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

Outcome<Exit> run_tracers(const Settings& settings) {
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  const auto tracers = daemon->tracers();
  if (!tracers) return std::unexpected(tracers.error());
  switch (settings.format) {
    case Format::table:
      put_text(stdout, tracers_text(screen_of(stdout), *tracers));
      break;
    case Format::json:
      put(tracers_json(*tracers));
      break;
    case Format::csv:
      put(tracers_csv(*tracers));
      break;
  }
  return Exit::ok;
}

}  // namespace

Verb add_tracers(CLI::App& app, const Settings& settings) {
  CLI::App* command = app.add_subcommand("tracers", "List the tracers that this kernel has");
  command->footer("Example:\n  netperfctl tracers");
  return {command, [&settings] { return run_tracers(settings); }};
}

}  // namespace netperfctl
