// SPDX-License-Identifier: GPL-2.0-or-later
// What `start` says line by line: the job it began, each run's end, the end of it all.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "client/pages/latency_text.hpp"
#include "client/pages/named_figures_text.hpp"
#include "client/pages/render.hpp"
#include "client/pages/run_order.hpp"
#include "client/pages/slots.hpp"
#include "client/pages/trace_text.hpp"
#include "client/pages/workload/workload.hpp"
#include "client/terminal/escaped.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl {
namespace {

// Between two runs: the processes, and a second that iperf3's client and server take to part. Only for an
// estimate.
constexpr double kSecondsBesideEachRun = 1;
constexpr double kMicro = 1e6;  // of a second

std::string label_words(const LiveJobView& job) {
  std::string text;
  if (job.purpose == "pilot") text = " as a pilot";
  if (job.purpose == "selftest") text = " as a self-test";
  // Unless the caller gave one, a job that is no measurement has its purpose for a label.
  const std::string label = job.label.value_or("");
  if (!label.empty() && label != job.purpose) text += fmt::format(" (label {})", label);
  return text;
}

// "3 runs of 11 s", with the design behind which they stand.
std::string runs_words(const LiveJobView& job) {
  const std::string design = design_words(job);
  return fmt::format("{}{}{}{}", design, design.empty() ? "" : ": ",
                     plural(job.runs ? job.runs->size() : 1, "run"),
                     job.planned_s ? " of " + format_seconds(*job.planned_s) : "");
}

std::string end_words(std::uint64_t job) {
  return fmt::format("it ends with `netperfctl stop {}`, or by its deadline", job);
}

std::string rate_of(const SumView& sum) {
  if (sum.received_bits_per_second) return format_rate(*sum.received_bits_per_second);
  return sum.sent_bits_per_second ? format_rate(*sum.sent_bits_per_second) + " sent" : "throughput not known";
}

std::string measured(const RunDetails& details) {
  std::vector<std::string> parts;
  for (const SumView& sum : details.sums) {
    std::string part = rate_of(sum);
    if (details.sums.size() > 1)
      part += sum.direction == Direction::receive ? " from the server" : " to the server";
    if (sum.lost_percent) part += fmt::format(", {} lost", format_percent(*sum.lost_percent));
    parts.push_back(part);
  }
  const RunView& run = details.run;
  if (const std::string latency = show::latency_words(run); !latency.empty()) parts.push_back(latency);
  if (const std::string figure = show::figure_words(run); !figure.empty()) parts.push_back(figure);
  if (parts.empty()) parts.push_back(page_of(run).nothing(run));
  std::string text = fmt::format("{}", fmt::join(parts, "; "));
  const std::string traced = show::trace_words(run, details.flags);
  if (!traced.empty()) text = is_trace_only(run) ? traced : text + "   " + traced;
  if (!details.flags.empty()) text += "   " + plural(details.flags.size(), "flag");
  return text;
}

// "2/3", and of a design "13/48  block 2, B hash, traced".
std::string place_words(const RunView& run, const LiveJobView* job) {
  const auto number = [](const std::optional<std::uint32_t>& n) { return n ? fmt::format("{}", *n) : "-"; };
  const bool listed = job != nullptr && job->runs && run.index.value_or(0) > 0;
  if (!run.block && !(listed && job->block))
    return fmt::format("{}/{}", number(run.index), number(run.repeat));
  if (!listed) return fmt::format("{}  {}", number(run.index), slot_words(run));
  return fmt::format("{}/{}  {}", *run.index, job->runs->size(),
                     padded_slot_words(escaped(*job), *run.index - 1));
}

std::string median_words(const StartView& view) {
  std::vector<std::string> parts;
  for (const SpreadView& spread : view.job.spreads) {
    if (!spread.median) continue;
    std::string part = spread.runs.value_or(1) > 1 ? "median " : "";
    part += format_rate(*spread.median);
    if (view.job.spreads.size() > 1)
      part += spread.direction == "receive" ? " from the server" : " to the server";
    parts.push_back(part);
  }
  return parts.empty() ? "" : fmt::format(", {}", fmt::join(parts, ", "));
}

// If a run of a design fails, the daemon itself cancels the rest; no user canceled it.
std::string outcome_of(const JobView& job) {
  const bool failed = job.failed.value_or(0) > 0;
  const bool canceled = job.canceled.value_or(0) > 0;
  if (job.finished.value_or(0) > 0 && !canceled) return "done";
  if (failed) return "failed";
  return canceled ? "canceled" : "ended";
}

// What a job's error says beside those of its runs, which were said at their ends: the machine was not
// brought back.
std::string without_run_errors(const StartView& view, std::string error) {
  for (const RunView& run : view.runs) {
    const std::string of_run = run.error.value_or("");
    if (of_run.empty() || !error.starts_with(of_run)) continue;
    if (error == of_run) return {};
    if (error.substr(of_run.size()).starts_with("; ")) return error.substr(of_run.size() + 2);
  }
  return error;
}

}  // namespace

