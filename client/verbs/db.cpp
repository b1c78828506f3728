// SPDX-License-Identifier: GPL-2.0-or-later
// db: the store as a whole.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/pager.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/units.hpp"
#include "client/verbs/choices.hpp"
#include "client/verbs/moment.hpp"
#include "client/verbs/numbers.hpp"
#include "client/verbs/store_backup.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

constexpr const char* kCheck = "check";
constexpr const char* kBackup = "backup";
constexpr const char* kRestore = "restore";
constexpr const char* kPrune = "prune";

struct DbArguments {
  std::string task, file, older_than;
  OldJobRule rule;  // without its age
  bool dry_run = false;
};

Outcome<Exit> check_store(const Settings& settings, Daemon& daemon) {
  const auto store = daemon.check_store();
  if (!store) return std::unexpected(store.error());
  switch (settings.format) {
    case Format::table:
      put_text(stdout, store_text(*store));
      break;
    case Format::json:
      put(store_json(*store));
      break;
    case Format::csv:
      put(store_csv(*store));
      break;
  }
  return store->problems.empty() ? Exit::ok : Exit::damaged;
}

Outcome<Exit> back_up(const Settings& settings, Daemon& daemon, const std::string& file) {
  const bool to_stdout = file == "-";
  if (to_stdout && ::isatty(STDOUT_FILENO) != 0)
    return fail(Exit::usage, "a backup is no text for a terminal: name a file, or pipe it to a program");
  // A device would be replaced by the backup.
  struct stat existing{};
  if (!to_stdout && ::stat(file.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode))
    return fail(Exit::usage, fmt::format("{} is no regular file: name another one, or - for stdout", file));
  const auto content = daemon.open_backup();
  if (!content) return std::unexpected(content.error());
  const auto bytes = write_backup(*content, to_stdout ? std::string{} : file);
  if (!bytes) return std::unexpected(bytes.error());
  if (to_stdout) return Exit::ok;
  switch (settings.format) {
    case Format::table:
      put_text(stdout,
               fmt::format("the store was written to {}: {}\n", printable(file), format_bytes(*bytes)));
      break;
    case Format::json:
      put(backup_json(file, *bytes));
      break;
    case Format::csv:
      put(fmt::format("bytes\n{}\n", *bytes));
      break;
  }
  return Exit::ok;
}

