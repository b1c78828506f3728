// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/verbs/follower.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <utility>
#include <vector>

#include "client/pages/render.hpp"
#include "client/terminal/text.hpp"

namespace netperfctl {
namespace {

// A run that failed or was left open by a crash has its own exit code. So does a machine that was not
// restored, which only the live job's `error` reports, and a job that was canceled.
Exit exit_of_job(const JobView& job, const std::string& error) {
  if (job.failed.value_or(0) > 0 || job.interrupted.value_or(0) > 0 || !error.empty())
    return Exit::run_failed;
  return job.canceled.value_or(0) > 0 ? Exit::canceled : Exit::ok;
}

}  // namespace

Outcome<StartView> fetch_start_view(Daemon& daemon, std::uint64_t job) {
  auto details = daemon.job(job);
  if (!details) return std::unexpected(details.error());
  RunFilter filter;
  filter.job = job;
  auto page = daemon.runs(filter, {});
  if (!page) return std::unexpected(page.error());
  std::ranges::reverse(page->runs);
  return StartView{std::move(*details), std::move(page->runs), {}};
}

Follower::Follower(Loop& loop, Format format, bool tied, bool each_run)
    : loop_(loop),
      tied_(tied),
      each_run_(each_run),
      lines_(format == Format::table ? stdout : stderr),
      area_(loop, stderr, true, [this](const Screen& screen) {
        return line_ && each_run_ ? line_->text(screen, std::chrono::steady_clock::now()) : std::string{};
      }) {}

Outcome<Followed> Follower::follow(Daemon& daemon, const LiveJobView& job) {
  // Without the option, the latter two end this process as usual and leave the job alone.
  const auto signals = tied_ ? std::vector{SIGINT, SIGTERM, SIGHUP} : std::vector{SIGINT};
  std::vector<Loop::Source> sources;
  for (const int number : signals) {
    auto source = loop_.on_signal(number, [this] { interrupted(); });
    if (!source) return std::unexpected(source.error());
    sources.push_back(std::move(*source));
  }
  daemon_ = &daemon;
  heard_ = std::chrono::steady_clock::now();
  line_.emplace(job, heard_);
  if (!job.state || has_ended(*job.state)) {
    look();
  } else {
    area_.changed();
    look_later();
  }
  const Exit exit = loop_.run();
  area_.close();
  daemon_ = nullptr;
  if (exit == Exit::unreachable && !failure_) {
    failure_ =
        Failure{exit, fmt::format("the system bus went away; job {} may still run", job.job), Step::bus, {}};
  }
  if (failure_) return std::unexpected(*failure_);
  return Followed{exit, std::move(over_)};
}

void Follower::job_changed(const LiveJobView& job) {
  if (!line_ || job.job != line_->job().job) return;
  heard_ = std::chrono::steady_clock::now();
  const std::string found = printable(job.look.value_or(""));
  if (each_run_ && !found.empty() && found != line_->job().look) area_.print_above(lines_, found + "\n");
  line_->job_changed(job, heard_);
  area_.changed();
  if (has_ended(job.state.value_or(""))) look();
}

void Follower::job_removed(std::uint64_t job) {
  if (line_ && job == line_->job().job) look(true);
}

void Follower::interval(std::uint64_t job, std::uint64_t run, const IntervalView& interval) {
  if (!line_ || job != line_->job().job) return;
  heard_ = std::chrono::steady_clock::now();
  line_->interval(run, interval);
  area_.changed();
}

void Follower::trace_progress(std::uint64_t job, std::uint64_t run, const TraceProgressView& progress) {
  if (!line_ || job != line_->job().job) return;
  heard_ = std::chrono::steady_clock::now();
  line_->trace_progress(run, progress);
  area_.changed();
}

void Follower::run_ended(std::uint64_t job, std::uint64_t run, const std::string&, const std::string&) {
  if (!line_ || job != line_->job().job) return;
  say_run_end(run);
  if (all_runs_ended()) look_later();
}

void Follower::without_intervals(const std::string& reason) {
  complain(fmt::format("no live intervals: {}", reason));
}

void Follower::lost(const Failure& failure) {
  const std::uint64_t job = line_ ? line_->job().job : 0;
  give_up({failure.exit,
           fmt::format("{}\n{}: `netperfctl runs --job {}`, once netperfd is back.", failure.message,
                       tied_ ? fmt::format("Job {} ends with it", job)
                             : fmt::format("Job {} goes on with its next run or block", job),
                       job),
           failure.step, failure.cause});
}

void Follower::say_run_end(std::uint64_t run) {
  if (!said_.insert(run).second || !each_run_ || failure_ || daemon_ == nullptr) return;
  const auto details = daemon_->run(run);
  if (!details) return give_up(details.error());
  line_->run_ended(run);
  // The end of the job counts them; a line each would hide the one that says why.
  if (details->run.state == "canceled" && !details->run.started_us) return;
  area_.print_above(lines_, run_end_text(screen_of(lines_), *details, &line_->job()));
}

void Follower::interrupted() {
  const std::uint64_t job = line_->job().job;
  if (tied_ && !canceling_) {
    canceling_ = true;
    if (const auto stopped = daemon_->stop_job(job); !stopped) return give_up(stopped.error());
    return area_.print_above(lines_, fmt::format("job {} is being stopped.\n", job));
  }
  area_.close();
  put_text(lines_, canceling_ ? fmt::format("job {} has not stopped yet.\n", job)
                              : fmt::format("job {} goes on; `netperfctl stop {}` ends it.\n", job, job));
  loop_.exit(Exit::interrupted);
}

bool Follower::all_runs_ended() const {
  const LiveJobView& job = line_->job();
  return job.runs && std::max<std::size_t>(said_.size(), job.runs_ended.value_or(0)) >= job.runs->size();
}

void Follower::look(bool removed) {
  if (failure_ || over_) return;
  const std::uint64_t job = line_->job().job;
  // The next netperfd is not started for this question.
  const auto live = daemon_->live_job_if_running(job);
  if (!live && live.error().exit == Exit::unreachable) {
    return lost(removed ? Failure{Exit::unreachable, "netperfd is being stopped.", Step::asked, {}}
                        : live.error());
  }
  if (!live) return give_up(live.error());
  if (*live) line_->job_changed(**live, std::chrono::steady_clock::now());
  // The job of a design ends after its runs, once the machine was brought back.
  if (*live && !has_ended((*live)->state.value_or(""))) return look_later();
  auto view = fetch_start_view(*daemon_, job);
  if (!view) return give_up(view.error());
  if (view->job.job.state != "live") return finish(std::move(*view));
  // A netperfd that is being stopped removes its jobs too, before they have ended.
  const auto& state = line_->job().state;
  if ((!state || has_ended(*state)) && !std::exchange(said_that_it_waits_, true)) {
    complain(fmt::format(
        "job {} has ended, but the ends of its last runs are not stored yet: this waits for them", job));
  }
  look_later();
}

void Follower::look_later() {
  if (all_runs_ended()) soon_ = std::min<std::chrono::milliseconds>(soon_ * 2, kQuiet);
  later_ = loop_.after(all_runs_ended() ? soon_ : kQuiet, [this] {
    const bool quiet = std::chrono::steady_clock::now() - heard_ >= kQuiet;
    quiet || all_runs_ended() ? look() : look_later();
  });
}

void Follower::finish(StartView view) {
  // The job may end before the end of its last run is reported.
  for (const RunView& run : view.runs) say_run_end(run.run);
  if (failure_) return;
  area_.close();
  const std::string error = line_->job().error.value_or("");
  put_lines(lines_, job_end_text(view, error));
  const Exit exit = canceling_ ? Exit::interrupted : exit_of_job(view.job.job, error);
  over_ = std::move(view);
  loop_.exit(exit);
}

void Follower::give_up(const Failure& failure) {
  if (!failure_) failure_ = failure;
  loop_.exit(failure.exit);
}

}  // namespace netperfctl
