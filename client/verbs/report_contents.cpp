// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/verbs/report_contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "client/base/command_words.hpp"
#include "client/base/users.hpp"
#include "client/pages/comparison_lines.hpp"
#include "client/pages/render.hpp"
#include "client/pages/slots.hpp"
#include "client/terminal/terminal.hpp"
#include "client/terminal/text.hpp"
#include "client/verbs/export_stacks.hpp"
#include "client/verbs/follower.hpp"
#include "client/verbs/job_comparison.hpp"
#include "client/verbs/job_words.hpp"
#include "client/verbs/numbers.hpp"
#include "client/verbs/own_runs.hpp"
#include "client/verbs/selection.hpp"
#include "client/verbs/shown_run.hpp"

namespace netperfctl {
namespace {

using report::Report;
using Runs = std::vector<std::uint64_t>;

bool has(const std::optional<Runs>& runs, std::uint64_t run) {
  return runs && std::ranges::find(*runs, run) != runs->end();
}

// The runs in the order in which they were measured; `words` are what lists them.
Outcome<void> add_runs(Report& report, const Outcome<RunPage>& page, const std::string& words) {
  if (!page) return std::unexpected(page.error());
  report.documents.push_back(
      {fmt::format("netperfctl runs {} --all -o json", words), runs_json(page->runs, false)});
  for (const RunView& run : page->runs) {
    std::optional<char> side;
    if (report.compared) {
      const ComparisonView& head = report.compared->details.comparison;
      if (has(head.runs_a, run.run)) side = 'A';
      if (has(head.runs_b, run.run)) side = 'B';
    }
    report.runs.push_back({run, side});
  }
  std::ranges::sort(report.runs, {}, [](const report::SidedRun& row) {
    return std::pair{row.run.started_us.value_or(row.run.created_us.value_or(0)), row.run.run};
  });
  return {};
}

Outcome<void> add_shown(Daemon& daemon, Report& report, std::uint64_t run, std::string why,
                        std::optional<char> side) {
  RunParts parts;
  parts.intervals = parts.with_page = true;
  parts.trace.over_time = true;
  parts.functions.functions = true;
  auto view = fetch_run(daemon, run, parts, Format::table);
  if (!view) return std::unexpected(view.error());
  report.documents.push_back(
      {fmt::format("netperfctl show {} --with-page --intervals --over-time --functions -o json",
                   view->details.run.run),
       show_json(*view)});
  report.shown.push_back({std::move(*view), std::move(why), side});
  return {};
}

Outcome<void> add_typical(Daemon& daemon, Report& report) {
  for (const std::size_t i : report::typical_runs(report.runs)) {
    const report::SidedRun& row = report.runs[i];
    const bool traced = row.run.traced.value_or(row.run.trace_events.has_value());
    std::string why = "Chosen for its throughput, in the middle of the ";
    why += row.side ? fmt::format("{} runs of {}.", traced ? "traced" : "plain",
                                  side_words(*row.side, row.run.variant.value_or("")))
                    : fmt::format("{} runs.", traced ? "traced" : "plain");
    if (report.runs.size() == 1) why.clear();
    if (const auto done = add_shown(daemon, report, row.run.run, std::move(why), row.side); !done)
      return done;
  }
  return {};
}

// A flame graph, or why there is none.
Outcome<void> add_flame(Report& report, Outcome<flame::Picture> picture) {
  if (picture) {
    report.flames.push_back(std::move(*picture));
  } else if (picture.error().exit == Exit::not_found) {
    report.missing.push_back(picture.error().message);
  } else {
    return std::unexpected(picture.error());
  }
  return {};
}

Outcome<void> add_flames_of_sides(Daemon& daemon, Report& report) {
  const CompareView& view = *report.compared;
  if (comparing::hides_figures(view)) return {};
  auto difference = flame_of_difference(daemon, view, false);
  const bool sampled = difference.has_value();
  if (const auto done = add_flame(report, std::move(difference)); !done) return done;
  for (const report::ShownRun& shown : report.shown) {
    // Of samples the typical plain runs, otherwise the traced calls.
    if (sampled == shown.view.functions.has_value()) continue;
    if (const auto done = add_flame(report, flame_of_run(daemon, shown.view.details.run.run)); !done)
      return done;
  }
  return {};
}

// Runs without sides: of a job, or any selection.
Outcome<void> add_runs_alone(Daemon& daemon, Report& report, const Outcome<RunPage>& page,
                             const std::string& words) {
  if (const auto done = add_runs(report, page, words); !done) return done;
  if (report.runs.empty()) return fail(Exit::not_found, fmt::format("no run matches {}", report.title));
  if (const auto done = add_typical(daemon, report); !done) return done;
  for (const report::ShownRun& shown : report.shown) {
    if (const auto done = add_flame(report, flame_of_run(daemon, shown.view.details.run.run)); !done)
      return done;
  }
  return {};
}

// Its table, and its runs.
Outcome<void> add_sweep(Daemon& daemon, Report& report, const SweepView& swept) {
  const std::uint64_t job = swept.asked.job.value_or(0);
  Screen screen;
  screen.now_us = 0;
  report.title = fmt::format("job:{}", job);
  report.page = sweep_text(screen, swept);
  report.again = swept.command;
  report.documents.push_back({swept.command + " -o json", sweep_json(swept)});
  RunFilter filter;
  filter.job = job;
  return add_runs_alone(daemon, report, daemon.runs(filter, std::nullopt), fmt::format("--job {}", job));
}

Outcome<void> add_comparison(Daemon& daemon, Report& report, const ComparisonArguments& sides) {
  const auto request = comparison_request(sides, report.made_us);
  if (!request) return std::unexpected(request.error());
  auto compared = compare_asked(daemon, *request, sides);
  if (!compared) return std::unexpected(compared.error());
  if (const auto* swept = std::get_if<SweepView>(&*compared)) return add_sweep(daemon, report, *swept);
  auto* view = std::get_if<CompareView>(&*compared);
  report.documents.push_back({view->command + " -o json", compare_json(*view)});
  report.again = view->command;
  report.compared = std::move(*view);
  const CompareRequest& asked = report.compared->asked;
  RunFilter filter;
  std::string words;
  if (asked.job) {
    report.title = fmt::format("job:{}", *asked.job);
    filter.job = asked.job;
    words = fmt::format("--job {}", *asked.job);
  } else {
    report.title = fmt::format("{} against {}", asked.b, asked.a);
    const ComparisonView& head = report.compared->details.comparison;
    Runs both = head.runs_a.value_or(Runs{});
    const Runs more = head.runs_b.value_or(Runs{});
    both.insert(both.end(), more.begin(), more.end());
    filter.selection = selection_of(both);
    words = *filter.selection;
  }
  if (const auto done = add_runs(report, daemon.runs(filter, std::nullopt), words); !done) return done;
  if (const auto done = add_typical(daemon, report); !done) return done;
  return add_flames_of_sides(daemon, report);
}

Outcome<void> add_run(Daemon& daemon, Report& report, std::uint64_t run) {
  if (const auto done = add_shown(daemon, report, run, {}, {}); !done) return done;
  report.runs.push_back({report.shown.front().view.details.run});
  report.title = fmt::format("run {}", report.runs.front().run.run);
  return add_flame(report, flame_of_run(daemon, report.runs.front().run.run));
}

Outcome<void> add_job(Daemon& daemon, Report& report, std::uint64_t job) {
  auto view = fetch_start_view(daemon, job);
  if (!view) return std::unexpected(view.error());
  Screen screen;
  screen.now_us = 0;
  report.page = job_text(screen, *view, nullptr);
  report.documents.push_back({fmt::format("netperfctl show job:{} -o json", job), job_json(*view)});
  RunFilter filter;
  filter.job = job;
  return add_runs_alone(daemon, report, daemon.runs(filter, std::nullopt), fmt::format("--job {}", job));
}

// What the words mean: two sides, a job with a design, another job, one run, or runs.
Outcome<void> add_asked(Daemon& daemon, Report& report, const ComparisonArguments& sides) {
  const std::string& what = sides.request.a;
  if (!sides.request.b.empty() || what == "last") return add_comparison(daemon, report, sides);
  report.title = what;
  report.again = "netperfctl compare " + for_a_shell(what);
  if (const auto job = job_of(what); job) {
    RunFilter filter;
    filter.job = *job;
    const auto newest = daemon.runs(filter, 1);
    if (!newest) return std::unexpected(newest.error());
    const bool has_design = !newest->runs.empty() && has_slot(newest->runs.front());
    return has_design ? add_comparison(daemon, report, sides) : add_job(daemon, report, *job);
  }
  if (what.find_first_not_of("0123456789") == std::string::npos) {
    const auto run = run_number(what);
    if (!run) return std::unexpected(run.error());
    const auto added = add_run(daemon, report, *run);
    return added ? added : std::unexpected(with_other_meaning(daemon, added.error(), what, "report"));
  }
  auto selection = for_the_daemon(what, report.made_us);
  if (!selection) return std::unexpected(selection.error());
  RunFilter filter;
  filter.selection = std::move(*selection);
  const auto page = own_runs(daemon, filter, what);
  if (!page) return std::unexpected(page.error());
  const std::uint32_t owner = page->runs.front().owner.value_or(0);
  const std::string same = for_a_shell(with_owner(what, owner_word(owner)));  // whoever types it
  report.again = "netperfctl compare " + same;
  return add_runs_alone(daemon, report, page, same);
}

}  // namespace

Outcome<Report> report_contents(Daemon& daemon, const ComparisonArguments& sides) {
  Report report;
  report.made_us = screen_of(stdout).now_us;
  report.version = NETPERFD_VERSION;
  if (const auto done = add_asked(daemon, report, sides); !done) return std::unexpected(done.error());
  return report;
}

}  // namespace netperfctl