Outcome<Exit> restore(const Settings& settings, Daemon& daemon, const std::string& file) {
  // A database that a program has open, or whose program was killed, has a part of its data there.
  struct stat log{};
  const std::string log_file = file + "-wal";
  if (::stat(log_file.c_str(), &log) == 0 && log.st_size > 0) {
    return fail(
        Exit::usage,
        fmt::format("{} has a part of the data: restore a backup made by `netperfctl db backup`, or close "
                    "{} with the program that has written it",
                    log_file, file));
  }
  const OwnedFd from{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  if (from.get() < 0)
    return fail(Exit::usage, fmt::format("{}: {}", file, std::generic_category().message(errno)));
  const auto restored = daemon.restore_store(from);
  if (!restored) {
    Failure failure = restored.error();
    if (failure.exit == Exit::usage) failure.message = fmt::format("{}: {}", file, failure.message);
    // If netperfd has gone, its log says how far it came.
    if (failure.exit != Exit::unreachable) failure.message += "\nThe store is as it was.";
    return std::unexpected(std::move(failure));
  }
  switch (settings.format) {
    case Format::table:
      put_text(stdout, restored_text(*restored));
      break;
    case Format::json:
      put(restored_json(*restored));
      break;
    case Format::csv:
      put(restored_csv(*restored));
      break;
  }
  return Exit::ok;
}

void show_pruned(const Settings& settings, const std::vector<OldJobView>& jobs, bool dry_run) {
  switch (settings.format) {
    case Format::table:
      put_page(pruned_text(screen_of(stdout), jobs, dry_run));
      break;
    case Format::json:
      put(pruned_json(jobs, dry_run));
      break;
    case Format::csv:
      put(pruned_csv(jobs));
      break;
  }
}

Outcome<OldJobRule> rule_of(const DbArguments& arguments) {
  OldJobRule rule = arguments.rule;
  const std::uint64_t now_us = screen_of(stdout).now_us;
  const auto oldest = point_in_time("--older-than", arguments.older_than, now_us);
  if (!oldest) return std::unexpected(oldest.error());
  constexpr std::uint64_t kMicroseconds = 1'000'000;
  if (*oldest) rule.age_s = (now_us - std::min(now_us, **oldest)) / kMicroseconds;
  if (rule.age_s || rule.count || rule.bytes) return rule;
  return fail(Exit::usage, "prune needs a bound: --older-than, --keep-runs or --keep-size");
}

Outcome<Exit> prune(const Settings& settings, Daemon& daemon, const DbArguments& arguments) {
  const auto rule = rule_of(arguments);
  if (!rule) return std::unexpected(rule.error());
  const auto jobs = daemon.old_jobs(*rule);
  if (!jobs) return std::unexpected(jobs.error());
  if (arguments.dry_run) {
    show_pruned(settings, *jobs, true);
    return Exit::ok;
  }
  std::vector<OldJobView> deleted;
  Exit exit = Exit::ok;
  // The oldest first, so that an end in the middle leaves what the rule would leave.
  for (auto job = jobs->rbegin(); job != jobs->rend(); ++job) {
    const auto done = daemon.delete_job(job->job);
    if (done) {
      deleted.push_back(*job);
    } else if (done.error().exit != Exit::not_found) {  // somebody else was quicker
      complain(done.error().message);
      exit = done.error().exit;
      if (exit == Exit::denied || exit == Exit::unreachable) break;
    }
  }
  // Of those that were old enough, none could be deleted: that was said.
  if (deleted.empty() && !jobs->empty() && settings.format == Format::table) return exit;
  show_pruned(settings, deleted, false);
  return exit;
}

Outcome<Exit> run_db(const Settings& settings, const DbArguments& arguments) {
  const bool needs_file = arguments.task == kBackup || arguments.task == kRestore;
  const bool has_rule = !arguments.older_than.empty() || arguments.rule.scenario || arguments.rule.label ||
                        arguments.rule.count || arguments.rule.bytes || arguments.dry_run;
  if (needs_file && arguments.file.empty())
    return fail(Exit::usage, fmt::format("db {} needs a FILE", arguments.task));
  if (!needs_file && !arguments.file.empty())
    return fail(Exit::usage, fmt::format("db {} takes no FILE", arguments.task));
  if (has_rule && arguments.task != kPrune)
    return fail(Exit::usage, fmt::format("db {} takes no options of prune", arguments.task));
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  if (arguments.task == kCheck) return check_store(settings, *daemon);
  if (arguments.task == kBackup) return back_up(settings, *daemon, arguments.file);
  if (arguments.task == kRestore) return restore(settings, *daemon, arguments.file);
  return prune(settings, *daemon, arguments);
}

}  // namespace

Verb add_db(CLI::App& app, const Settings& settings) {
  CLI::App* command = app.add_subcommand("db", "Check, back up, restore or prune the store");
  const auto arguments = std::make_shared<DbArguments>();
  command
      ->add_option("TASK", arguments->task,
                   "check: is it whole; backup FILE; restore FILE; prune: delete old jobs by a rule, once")
      ->required()
      ->check(one_of({kCheck, kBackup, kRestore, kPrune}))
      ->type_name("");
  command->add_option("FILE", arguments->file, "The backup; for backup also - for stdout")->type_name("");
  command
      ->add_option("--older-than", arguments->older_than,
                   "For prune: jobs that ended before this time: 90d (ago), 12w, 2026-08-01")
      ->type_name("TIME");
  command
      ->add_option("--keep-runs", arguments->rule.count,
                   "For prune: keep the newest jobs with so many runs in all")
      ->check(count_above_zero())
      ->type_name("N");
  command
      ->add_option("--keep-size", arguments->rule.bytes,
                   "For prune: keep the newest jobs of so many bytes in all, such as 10G")
      ->transform(CLI::AsSizeValue(false))
      ->type_name("SIZE");
  command
      ->add_option("--scenario", arguments->rule.scenario,
                   "For prune: only jobs whose scenario matches this pattern (*, ?, [...])")
      ->type_name("PATTERN");
  command
      ->add_option("--label", arguments->rule.label, "For prune: only jobs whose label matches this pattern")
      ->type_name("PATTERN");
  command->add_flag("--dry-run", arguments->dry_run, "For prune: show which jobs would go, and delete none");
  command->footer(
      "Example:\n"
      "  netperfctl db check\n"
      "  netperfctl db backup /srv/netperfd-$(date +%F).db\n"
      "  netperfctl db backup - | zstd > netperfd.db.zst\n"
      "  netperfctl db restore /srv/netperfd-2026-11-01.db\n"
      "  netperfctl db prune --older-than 90d --scenario 'nightly-*' --dry-run");
  return {command, [&settings, arguments] { return run_db(settings, *arguments); }};
}

}  // namespace netperfctl