std::string started_text(const LiveJobView& raw, std::size_t jobs_before, bool cancels_on_interrupt,
                         bool until_stopped, std::string_view power, std::uint64_t now_us) {
  const LiveJobView job = escaped(raw);
  const std::size_t runs = job.runs ? job.runs->size() : 1;
  std::string text =
      fmt::format("job {}: {}{}, {}", job.job, job.scenario.value_or("-"), label_words(job), runs_words(job));
  if (job.planned_s) {
    double all = static_cast<double>(runs) * (*job.planned_s + kSecondsBesideEachRun);
    // netperfd knows what earlier jobs took beside their runs.
    if (jobs_before == 0 && job.expected_end_us && now_us > 0 && *job.expected_end_us > now_us)
      all = std::max(all, static_cast<double>(*job.expected_end_us - now_us) / kMicro);
    if (jobs_before == 0) text += fmt::format("; done in about {}", format_seconds(all));
    if (jobs_before > 0 && runs > 1) text += fmt::format("; about {}", format_seconds(all));
  }
  if (job.seed) text += fmt::format("; seed {}", *job.seed);
  if (until_stopped) text += "; " + end_words(job.job);
  if (jobs_before > 0)
    text += fmt::format("; {} {} before it", plural(jobs_before, "job"), jobs_before == 1 ? "is" : "are");
  text += ".\n";
  text += power;
  text += cancels_on_interrupt ? std::string{"Ctrl-C stops it.\n"}
          : until_stopped      ? std::string{"Ctrl-C leaves it running.\n"}
                          : fmt::format("Ctrl-C leaves it running; `netperfctl stop {}` ends it.\n", job.job);
  return text;
}

std::string detached_text(const LiveJobView& raw, bool until_stopped) {
  const LiveJobView job = escaped(raw);
  const std::vector<std::uint64_t> runs = job.runs.value_or(std::vector<std::uint64_t>{});
  std::string text = fmt::format("job {}: {}{}, {} {}{}.\n", job.job, job.scenario.value_or("-"),
                                 label_words(job), runs.size() == 1 ? "run" : "runs", fmt::join(runs, ", "),
                                 until_stopped ? "; " + end_words(job.job) : "");
  if (job.blocks && job.purpose.value_or("measurement") == "measurement")
    text += fmt::format("Once it has ended, `netperfctl compare job:{}` compares its sides.\n", job.job);
  return text;
}

std::string power_text(const PlanView& plan, std::string_view what) {
  if (!plan.detectable || !plan.power) return {};
  return fmt::format(
      "If they scatter as stored runs of this test do, this many runs find a difference of {} {}; "
      "`netperfctl "
      "plan {}` says more.\n",
      format_percent((*plan.detectable - 1) * 100), power_words(*plan.power), printable(what));
}

std::string run_end_text(const Screen& screen, const RunDetails& raw, const LiveJobView* job) {
  const RunDetails details = escaped(raw);
  const RunView& run = details.run;
  const std::string state = run.state.value_or("-");
  const std::string result = state == "finished" ? measured(details) : run.error.value_or("");
  std::string head = fmt::format("run {}  {}  ", run.run, place_words(run, job));
  constexpr std::size_t kStateColumns = 11;
  const std::string gap(std::max(kStateColumns, state.size() + 2) - state.size(), ' ');
  const std::string indent(head.size() + state.size() + gap.size(), ' ');
  head += paint(screen, style_of_state(state), state);
  if (result.empty()) return head + "\n";
  // In a file each run is one line.
  const std::size_t room =
      screen.width ? *screen.width - std::min(*screen.width, indent.size()) : std::string::npos;
  return fmt::format("{}{}{}\n", head, gap,
                     fmt::join(wrap(result, room), screen.width ? "\n" + indent : " "));
}

std::string job_end_text(const StartView& view, const std::string& error) {
  const JobView& job = view.job.job;
  const std::size_t runs = view.runs.size();
  const std::uint32_t finished = job.finished.value_or(0);
  const std::string beside_runs = without_run_errors(view, error);
  const std::string outcome = beside_runs.empty() ? outcome_of(job) : "failed";
  std::string text = fmt::format("job {} {}: ", job.job, outcome);
  text += finished == runs ? plural(runs, "run") + " finished"
                           : fmt::format("{} of {} finished", finished, plural(runs, "run"));
  const std::uint32_t not_needed = job.not_needed.value_or(0);
  const auto not_begun =
      std::ranges::count_if(view.runs,
                            [](const RunView& run) { return run.state == "canceled" && !run.started_us; }) -
      std::ptrdiff_t{not_needed};
  if (not_needed > 0) text += fmt::format(", {} not needed to decide it", not_needed);
  if (not_begun > 0) text += fmt::format(", {} not begun", not_begun);
  // Over runs of two sides, or with and without a trace, a median would say nothing.
  const bool one_kind = std::ranges::none_of(view.runs, [&](const RunView& run) {
    return run.variant != view.runs.front().variant || run.traced != view.runs.front().traced;
  });
  text += (one_kind ? median_words(view) : "") + ".";
  const bool of_design = std::ranges::any_of(view.runs, has_slot);
  if (of_design && finished > 1 && job.purpose.value_or("measurement") == "measurement")
    text += fmt::format(" Compare its sides: `netperfctl compare job:{}`.", job.job);
  const auto failed = std::ranges::find(view.runs, "failed", &RunView::state);
  if (failed != view.runs.end())
    text += fmt::format(" Why run {0} failed: `netperfctl show {0}`.", failed->run);
  if (const RunView* measured_run = run_with_results(view.runs); measured_run != nullptr) {
    text += fmt::format(" See `netperfctl show {}`.", measured_run->run);
  } else if (failed == view.runs.end() && !view.runs.empty()) {
    text += fmt::format(" See `netperfctl show {}`.", view.runs.back().run);
  }
  if (!beside_runs.empty()) text += "\n" + printable(beside_runs, "\n");
  return text + "\n";
}

}  // namespace netperfctl
