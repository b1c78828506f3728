// SPDX-License-Identifier: GPL-2.0-or-later
// hold and release: whether a job may reboot the machine.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/verbs/job_words.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

Outcome<Exit> run_hold(const Settings& settings, const std::string& word, bool held) {
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  const auto meant = job_of_word(*daemon, word);
  if (!meant) return std::unexpected(meant.error());
  const std::uint64_t job = *meant;
  if (const auto done = daemon->hold_job(job, held); !done)
    return std::unexpected(with_other_meaning(*daemon, done.error(), word, held ? "hold" : "release"));
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
  const auto job = std::make_shared<std::string>();
  add_job(*command, *job, " that has not ended");
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
