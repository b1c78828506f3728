// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/comparison/run_comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "daemon/analysis/compare/host_resolution.hpp"
#include "daemon/analysis/compare/work.hpp"
#include "daemon/core/comparison/run_selection.hpp"
#include "daemon/model/counter_figure.hpp"
#include "daemon/model/fingerprint.hpp"
#include "daemon/model/nearest.hpp"
#include "daemon/model/wording.hpp"

namespace netperfd::core {
namespace {

struct Side {
  std::vector<SelectedRun> runs;
  std::uint32_t failed = 0;
};

Result<Side> side(RunQueries& queries, const char* name, const std::string& text, uid_t caller) {
  const auto selection = parse_selection(text, caller);
  if (!selection) return fail(selection.error().kind, fmt::format("{}: {}", name, selection.error().message));
  auto runs = resolve(queries, *selection);
  if (!runs) return fail(runs.error().kind, fmt::format("{}: {}", name, runs.error().message));
  const auto failed = failed_runs(queries, *selection, *runs);
  if (!failed) return std::unexpected(failed.error());
  return Side{std::move(*runs), *failed};
}

Status expect_apart(const std::vector<RunId>& a, const std::vector<RunId>& b) {
  std::vector<RunId> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  if (both.empty()) return {};
  constexpr std::size_t kNamed = 5;
  const std::size_t more = both.size() - std::min(kNamed, both.size());
  both.resize(both.size() - more);
  return fail(ErrorKind::invalid_argument,
              fmt::format("a run can be on one side only; on both {} {}{}",
                          both.size() + more == 1 ? "is run" : "are runs", fmt::join(both, ", "),
                          more > 0 ? fmt::format(" and {} more", more) : ""));
}

std::vector<RunId> ids_of(const std::vector<SelectedRun>& runs) {
  std::vector<RunId> ids;
  std::ranges::transform(runs, std::back_inserter(ids), &SelectedRun::id);
  return ids;
}

void add_once(std::vector<std::string>& words, const std::string& word) {
  if (std::ranges::find(words, word) == words.end()) words.push_back(word);
}

ComparedSide summary_of(const std::vector<SelectedRun>& runs) {
  ComparedSide summary;
  for (const SelectedRun& run : runs) {
    add_once(summary.scenarios, run.scenario);
    add_once(summary.labels, run.label);
    ++summary.owners[run.owner];
    if (!run.started) continue;
    summary.first_started = std::min(summary.first_started.value_or(*run.started), *run.started);
    summary.last_started = std::max(summary.last_started.value_or(*run.started), *run.started);
  }
  return summary;
}

// Newest first, those of the owners of `runs`.
Result<std::vector<SelectedRun>> finished_self_tests(RunQueries& queries,
                                                     const std::vector<SelectedRun>& runs) {
  RunFilter filter;
  filter.scenario = runs.front().scenario;
  filter.purpose = JobPurpose::selftest;
  filter.state = RunState::finished;
  std::vector<SelectedRun> found;
  for (const auto& [owner, count] : summary_of(runs).owners) {
    filter.owner = owner;
    const auto of_owner = queries.selected_runs(filter, {}, kSelectedRuns);
    if (!of_owner) return of_owner;
    found.insert(found.end(), of_owner->begin(), of_owner->end());
  }
  std::ranges::sort(found, std::ranges::greater{}, &SelectedRun::id);
  return found;
}

// The points of a sweep differ by design, so runs of several are no sample of anything.
Status expect_one_point(const std::vector<SelectedRun>& a, const std::vector<SelectedRun>& b) {
  for (const auto* side : {&a, &b}) {
    for (const SelectedRun& run : *side) {
      if (run.slot.point == a.front().slot.point) continue;
      const JobId sweep = run.slot.point > 0 ? run.job : a.front().job;
      return invalid(
          fmt::format("job {} is a sweep: its runs are of several points, which differ by design. "
                      "`netperfctl compare job:{}` compares its sides at each of them",
                      sweep, sweep));
    }
  }
  return {};
}

// First of the caveats, so that it is never the one that does not fit into the answer.
void mark_owners(ComparedSelections& compared) {
  std::set<uid_t> owners;
  for (const auto* side : {&compared.a, &compared.b}) {
    for (const auto& [owner, runs] : side->owners) owners.insert(owner);
  }
  if (owners.size() < 2) return;
  std::vector<std::string>& caveats = compared.comparison.caveats;
  caveats.insert(caveats.begin(),
                 fmt::format("The runs are of {} users: to each of them, a label or a scenario may mean "
                             "something else.",
                             owners.size()));
}

}  // namespace

Status check_changed(const std::vector<std::string>& groups) {
  for (const std::string& group : groups) {
    if (auto wrong = wrong_fact_group(group)) return fail(ErrorKind::invalid_argument, std::move(*wrong));
  }
  return {};
}

Result<analysis::ComparisonSettings> with_figures(RunQueries& queries, analysis::ComparisonSettings settings,
                                                  const std::set<JobId>& jobs) {
  if (!settings.figures.empty()) return settings;
  std::optional<std::vector<FigureChoice>> declared;
  for (const JobId job : jobs) {
    auto figures = queries.figures_of_job(job);
    if (!figures) return std::unexpected(std::move(figures.error()));
    if (declared && *declared != *figures) figures->clear();
    declared = std::move(*figures);
    if (declared->empty()) break;
  }
  if (declared) settings.figures = analysis::compared_figures(*declared);
  if (settings.figures.empty()) settings.figures.emplace_back();
  return settings;
}

Result<std::vector<analysis::ComparedRun>> runs_with_figures(
    RunQueries& queries, const std::vector<RunId>& runs, ComparedParts wanted,
    const std::vector<analysis::ComparedFigure>& figures) {
  auto compared = queries.compared_runs(runs, wanted);
  if (!compared) return compared;
  std::vector<Figure> asked;
  for (const analysis::ComparedFigure& each : figures) asked.push_back(each.figure);
  for (const std::string_view name : {kCpuFigure, kCpuPerPacket, kCpuPerTransaction}) {
    Figure cpu{.name = std::string{name}};
    if (std::ranges::find(asked, cpu) == asked.end()) asked.push_back(std::move(cpu));
  }
  if (auto read = queries.read_figures(asked, *compared); !read)
    return std::unexpected(std::move(read.error()));
  return compared;
}

// Empty, or that no run has the counter of the figure.
std::string no_such_counter(const Figure& figure, const std::vector<analysis::ComparedRun>& a,
                            const std::vector<analysis::ComparedRun>& b) {
  if (!is_counter_figure(figure.name)) return {};
  std::vector<std::string> nearest;
  for (const auto* side : {&a, &b}) {
    for (const analysis::ComparedRun& run : *side) {
      if (run.figures.contains(figure.name)) return {};
      if (nearest.empty()) nearest = run.nearest;
    }
  }
  return fmt::format(
      "figure {}: no run has this counter{}. A counter that did not change is only stored of a job that has "
      "the figure; `netperfctl show RUN --counters` lists those of a run",
      in_quotes(figure.name), nearest_clause(nearest));
}

Status expect_own_figures(const std::vector<analysis::ComparedFigure>& figures,
                          const std::vector<analysis::ComparedRun>& a,
                          const std::vector<analysis::ComparedRun>& b) {
  std::set<std::string> there;
  for (const auto* side : {&a, &b}) {
    for (const analysis::ComparedRun& run : *side) {
      for (const NamedFigure& own : run.own_figures) there.insert(own.name);
    }
  }
  for (const analysis::ComparedFigure& each : figures) {
    if (is_own(each.figure) && !there.contains(each.figure.name))
      return invalid(no_such_figure(each.figure.name, {there.begin(), there.end()}));
    if (const std::string none = no_such_counter(each.figure, a, b); !none.empty()) return invalid(none);
  }
  return {};
}

Result<SelfTests> self_tests(RunQueries& queries, const std::vector<SelectedRun>& runs,
                             const analysis::ComparisonSettings& settings, const Comparer& comparer) {
  const SelectedRun& of = runs.front();
  const auto newest_first = finished_self_tests(queries, runs);
  if (!newest_first) return std::unexpected(newest_first.error());
  std::vector<RunId> a, b;
  for (const SelectedRun& run : *newest_first) {
    if (run.job == of.job || run.imported != of.imported || run.slot.variant == '\0') continue;
    if (run.slot.point != of.slot.point) continue;
    (run.slot.variant == 'A' ? a : b).push_back(run.id);
  }
  auto all_a = runs_with_figures(queries, a, ComparedParts::throughput, settings.figures);
  if (!all_a) return std::unexpected(all_a.error());
  auto all_b = runs_with_figures(queries, b, ComparedParts::throughput, settings.figures);
  if (!all_b) return std::unexpected(all_b.error());
  analysis::use_one_part(*all_a, *all_b);

  SelfTests tests;
  tests.resolutions.resize(settings.figures.size());
  for (const analysis::ComparedRun& run : *all_b) {
    const auto of_job = [&run](const std::vector<analysis::ComparedRun>& all) {
      std::vector<analysis::ComparedRun> chosen;
      std::ranges::copy_if(all, std::back_inserter(chosen),
                           [&run](const analysis::ComparedRun& other) { return other.job == run.job; });
      return chosen;
    };
    const auto runs_a = of_job(*all_a);
    if (runs_a.empty()) continue;
    const auto runs_b = of_job(*all_b);
    analysis::ComparisonSettings same = settings;
    same.changed.clear();
    if (same.looked) same.level = analysis::ComparisonSettings{}.level;  // it had a fixed number of blocks
    same.looked.reset();
    same.failed_a = same.failed_b = 0;
    const Comparison comparison = comparer(runs_a, runs_b, same);
    tests.newest = SelfTest{.job = run.job,
                            .started = std::min(runs_a.back().started, runs_b.back().started),
                            .verdict = comparison.verdict,
                            .figures = comparison.figures};
    std::ranges::copy(comparison.beside, std::back_inserter(tests.newest->figures));
    for (std::size_t i = 0; i < comparison.figures.size() && i < tests.resolutions.size(); ++i) {
      const FigureResult& figure = comparison.figures[i];
      tests.resolutions[i].settings = analysis::settings_resolution(figure.effect, figure.verdict);
    }
    for (const FigureResult& cpu : comparison.beside)
      tests.cpu.settings = analysis::settings_resolution(cpu.effect, cpu.verdict);
    break;
  }
  const double level = analysis::level_of_each(settings.level, settings.figures.size());
  for (std::size_t i = 0; i < tests.resolutions.size(); ++i) {
    tests.resolutions[i].code =
        analysis::code_resolution(all_a.value(), all_b.value(), level, settings.figures[i].figure);
  }
  tests.cpu.code = analysis::code_resolution(all_a.value(), all_b.value(), settings.level,
                                             {.name = std::string{analysis::cpu_figure_of(settings.work)}});
  return tests;
}

Result<ComparedSelections> compare_runs(RunQueries& queries, const std::vector<SelectedRun>& a,
                                        const std::vector<SelectedRun>& b,
                                        const analysis::ComparisonSettings& settings,
                                        const Comparer& comparer, JobPurpose purpose, ComparedParts wanted) {
  const std::vector<RunId> ids_a = ids_of(a);
  const std::vector<RunId> ids_b = ids_of(b);
  if (auto apart = expect_apart(ids_a, ids_b); !apart) return std::unexpected(std::move(apart.error()));
  if (auto one = expect_one_point(a, b); !one) return std::unexpected(std::move(one.error()));
  auto runs_a = runs_with_figures(queries, ids_a, wanted, settings.figures);
  if (!runs_a) return std::unexpected(runs_a.error());
  auto runs_b = runs_with_figures(queries, ids_b, wanted, settings.figures);
  if (!runs_b) return std::unexpected(runs_b.error());
  if (auto there = expect_own_figures(settings.figures, *runs_a, *runs_b); !there)
    return std::unexpected(std::move(there.error()));
  analysis::use_one_part(*runs_a, *runs_b);
  ComparedSelections compared{{}, summary_of(a), summary_of(b), {}};
  analysis::ComparisonSettings bounded = settings;
  bounded.work = analysis::choose_work(*runs_a, *runs_b, settings.figures);
  if (compared.b.scenarios.size() == 1) {
    auto tests = self_tests(queries, b, bounded, comparer);
    if (!tests) return std::unexpected(std::move(tests.error()));
    compared.self_test = tests->newest;
    for (std::size_t i = 0; purpose != JobPurpose::selftest && i < bounded.figures.size(); ++i)
      bounded.figures[i].resolution = tests->resolutions[i];
    if (purpose != JobPurpose::selftest) bounded.cpu = tests->cpu;
  }
  compared.comparison = comparer(*runs_a, *runs_b, bounded);
  mark_owners(compared);
  return compared;
}

Result<ComparedSelections> compare_selections(RunQueries& queries, const ComparisonRequest& request,
                                              const Comparer& comparer) {
  if (auto known = check_changed(request.settings.changed); !known) {
    return std::unexpected(std::move(known.error()));
  }
  const auto a = side(queries, "A", request.a, request.caller);
  if (!a) return std::unexpected(a.error());
  const auto b = side(queries, "B", request.b, request.caller);
  if (!b) return std::unexpected(b.error());
  std::set<JobId> jobs;
  for (const auto* runs : {&a->runs, &b->runs}) {
    for (const SelectedRun& run : *runs) jobs.insert(run.job);
  }
  auto settings = with_figures(queries, request.settings, jobs);
  if (!settings) return std::unexpected(std::move(settings.error()));
  settings->failed_a = a->failed;
  settings->failed_b = b->failed;
  return compare_runs(queries, a->runs, b->runs, *settings, comparer);
}

}  // namespace netperfd::core
