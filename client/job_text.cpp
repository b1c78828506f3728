// What `start` says line by line: the job it began, each run's end, the end of it all.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "client/escaped.hpp"
#include "client/render.hpp"
#include "client/text.hpp"
#include "client/trace_text.hpp"
#include "client/units.hpp"

namespace netperfctl {
namespace {

// Between two runs: the processes, and a second that iperf3's client and server take to part. Only for an
// estimate.
constexpr double kSecondsBesideEachRun = 1;

std::string label_words(const std::optional<std::string>& label) {
  return label && !label->empty() ? fmt::format(" (label {})", *label) : "";
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
    if (details.sums.size() > 1) part += sum.direction == "receive" ? " from the server" : " to the server";
    if (sum.lost_percent) part += fmt::format(", {} lost", format_percent(*sum.lost_percent));
    parts.push_back(part);
  }
  const RunView& run = details.run;
  if (parts.empty())
    parts.emplace_back(is_trace_only(run) ? "nothing is known of it" : "throughput not known");
  std::string text = fmt::format("{}", fmt::join(parts, "; "));
  const std::string traced = show::trace_words(run);
  if (!traced.empty()) text = is_trace_only(run) ? traced : text + "   " + traced;
  if (!details.flags.empty()) text += "   " + plural(details.flags.size(), "flag");
  return text;
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

}  // namespace

std::string started_text(const LiveJobView& raw, std::size_t jobs_before, bool cancels_on_interrupt,
                         bool until_stopped) {
  const LiveJobView job = escaped(raw);
  const std::size_t runs = job.runs ? job.runs->size() : 1;
  std::string text = fmt::format("job {}: {}{}, {}", job.job, job.scenario.value_or("-"),
                                 label_words(job.label), plural(runs, "run"));
  if (job.planned_s) {
    const double all = static_cast<double>(runs) * (*job.planned_s + kSecondsBesideEachRun);
    text += " of " + format_seconds(*job.planned_s);
    if (jobs_before == 0) text += fmt::format("; done in about {}", format_seconds(all));
  }
  if (until_stopped) text += "; " + end_words(job.job);
  if (jobs_before > 0)
    text += fmt::format("; {} {} before it", plural(jobs_before, "job"), jobs_before == 1 ? "is" : "are");
  text += ".\n";
  text += cancels_on_interrupt ? std::string{"Ctrl-C stops it.\n"}
          : until_stopped      ? std::string{"Ctrl-C leaves it running.\n"}
                          : fmt::format("Ctrl-C leaves it running; `netperfctl stop {}` ends it.\n", job.job);
  return text;
}

std::string detached_text(const LiveJobView& raw, bool until_stopped) {
  const LiveJobView job = escaped(raw);
  const std::vector<std::uint64_t> runs = job.runs.value_or(std::vector<std::uint64_t>{});
  return fmt::format("job {}: {}{}, {} {}{}.\n", job.job, job.scenario.value_or("-"), label_words(job.label),
                     runs.size() == 1 ? "run" : "runs", fmt::join(runs, ", "),
                     until_stopped ? "; " + end_words(job.job) : "");
}

std::string run_end_text(const Screen& screen, const RunDetails& raw) {
  const RunDetails details = escaped(raw);
  const RunView& run = details.run;
  const std::string state = run.state.value_or("-");
  const std::string result = state == "finished" ? measured(details) : run.error.value_or("");
  const auto number = [](const std::optional<std::uint32_t>& n) { return n ? fmt::format("{}", *n) : "-"; };
  std::string head = fmt::format("run {}  {}/{}  ", run.run, number(run.index), number(run.repeat));
  constexpr std::size_t kStateColumns = 11;
  const std::string gap(std::max(kStateColumns, state.size() + 2) - state.size(), ' ');
  const std::string indent(head.size() + state.size() + gap.size(), ' ');
  head += paint(screen, style_of_state(state), state);
  if (result.empty()) return head + "\n";
  // In a file a run is a line.
  const std::size_t room =
      screen.width ? *screen.width - std::min(*screen.width, indent.size()) : std::string::npos;
  return fmt::format("{}{}{}\n", head, gap,
                     fmt::join(wrap(result, room), screen.width ? "\n" + indent : " "));
}

std::string job_end_text(const StartView& view) {
  const JobView& job = view.job.job;
  const std::size_t runs = view.runs.size();
  const std::uint32_t finished = job.finished.value_or(0);
  std::string outcome = "done";
  if (finished == 0) outcome = job.failed.value_or(0) > 0 ? "failed" : "ended";
  if (job.canceled.value_or(0) > 0) outcome = "canceled";
  std::string text = fmt::format("job {} {}: ", job.job, outcome);
  text += finished == runs ? plural(runs, "run") + " finished"
                           : fmt::format("{} of {} finished", finished, plural(runs, "run"));
  text += median_words(view) + ".";
  // The run that is worth a look: the last that measured, else the last.
  const auto measured_run =
      std::ranges::find(view.runs.rbegin(), view.runs.rend(), "finished", &RunView::state);
  const RunView* best = measured_run != view.runs.rend() ? &*measured_run
                        : runs > 0                       ? &view.runs.back()
                                                         : nullptr;
  if (best != nullptr) text += fmt::format(" See `netperfctl show {}`.", best->run);
  return text + "\n";
}

}  // namespace netperfctl
