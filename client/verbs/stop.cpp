// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>

#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/verbs/numbers.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

Outcome<Exit> run_stop(const Settings& settings, std::uint64_t job) {
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  if (const auto stopped = daemon->stop_job(job); !stopped) return std::unexpected(stopped.error());
  switch (settings.format) {
    case Format::table:
      put_text(stdout,
               fmt::format("job {} is being stopped. `netperfctl runs --job {}` shows what it measured.\n",
                           job, job));
      break;
    case Format::json:
      put(stopped_json(job));
      break;
    case Format::csv:
      put(numbers_csv("job", std::array{job}));
      break;
  }
  return Exit::ok;
}

}  // namespace

Verb add_stop(CLI::App& app, const Settings& settings) {
  CLI::App* command = app.add_subcommand("stop", "Cancel a job: its current run and all later ones");
  const auto job = std::make_shared<std::uint64_t>(0);
  command->add_option("JOB", *job, "Number of the job, as `netperfctl jobs` lists it")
      ->required()
      ->check(number_of("job"))
      ->type_name("");
  command->footer("Example:\n  netperfctl stop 12");
  return {command, [&settings, job] { return run_stop(settings, *job); }};
}

}  // namespace netperfctl
