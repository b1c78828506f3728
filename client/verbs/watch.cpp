// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <map>
#include <memory>

#include "client/bus/daemon.hpp"
#include "client/pages/live_line.hpp"
#include "client/pages/render.hpp"
#include "client/terminal/live_area.hpp"
#include "client/terminal/text.hpp"
#include "client/verbs/verbs.hpp"

namespace netperfctl {
namespace {

// Watches all jobs. On a terminal: one line per job, redrawn, and the ends of runs scroll by above.
// Elsewhere: one line per event. As JSON: one document per event.
class Watcher final : public JobListener {
 public:
  Watcher(Loop& loop, Format format)
      : loop_(loop),
        format_(format),
        live_(format == Format::table && screen_of(stdout).live),
        area_(loop, stdout, false,
              [this](const Screen& screen) { return watched_text(screen, jobs_, now()); }) {
    if (!live_) area_.close();
  }

  [[nodiscard]] Outcome<Exit> watch(Daemon& daemon, const std::vector<LiveJobView>& jobs) {
    const auto interrupt = loop_.on_signal(SIGINT, [this] { loop_.exit(Exit::interrupted); });
    if (!interrupt) return std::unexpected(interrupt.error());
    daemon_ = &daemon;
    for (const LiveJobView& job : jobs) jobs_.insert_or_assign(job.job, LiveLine{job, now()});
    if (format_ == Format::json) put(jobs_event_json(jobs));
    if (format_ == Format::table && !live_) put_text(stdout, jobs_text(screen_of(stdout), jobs));
    area_.changed();
    const Exit exit = loop_.run();
    area_.close();
    if (failure_) return std::unexpected(*failure_);
    if (exit == Exit::unreachable) return fail(exit, "the system bus went away");
    return exit;
  }

  void job_added(const LiveJobView& job) override {
    jobs_.insert_or_assign(job.job, LiveLine{job, now()});
    if (format_ == Format::json) put(job_event_json("job_added", job));
    if (format_ == Format::table) area_.print_above(stdout, detached_text(job, false));
  }
  void job_changed(const LiveJobView& job) override {
    const auto line = jobs_.find(job.job);
    if (line == jobs_.end()) return;
    const LiveJobView before = line->second.job();
    line->second.job_changed(job, now());
    if (format_ == Format::json) put(job_event_json("job_changed", job));
    const bool new_state = job.run_state != before.run_state || job.state != before.state;
    // The end of a run is said with what it measured, by run_ended().
    const bool says_new = new_state && !has_ended(job.run_state.value_or(""));
    if (format_ == Format::table && !live_ && says_new) put_text(stdout, line->second.state_text() + "\n");
    area_.changed();
  }
  void job_removed(std::uint64_t job) override {
    jobs_.erase(job);
    if (format_ == Format::json) put(job_removed_json(job));
    area_.changed();
  }
  void interval(std::uint64_t job, std::uint64_t run, const IntervalView& interval) override {
    if (const auto line = jobs_.find(job); line != jobs_.end()) line->second.interval(run, interval);
    if (format_ == Format::json) put(interval_json(job, run, interval));
    area_.changed();
  }
  void trace_progress(std::uint64_t job, std::uint64_t run, const TraceProgressView& progress) override {
    if (const auto line = jobs_.find(job); line != jobs_.end()) line->second.trace_progress(run, progress);
    if (format_ == Format::json) put(trace_progress_json(job, run, progress));
    area_.changed();
  }
  void run_ended(std::uint64_t job, std::uint64_t run, const std::string& state,
                 const std::string& error) override {
    if (format_ == Format::json) return put(run_ended_json(job, run, state, error));
    // It may have been deleted again.
    if (const auto details = daemon_->run(run)) {
      const auto line = jobs_.find(job);
      const LiveJobView* live = line != jobs_.end() ? &line->second.job() : nullptr;
      area_.print_above(stdout, run_end_text(screen_of(stdout), *details, live));
    }
  }
  void run_deleted(std::uint64_t job, std::uint64_t run) override {
    if (format_ == Format::json) put(run_deleted_json(job, run));
  }
  void without_intervals(const std::string& reason) override {
    complain(fmt::format("no live intervals: {}", reason));
  }
  void lost(const Failure& failure) override {
    if (!failure_) failure_ = failure;
    loop_.exit(failure.exit);
  }

 private:
  static LiveLine::Time now() { return std::chrono::steady_clock::now(); }

  Loop& loop_;
  Format format_;
  bool live_;
  Daemon* daemon_ = nullptr;
  std::map<std::uint64_t, LiveLine> jobs_;
  LiveArea area_;
  std::optional<Failure> failure_;
};

Outcome<Exit> run_watch(const Settings& settings, bool once) {
  if (settings.format == Format::csv && !once) {
    return fail(Exit::usage, "events have no CSV form: -o json, or --once for the jobs as they are");
  }
  auto loop = Loop::create();
  if (!loop) return std::unexpected(loop.error());
  Watcher watcher{*loop, settings.format};
  auto daemon = Daemon::connect();
  if (!daemon) return std::unexpected(daemon.error());
  if (!once) {
    if (const auto following = daemon->follow(*loop, watcher); !following)
      return std::unexpected(following.error());
  }
  const auto jobs = daemon->live_jobs();
  if (!jobs) return std::unexpected(jobs.error());
  if (!once) return watcher.watch(*daemon, *jobs);
  if (settings.format == Format::table) put_text(stdout, jobs_text(screen_of(stdout), *jobs));
  if (settings.format == Format::json) put(jobs_json(*jobs));
  if (settings.format == Format::csv) put(jobs_csv(*jobs));
  return Exit::ok;
}

}  // namespace

Verb add_watch(CLI::App& app, const Settings& settings) {
  CLI::App* command = app.add_subcommand("watch", "Watch all jobs until Ctrl-C");
  const auto once = std::make_shared<bool>(false);
  command->add_flag("--once", *once, "Print the current state once and exit");
  command->footer(
      "Example:\n"
      "  netperfctl watch\n"
      "  netperfctl watch -o json | jq 'select(.event == \"run_ended\")'");
  return {command, [&settings, once] { return run_watch(settings, *once); }};
}

}  // namespace netperfctl
