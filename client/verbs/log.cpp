// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

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

struct LogArguments {
  AuditFilter filter;
  std::string user, since, until;
  ListLength length;
};

Outcome<std::optional<std::uint32_t>> user_of(const std::string& user) {
  if (user.empty()) return std::nullopt;
  if (const auto uid = uid_of(user)) return uid;
  return fail(Exit::usage, fmt::format("--user: there is no user \"{}\" here", user));
}

UserNames names_of(const std::vector<AuditView>& entries) {
  UserNames names;
  for (const AuditView& entry : entries) {
    if (!entry.user || names.contains(*entry.user)) continue;
    if (auto name = user_name(*entry.user)) names.emplace(*entry.user, std::move(*name));
  }
  return names;
}

bool filters(const AuditFilter& filter) {
  return filter.user || filter.action || filter.outcome || filter.since_us || filter.until_us;
}

Outcome<Exit> run_log(const Settings& settings, const LogArguments& arguments) {
  const Screen screen = screen_of(stdout);
  AuditFilter filter = arguments.filter;
  const auto user = user_of(arguments.user);
  if (!user) return std::unexpected(user.error());
  if (const auto set = set_times(filter, arguments.since, arguments.until, screen.now_us); !set)
    return std::unexpected(set.error());
  filter.user = *user;

  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  constexpr std::size_t kForPeople = 20;
  const auto page = daemon->audit_log(filter, rows_to_ask(arguments.length, settings.format, kForPeople));
  if (!page) return std::unexpected(page.error());
  const AuditLogView view{page->entries, page->more, names_of(page->entries)};
  switch (settings.format) {
    case Format::table:
      put_page(audit_text(screen, view, filters(filter)));
      break;
    case Format::json:
      put(audit_json(view));
      break;
    case Format::csv:
      put(audit_csv(view));
      break;
  }
  say_more(settings.format, page->entries.size(), page->more);
  return Exit::ok;
}

}  // namespace

Verb add_log(CLI::App& app, const Settings& settings) {
  CLI::App* command = app.add_subcommand("log", "List who did what, newest first");
  const auto arguments = std::make_shared<LogArguments>();
  command->add_option("--user", arguments->user, "Only actions of this user, by name or number")
      ->type_name("USER");
  command
      ->add_option("--action", arguments->filter.action,
                   "Only this action: start, stop, hold, release, undo, delete, import, mark, read, backup, "
                   "restore, reload, "
                   "reread, keep or call")
      ->type_name("ACTION");
  command->add_option("--outcome", arguments->filter.outcome, "Only this outcome: allowed, refused or failed")
      ->type_name("OUTCOME");
  command
      ->add_option("--since", arguments->since,
                   "Only actions at this time or later: 2026-11-21, \"2026-11-21 10:00\", today, yesterday, "
                   "2h (ago)")
      ->type_name("TIME");
  command->add_option("--until", arguments->until, "Only actions before this time")->type_name("TIME");
  command
      ->add_option("--limit", arguments->length.limit,
                   "Maximum number of rows (20 in a table; all in json and csv)")
      ->check(count_above_zero())
      ->type_name("N");
  command->add_flag("--all", arguments->length.all, "All of them, also in a table");
  command->footer("Example:\n  netperfctl log --outcome refused --since yesterday");
  return {command, [&settings, arguments] { return run_log(settings, *arguments); }};
}

}  // namespace netperfctl
