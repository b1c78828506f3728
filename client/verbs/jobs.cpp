// SPDX-License-Identifier: GPL-2.0-or-later
#include <CLI/CLI.hpp>

#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

Outcome<Exit> run_jobs(const Settings& settings) {
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  const auto jobs = daemon->live_jobs();
  if (!jobs) return std::unexpected(jobs.error());
  switch (settings.format) {
    case Format::table:
      put_text(stdout, jobs_text(screen_of(stdout), *jobs));
      break;
    case Format::json:
      put(jobs_json(*jobs));
      break;
    case Format::csv:
      put(jobs_csv(*jobs));
      break;
  }
  return Exit::ok;
}

}  // namespace

Verb add_jobs(CLI::App& app, const Settings& settings) {
  CLI::App* command =
      app.add_subcommand("jobs", "List live jobs: running, waiting, or ended less than a minute ago");
  command->footer("Example:\n  netperfctl jobs");
  return {command, [&settings] { return run_jobs(settings); }};
}

}  // namespace netperfctl
