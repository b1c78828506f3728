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

Outcome<Exit> run_undo(const Settings& settings, const std::string& word) {
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  const auto meant = job_of_word(*daemon, word, LastJob::ended);
  if (!meant) return std::unexpected(meant.error());
  const std::uint64_t job = *meant;
  const auto left = daemon->undo_job(job);
  if (!left) return std::unexpected(with_other_meaning(*daemon, left.error(), word, "undo"));
  switch (settings.format) {
    case Format::table:
      put_text(stdout, fmt::format("job {} had left {}: brought back.\n", job, *left));
      break;
    case Format::json:
      put(undone_json(job, *left));
      break;
    case Format::csv:
      put(numbers_csv("job", std::array{job}));
      break;
  }
  return Exit::ok;
}

}  // namespace

Verb add_undo(CLI::App& app, const Settings& settings) {
  CLI::App* command = app.add_subcommand(
      "undo", "Bring back what a job left changed on the machine, if its own way back failed");
  const auto job = std::make_shared<std::string>();
  add_job(*command, *job, " that has ended");
  command->footer("Example:\n  netperfctl undo 12");
  return {command, [&settings, job] { return run_undo(settings, *job); }};
}

}  // namespace netperfctl
