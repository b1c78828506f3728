// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "client/bus/daemon.hpp"
#include "client/pages/render.hpp"
#include "client/verbs/follower.hpp"
#include "client/verbs/job_words.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

void show_document(Format format, const StartView& view) {
  if (format == Format::json) put(job_json(view));
  if (format == Format::csv) put(runs_csv(view.runs));
}

Outcome<Exit> run_wait(const Settings& settings, const std::string& text) {
  auto loop = Loop::create();
  if (!loop) return std::unexpected(loop.error());
  Follower follower{*loop, settings.format, false, false};
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  const auto number = job_of_word(*daemon, text, LastJob::any);
  if (!number) return std::unexpected(number.error());
  // Before it is looked for, so that its end is not missed in between.
  if (const auto following = daemon->follow(*loop, follower); !following)
    return std::unexpected(following.error());
  const auto jobs = daemon->live_jobs();
  if (!jobs) return std::unexpected(jobs.error());
  const auto live = std::ranges::find(*jobs, *number, &LiveJobView::job);
  LiveJobView job;
  job.job = *number;
  const auto followed = follower.follow(*daemon, live != jobs->end() ? *live : job);
  if (!followed) return std::unexpected(with_other_meaning(*daemon, followed.error(), text, "wait"));
  if (followed->view) show_document(settings.format, *followed->view);
  return followed->exit;
}

}  // namespace

Verb add_wait(CLI::App& app, const Settings& settings) {
  CLI::App* command =
      app.add_subcommand("wait", "Wait until a job has ended; the exit code is the job's, as for start");
  const auto job = std::make_shared<std::string>();
  add_job(*command, *job, "; it may have ended already");
  command->footer(
      "Example:\n"
      "  netperfctl start veth-tcp --detach\n"
      "  netperfctl wait last && netperfctl show last");
  return {command, [&settings, job] { return run_wait(settings, *job); }};
}

}  // namespace netperfctl
