// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/verbs/plan_boots.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "client/base/asking.hpp"
#include "client/base/command_words.hpp"
#include "client/pages/plan_steps.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/text.hpp"

namespace netperfctl {
namespace {

bool are_enough(Daemon& daemon, const std::string& runs) {
  const auto plan = daemon.plan({.runs = runs, .effect = {}, .power = {}, .repeat = {}});
  return plan && plan->pairing == "boots";
}

}  // namespace

Outcome<BootCheck> boots_of_pilot(Daemon& daemon, const LaunchArguments& pilot) {
  if (is_job_file(pilot.what)) return BootCheck{};  // whose text may not have commands
  auto boots = daemon.check_boots(pilot.what, pilot.options);
  if (boots) return boots;
  // What is wrong with the job is said at its start, with advice. Who needs a password to measure is asked
  // for one to reboot the machine, too.
  const Exit exit = boots.error().exit;
  if (exit == Exit::denied || exit == Exit::not_found || exit == Exit::usage) return BootCheck{};
  return boots;
}

std::optional<std::string> stored_boots(Daemon& daemon, const std::string& scenario) {
  // So many runs may be selected at once.
  std::string measured = fmt::format("{} last:{}", selection_term("scenario", scenario), kMostRunsOfSide);
  if (are_enough(daemon, measured)) return measured;
  constexpr std::size_t kNewest = 20;
  RunFilter filter;
  filter.scenario = scenario;
  filter.owner = "me";
  const auto jobs = daemon.jobs(filter, kNewest);
  if (!jobs) return std::nullopt;
  for (const JobView& job : jobs->jobs) {
    if (job.purpose.value_or("measurement") == "measurement") continue;
    std::string of_job = fmt::format("job:{}", job.job);
    if (are_enough(daemon, of_job)) return of_job;
  }
  return std::nullopt;
}

Outcome<Exit> start_pilot_with_boots(Daemon& daemon, const LaunchArguments& pilot, const BootCheck& boots,
                                     bool has_agreed) {
  if (pilot.options.tied) {
    return fail(Exit::usage,
                "--cancel-on-interrupt: a pilot that reboots this machine goes on without this command");
  }
  put_lines(stderr, pilot_with_boots_text(pilot.what, boots));
  if (!has_agreed && !(can_ask() && agrees("Start the pilot?"))) {
    return fail(Exit::usage,
                "Nothing was started. --yes lets the pilot reboot this machine; --runs SELECTION plans from "
                "stored runs.");
  }
  const auto launched = launch(daemon, pilot);
  if (!launched) return std::unexpected(launched.error());
  put_lines(stdout, detached_text(launched->job, false) +
                        fmt::format("Once it has ended, `{}` plans from its boots.\n",
                                    command_of("plan", {.what = pilot.what, .options = {}})));
  return Exit::ok;
}

}  // namespace netperfctl
