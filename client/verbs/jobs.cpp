// SPDX-License-Identifier: GPL-2.0-or-later
#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "client/base/users.hpp"
#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/pager.hpp"
#include "client/verbs/list_length.hpp"
#include "client/verbs/moment.hpp"
#include "client/verbs/numbers.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

struct JobsArguments {
  RunFilter filter;
  std::string owner, since, until;
  bool all = false;   // those that ended too
  ListLength length;  // of them
};

Outcome<Exit> list_live(const Settings& settings) {
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

Outcome<Exit> list_history(const Settings& settings, const JobsArguments& arguments) {
  const Screen screen = screen_of(stdout);
  RunFilter filter = arguments.filter;
  if (const auto set = set_times(filter, arguments.since, arguments.until, screen.now_us); !set)
    return std::unexpected(set.error());
  if (!arguments.owner.empty()) {
    auto owner = owner_for_the_daemon("--owner", arguments.owner);
    if (!owner) return std::unexpected(owner.error());
    filter.owner = std::move(*owner);
  }
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  constexpr std::size_t kForPeople = 20;
  const auto page = daemon->jobs(filter, rows_to_ask(arguments.length, settings.format, kForPeople));
  if (!page) return std::unexpected(page.error());
  const bool filtered = filter.scenario || filter.label || filter.owner || filter.since_us || filter.until_us;
  switch (settings.format) {
    case Format::table:
      put_page(history_text(screen, page->jobs, filtered, page->more));
      break;
    case Format::json:
      put(history_json(page->jobs, page->more));
      break;
    case Format::csv:
      put(history_csv(page->jobs));
      break;
  }
  say_more(settings.format, page->jobs.size(), page->more);
  return Exit::ok;
}

}  // namespace

Verb add_jobs(CLI::App& app, const Settings& settings) {
  CLI::App* command = app.add_subcommand(
      "jobs", "List live jobs: running, waiting, or ended less than a minute ago; with --all the history");
  const auto arguments = std::make_shared<JobsArguments>();
  auto* all = command->add_flag("--all", arguments->all,
                                "List all jobs, newest first, also those that ended long ago");
  command->add_option("--scenario", arguments->filter.scenario, "With --all: only jobs of this scenario")
      ->type_name("NAME")
      ->needs(all);
  command->add_option("--label", arguments->filter.label, "With --all: only jobs with this label")
      ->type_name("LABEL")
      ->needs(all);
  command->add_option("--owner", arguments->owner, "With --all: only jobs of this user: a name, a uid or me")
      ->type_name("OWNER")
      ->needs(all);
  command
      ->add_option("--since", arguments->since,
                   "With --all: only jobs requested at this time or later: 2026-11-21, \"2026-11-21 10:00\", "
                   "today, yesterday, 2h (ago)")
      ->type_name("TIME")
      ->needs(all);
  command->add_option("--until", arguments->until, "With --all: only jobs requested before this time")
      ->type_name("TIME")
      ->needs(all);
  command
      ->add_option("--limit", arguments->length.limit,
                   "With --all: maximum number of jobs (20 in a table; all in json and csv)")
      ->check(count_above_zero())
      ->type_name("N")
      ->needs(all);
  command->footer(
      "Example:\n"
      "  netperfctl jobs\n"
      "  netperfctl jobs --all --since yesterday");
  return {command, [&settings, arguments] {
            return arguments->all ? list_history(settings, *arguments) : list_live(settings);
          }};
}

}  // namespace netperfctl
