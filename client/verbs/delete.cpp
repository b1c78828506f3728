// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/units.hpp"
#include "client/verbs/numbers.hpp"
#include "client/verbs/own_runs.hpp"
#include "client/verbs/selection.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

struct DeleteArguments {
  std::vector<std::string> runs;  // numbers, or the terms of one selection
  bool dry_run = false;
};

bool are_numbers(const std::vector<std::string>& words) {
  return std::ranges::all_of(words, [](const std::string& word) {
    return is_number_above_zero(word, std::numeric_limits<std::uint64_t>::max());
  });
}

// Numbers stand for themselves, so that a run that does not exist is an error of its own.
Outcome<std::vector<std::uint64_t>> runs_to_delete(Daemon& daemon, const std::vector<std::string>& words) {
  std::vector<std::uint64_t> runs;
  if (are_numbers(words)) {
    for (const std::string& word : words) runs.push_back(std::stoull(word));
    return runs;
  }
  RunFilter filter;
  auto selection = selection_of_words(words, screen_of(stdout).now_us);
  if (!selection) return std::unexpected(selection.error());
  filter.selection = *selection;
  const auto page = own_runs(daemon, filter, fmt::format("{}", fmt::join(words, " ")));
  if (!page) return std::unexpected(page.error());
  for (const RunView& run : page->runs) runs.push_back(run.run);
  return runs;
}

Outcome<Exit> show_dry_run(Format format, const std::vector<std::uint64_t>& runs) {
  if (format == Format::json) {
    put(deleted_json({}));
  } else if (format == Format::csv) {
    put(numbers_csv("run", {}));
  }
  put_lines(format == Format::table ? stdout : stderr,
            fmt::format("would be deleted: {}: {}\n", plural(runs.size(), "run"), selection_of(runs)));
  return Exit::ok;
}

Outcome<Exit> run_delete(const Settings& settings, const DeleteArguments& arguments) {
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  const auto runs = runs_to_delete(*daemon, arguments.runs);
  if (!runs) return std::unexpected(runs.error());
  if (arguments.dry_run) return show_dry_run(settings.format, *runs);
  std::vector<std::uint64_t> deleted;
  Exit exit = Exit::ok;
  for (const std::uint64_t run : *runs) {
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
  const auto arguments = std::make_shared<DeleteArguments>();
  command
      ->add_option(
          "RUN", arguments->runs,
          "Numbers of the runs, or a selection as for compare, of your own runs unless it says whose: "
          "41-48, job:12, 'label:test until:today'")
      ->required()
      ->type_name("");
  command->add_flag("--dry-run", arguments->dry_run, "Say which runs would be deleted, and delete none");
  command->footer(
      "Example:\n"
      "  netperfctl delete 41 42\n"
      "  netperfctl delete label:test --dry-run");
  return {command, [&settings, arguments] { return run_delete(settings, *arguments); }};
}

}  // namespace netperfctl
