// SPDX-License-Identifier: GPL-2.0-or-later
#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/base/users.hpp"
#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/pages/run_order.hpp"
#include "client/terminal/pager.hpp"
#include "client/verbs/choices.hpp"
#include "client/verbs/list_length.hpp"
#include "client/verbs/moment.hpp"
#include "client/verbs/numbers.hpp"
#include "client/verbs/selection.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

struct RunsArguments {
  RunFilter filter;
  std::vector<std::string> selection;  // its terms
  std::string sort;                    // empty: newest first
  bool reverse = false;
  std::string owner;
  std::string since, until;
  ListLength length;
};

bool filters(const RunFilter& filter) {
  return filter.selection || filter.job || filter.scenario || filter.label || filter.state || filter.owner ||
         filter.since_us || filter.until_us;
}

Outcome<Exit> run_runs(const Settings& settings, const RunsArguments& arguments) {
  const Screen screen = screen_of(stdout);
  RunFilter filter = arguments.filter;
  if (const auto set = set_times(filter, arguments.since, arguments.until, screen.now_us); !set)
    return std::unexpected(set.error());
  if (!arguments.owner.empty()) {
    auto owner = owner_for_the_daemon("--owner", arguments.owner);
    if (!owner) return std::unexpected(owner.error());
    filter.owner = std::move(*owner);
  }
  if (!arguments.selection.empty()) {
    auto selection = selection_of_words(arguments.selection, screen.now_us);
    if (!selection) return std::unexpected(selection.error());
    filter.selection = std::move(*selection);
  }

  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  constexpr std::size_t kForPeople = 20;
  auto page = daemon->runs(filter, rows_to_ask(arguments.length, settings.format, kForPeople));
  if (!page) return std::unexpected(page.error());
  sort_runs(page->runs, arguments.sort, arguments.reverse);
  switch (settings.format) {
    case Format::table:
      put_page(runs_text(screen, page->runs, filters(filter), page->more));
      break;
    case Format::json:
      put(runs_json(page->runs, page->more));
      break;
    case Format::csv:
      put(runs_csv(page->runs));
      break;
  }
  say_more(settings.format, page->runs.size(), page->more);
  return Exit::ok;
}

}  // namespace

Verb add_runs(CLI::App& app, const Settings& settings) {
  CLI::App* command = app.add_subcommand("runs", "List runs, newest first");
  const auto arguments = std::make_shared<RunsArguments>();
  command
      ->add_option("SELECTION", arguments->selection,
                   "Only these runs, selected as compare does but of all users: 41-48, job:12, "
                   "'label:before since:2h owner:me'")
      ->type_name("");
  command
      ->add_option("--sort", arguments->sort,
                   "Sort the listed runs by this instead of their number, the largest first: received, sent, "
                   "retransmits, lost, started, scenario, label or state")
      ->check(one_of(sort_keys()))
      ->type_name("KEY");
  command->add_flag("--reverse", arguments->reverse, "The other way round");
  command->add_option("--job", arguments->filter.job, "Only runs of this job")
      ->transform(without_job_key())
      ->check(number_of("job"))
      ->type_name("JOB");
  command->add_option("--scenario", arguments->filter.scenario, "Only runs of this scenario")
      ->type_name("NAME");
  command->add_option("--label", arguments->filter.label, "Only runs with this label")->type_name("LABEL");
  command->add_option("--owner", arguments->owner, "Only runs of this user: a name, a uid or me")
      ->type_name("OWNER");
  command
      ->add_option(
          "--state", arguments->filter.state,
          "Only runs in this state: pending, preparing, running, collecting, finished, failed, canceled or "
          "interrupted")
      ->type_name("STATE");
  command
      ->add_option("--since", arguments->since,
                   "Only runs requested at this time or later: 2026-11-21, "
                   "\"2026-11-21 10:00\", today, yesterday, 2h (ago)")
      ->type_name("TIME");
  command->add_option("--until", arguments->until, "Only runs asked for before this time")->type_name("TIME");
  command
      ->add_option("--limit", arguments->length.limit,
                   "Maximum number of rows (20 in a table; all in json and csv)")
      ->check(count_above_zero())
      ->type_name("N");
  command->add_flag("--all", arguments->length.all, "All of them, also in a table");
  command->footer(
      "Example:\n"
      "  netperfctl runs --scenario veth-tcp --since yesterday\n"
      "  netperfctl runs job:12 --sort received");
  return {command, [&settings, arguments] { return run_runs(settings, *arguments); }};
}

}  // namespace netperfctl
