// SPDX-License-Identifier: GPL-2.0-or-later
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

Outcome<Exit> run_stop(const Settings& settings, const std::string& word) {
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  const auto meant = job_of_word(*daemon, word);
  if (!meant) return std::unexpected(meant.error());
  const std::uint64_t job = *meant;
  if (const auto stopped = daemon->stop_job(job); !stopped)
    return std::unexpected(with_other_meaning(*daemon, stopped.error(), word, "stop"));
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
  const auto job = std::make_shared<std::string>();
  add_job(*command, *job, " that has not ended");
  command->footer(
      "Example:\n"
      "  netperfctl stop 12\n"
      "  netperfctl stop last");
  return {command, [&settings, job] { return run_stop(settings, *job); }};
}

}  // namespace netperfctl
