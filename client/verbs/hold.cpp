// SPDX-License-Identifier: GPL-2.0-or-later
// hold and release: whether a job may reboot the machine.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <string>

#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/verbs/numbers.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

Outcome<Exit> run_hold(const Settings& settings, std::uint64_t job, bool held) {
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  if (const auto done = daemon->hold_job(job, held); !done) return std::unexpected(done.error());
  switch (settings.format) {
    case Format::table:
      put_text(stdout, held ? fmt::format("job {} is held: it does not reboot this machine until `netperfctl "
                                          "release {}`.\n",
                                          job, job)
                            : fmt::format("job {} goes on, and announces its next reboot.\n", job));
      break;
    case Format::json:
      put(held_json(job, held));
      break;
    case Format::csv:
      put(numbers_csv("job", std::array{job}));
      break;
  }
  return Exit::ok;
}

Verb add(CLI::App& app, const Settings& settings, const std::string& verb, const std::string& about,
         bool held) {
  CLI::App* command = app.add_subcommand(verb, about);
  const auto job = std::make_shared<std::uint64_t>(0);
  command->add_option("JOB", *job, "Number of the job, as `netperfctl jobs` lists it")
      ->required()
      ->check(number_of("job"))
      ->type_name("");
  command->footer(fmt::format("Example:\n  netperfctl {} 12", verb));
  return {command, [&settings, job, held] { return run_hold(settings, *job, held); }};
}

}  // namespace

Verb add_hold(CLI::App& app, const Settings& settings) {
  return add(app, settings, "hold", "Hold a job before its next reboot of this machine", true);
}

Verb add_release(CLI::App& app, const Settings& settings) {
  return add(app, settings, "release", "Let a job that is held go on", false);
}

}  // namespace netperfctl
