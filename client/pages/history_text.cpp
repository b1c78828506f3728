// SPDX-License-Identifier: GPL-2.0-or-later
// The history of jobs, and the page of one job.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "client/pages/budget_text.hpp"
#include "client/pages/render.hpp"
#include "client/pages/run_order.hpp"
#include "client/pages/show_parts.hpp"
#include "client/pages/slots.hpp"
#include "client/terminal/escaped.hpp"
#include "client/terminal/table.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/times.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl {
namespace {

// "16", and where not all of them finished "14 of 16".
std::string finished_of(const JobView& job) {
  const std::size_t runs = job.runs ? job.runs->size() : 0;
  if (!job.finished || *job.finished == runs) return fmt::format("{}", runs);
  return fmt::format("{} of {}", *job.finished, runs);
}

std::string sides_of(const JobView& job) {
  if (!job.variant_a || !job.variant_b) return job.seed ? "plain and traced" : "";
  return fmt::format("{} and {}", *job.variant_a, *job.variant_b);
}

std::string time_of(const Screen& screen, const std::optional<std::uint64_t>& time) {
  return or_dash(time, [&](std::uint64_t us) { return format_time(us, screen.now_us); });
}

std::string took(const JobView& job) {
  if (!job.started_us || !job.ended_us || *job.ended_us < *job.started_us) return "-";
  return format_seconds(static_cast<double>(*job.ended_us - *job.started_us) / 1e6);
}

std::string purpose_of(const JobView& job) {
  if (job.purpose == "pilot") return "pilot";
  return job.purpose == "selftest" ? "self-test" : "";
}

// "12 runs: 10 finished, 2 failed"
std::string runs_words(const StartView& view) {
  const JobView& job = view.job.job;
  std::string text;
  const auto add = [&text](const std::optional<std::uint32_t>& count, const char* state) {
    if (count.value_or(0) > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", *count, state);
  };
  add(job.finished, "finished");
  add(job.failed, "failed");
  add(job.canceled, "canceled");
  add(job.not_needed, "not needed");
  add(job.interrupted, "interrupted");
  return plural(view.runs.size(), "run") + (text.empty() ? "" : ": " + text);
}

std::string now_words(const Screen& screen, const LiveJobView& live) {
  std::string text = waiting_words(live);
  if (live.queue_position.value_or(0) > 0)
    text +=
        fmt::format("{}waits, {} before it", text.empty() ? "" : "; ", plural(*live.queue_position, "job"));
  if (live.expected_end_us) {
    text += fmt::format("{}ends about {}", text.empty() ? "" : "; ",
                        format_time(*live.expected_end_us, screen.now_us));
  }
  return text;
}

// "1.2" is the second letter of the first block.
// The smallest and the largest of the runs; one if they are alike.
std::vector<double> tracer_shares(const std::vector<RunView>& runs) {
  std::vector<double> shares;
  for (const RunView& run : runs) {
    if (run.tracer_share) shares.push_back(*run.tracer_share);
  }
  if (shares.size() < 2) return shares;
  const auto [least, most] = std::ranges::minmax(shares);
  return {least, most};
}

std::string boots_table(const Screen& screen, const std::vector<BootView>& boots) {
  std::vector<Cells> rows;
  std::vector<Cell> notes;
  for (const BootView& raw : boots) {
    const BootView boot = escaped(raw);
    const bool is_back = !boot.block || !boot.letter;
    rows.push_back({{fmt::format("{}", boot.number)},
                    {is_back ? "back" : fmt::format("{}.{}", *boot.block, *boot.letter)},
                    {boot.variant ? *boot.variant : boot.side.value_or("-")},
                    {boot.kernel.value_or("-")},
                    {time_of(screen, boot.asked_us)},
                    {or_dash(boot.seconds, format_seconds)}});
    notes.push_back({boot.failure ? "failed: " + *boot.failure : "", Style::bad});
  }
  return render_table(screen,
                      {{.title = "BOOT", .right = true},
                       {.title = "FOR"},
                       {.title = "SIDE", .shrink_to = 8},
                       {.title = "KERNEL", .shrink_to = 8},
                       {.title = "ASKED", .optional = true},
                       {.title = "READY AFTER", .right = true}},
                      std::move(rows), std::move(notes));
}

std::string received_words(const SpreadView& spread) {
  std::string text = or_dash(spread.median, format_rate);
  if (spread.runs.value_or(1) <= 1 || !spread.median) return text;
  text = fmt::format("median {}, lowest {}, highest {}", text,
                     format_rate_like(spread.lowest.value_or(*spread.median), *spread.median),
                     format_rate_like(spread.highest.value_or(*spread.median), *spread.median));
  if (spread.cv_percent) text += fmt::format(", cv {}", format_percent(*spread.cv_percent));
  return text;
}

// Over runs of two sides, or with and without a trace, a median would say nothing.
bool of_one_kind(const StartView& view) {
  return std::ranges::none_of(view.runs, [&](const RunView& run) {
    return run.variant != view.runs.front().variant || run.traced != view.runs.front().traced;
  });
}

std::string next_of(const StartView& view) {
  const JobView& job = view.job.job;
  if (job.state == "live") return fmt::format("netperfctl{0}wait{0}{1}", kNoBreak, job.job);
  const bool design = job.seed && job.purpose.value_or("measurement") == "measurement";
  if (design && job.finished.value_or(0) > 1)
    return fmt::format("netperfctl{0}compare{0}job:{1}", kNoBreak, job.job);
  const RunView* run = run_with_results(view.runs);
  const auto failed = std::ranges::find(view.runs, "failed", &RunView::state);
  if (run == nullptr && failed != view.runs.end()) run = &*failed;  // it says why there are no results
  if (run == nullptr && !view.runs.empty()) run = &view.runs.back();
  return run == nullptr ? "" : fmt::format("netperfctl{0}show{0}{1}", kNoBreak, run->run);
}

}  // namespace

std::string history_text(const Screen& screen, std::span<const JobView> jobs, bool filtered, bool more) {
  if (jobs.empty()) return filtered ? "No job matches.\n" : "No jobs yet.\n";
  std::vector<Cells> rows;
  for (const JobView& raw : jobs) {
    const JobView job = escaped(raw);
    const std::string state = job.state.value_or("-");
    rows.push_back({{fmt::format("{}", job.job)},
                    {job.scenario.value_or("-")},
                    {job.label.value_or("")},
                    {purpose_of(job)},
                    {sides_of(job)},
                    {time_of(screen, job.started_us ? job.started_us : job.created_us)},
                    {took(job)},
                    {state, style_of_state(state)},
                    {finished_of(job)}});
  }
  std::string text = render_table(screen,
                                  {{.title = "JOB", .right = true},
                                   {.title = "SCENARIO", .shrink_to = 8},
                                   {.title = "LABEL", .shrink_to = 6, .optional = true},
                                   {.title = "PURPOSE", .optional = true, .leaves = 1},
                                   {.title = "SIDES", .shrink_to = 8, .optional = true, .leaves = 2},
                                   {.title = "STARTED"},
                                   {.title = "TOOK", .right = true, .leaves = 3},
                                   {.title = "STATE"},
                                   {.title = "RUNS", .right = true}},
                                  std::move(rows));
  if (more) text += fmt::format("The newest {}; --limit N lists so many.\n", jobs.size());
  return text;
}

std::string job_text(const Screen& screen, const StartView& raw, const LiveJobView* live) {
  StartView view = raw;
  view.job.job = escaped(std::move(view.job.job));
  const JobView& job = view.job.job;
  std::string head =
      fmt::format("Job {}: {}, {}", job.job, job.scenario.value_or("-"),
                  paint(screen, style_of_state(job.state.value_or("-")), job.state.value_or("-")));
  if (job.ended_us) head += " " + format_time(*job.ended_us, screen.now_us);
  std::string text = head + "\n";
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) text += show::field(screen, key, value);
  };
  add("label", job.label.value_or(""));
  add("purpose", purpose_of(job));
  add("sides", sides_of(job) + (job.seed ? fmt::format(", seed {}", *job.seed) : ""));
  add("requested", fmt::format("{} by uid {}", time_of(screen, job.created_us), job.owner.value_or(0)));
  add("origin", job.origin.value_or(""));
  if (job.started_us) add("took", job.ended_us ? took(job) : "");
  // A job that has ended stays on the bus for a while.
  if (live != nullptr && !job.ended_us) add("now", now_words(screen, escaped(*live)));
  add("runs", runs_words(view));
  if (view.budget) add("budget", show::budget_words(*view.budget, tracer_shares(view.runs)));
  if (job.confirms) add("confirms", fmt::format("job {}", *job.confirms));
  if (of_one_kind(view)) {
    for (const SpreadView& spread : view.job.spreads) {
      const std::string from = view.job.spreads.size() > 1 ? spread.direction.value_or("") + ": " : "";
      add("received", printable(from) + received_words(spread));
    }
  }
  std::vector<RunView> newest_first(view.runs.rbegin(), view.runs.rend());
  text += "\n" + runs_text(screen, newest_first, true, false) + "\n";
  if (!view.boots.empty()) text += boots_table(screen, view.boots) + "\n";
  add("next", next_of(view));
  return text;
}

}  // namespace netperfctl
