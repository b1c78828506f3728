// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/verbs/job_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "client/base/command_words.hpp"
#include "client/verbs/selection.hpp"

namespace netperfctl {
namespace {

Outcome<void> check_point(const JobView& job, std::uint32_t point) {
  if (!job.points)
    return fail(Exit::usage, fmt::format("job {} is no sweep, so --point means nothing", job.job));
  if (point >= 1 && point <= *job.points) return {};
  return fail(Exit::usage,
              fmt::format("job {} has no point {}: its points are 1 to {}", job.job, point, *job.points));
}

Outcome<ComparedSides> compare_points(Daemon& daemon, CompareRequest request, std::string command,
                                      const JobView& job) {
  auto compared = daemon.compare_sweep(request);
  if (!compared) return std::unexpected(compared.error());
  return SweepView{.asked = std::move(request),
                   .command = std::move(command),
                   .all = false,
                   .details = std::move(*compared),
                   .scenario = job.scenario.value_or(""),
                   .setting = {}};
}

}  // namespace

Outcome<ComparedSides> compare_job(Daemon& daemon, CompareRequest request, std::string command) {
  const std::uint64_t job = request.job.value_or(0);
  const auto details = daemon.job(job);
  if (!details) return std::unexpected(details.error());
  if (request.point) {
    if (const auto checked = check_point(details->job, *request.point); !checked)
      return std::unexpected(checked.error());
  } else if (details->job.points) {
    return compare_points(daemon, std::move(request), std::move(command), details->job);
  }
  auto compared = daemon.compare(request);
  if (!compared) return std::unexpected(compared.error());
  CompareView view{std::move(request), std::move(command), false, std::move(*compared)};
  auto budget = daemon.budget(job);
  if (!budget) return std::unexpected(budget.error());
  view.budget = std::move(*budget);
  view.name_a = details->job.variant_a.value_or("");
  view.name_b = details->job.variant_b.value_or("");
  const bool variants = !view.name_a.empty() && !view.name_b.empty();
  view.asked.a =
      fmt::format("job:{} {}", job, variants ? selection_term("variant", view.name_a) : "arm:plain");
  view.asked.b =
      fmt::format("job:{} {}", job, variants ? selection_term("variant", view.name_b) : "arm:traced");
  if (view.asked.point) {
    view.asked.a = selection_of(view.details.comparison.runs_a.value_or(std::vector<std::uint64_t>{}));
    view.asked.b = selection_of(view.details.comparison.runs_b.value_or(std::vector<std::uint64_t>{}));
  }
  return view;
}

Outcome<CompareView> compare_sides(Daemon& daemon, CompareRequest request, std::string command) {
  const std::uint64_t job = request.job.value_or(0);
  auto compared = compare_job(daemon, std::move(request), std::move(command));
  if (!compared) return std::unexpected(compared.error());
  if (auto* view = std::get_if<CompareView>(&*compared)) return std::move(*view);
  return fail(Exit::usage,
              fmt::format("job {} is a sweep: --point N chooses one of its points, which `netperfctl "
                          "compare job:{}` lists",
                          job, job));
}

Outcome<std::uint64_t> newest_design(Daemon& daemon) {
  constexpr std::size_t kPage = 500;
  RunFilter filter;
  filter.purpose = "measurement";
  filter.owner = "me";
  const auto page = daemon.runs(filter, kPage);
  if (!page) return std::unexpected(page.error());
  const auto found =
      std::ranges::find_if(page->runs, [](const RunView& run) { return run.block && run.job; });
  if (found != page->runs.end()) return *found->job;
  return fail(Exit::not_found,
              fmt::format("no job with a design is among your newest {} runs; `netperfctl jobs --all` "
                          "lists those of everybody, and job:NUMBER is one of them",
                          kPage));
}

}  // namespace netperfctl
