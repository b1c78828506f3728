// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/units.hpp"
#include "client/verbs/numbers.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

Outcome<Exit> run_delete(const Settings& settings, const std::vector<std::uint64_t>& runs) {
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  std::vector<std::uint64_t> deleted;
  Exit exit = Exit::ok;
  for (const std::uint64_t run : runs) {
    const auto done = daemon->delete_run(run);
    if (done) {
      deleted.push_back(run);
      continue;
    }
    complain(done.error().message);
    if (exit == Exit::ok) exit = done.error().exit;
    // Where one is refused for such a reason, all are.
    if (done.error().exit == Exit::denied || done.error().exit == Exit::unreachable) break;
  }
  switch (settings.format) {
    case Format::table:
      if (!deleted.empty()) put_text(stdout, fmt::format("deleted: {}\n", fmt::join(deleted, ", ")));
      break;
    case Format::json:
      put(deleted_json(deleted));
      break;
    case Format::csv:
      put(numbers_csv("run", deleted));
      break;
  }
  return exit;
}

}  // namespace

Verb add_delete(CLI::App& app, const Settings& settings) {
  CLI::App* command =
      app.add_subcommand("delete", "Delete ended runs with all their data, without a question");
  const auto runs = std::make_shared<std::vector<std::uint64_t>>();
  command->add_option("RUN", *runs, "Numbers of the runs")
      ->required()
      ->check(number_of("run"))
      ->type_name("");
  command->footer("Example:\n  netperfctl delete 41 42");
  return {command, [&settings, runs] { return run_delete(settings, *runs); }};
}

}  // namespace netperfctl
