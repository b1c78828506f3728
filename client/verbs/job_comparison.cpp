// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/verbs/job_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client/base/command_words.hpp"

namespace netperfctl {

Outcome<CompareView> compare_sides(Daemon& daemon, CompareRequest request, std::string command) {
  const std::uint64_t job = request.job.value_or(0);
  const auto details = daemon.job(job);
  if (!details) return std::unexpected(details.error());
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
  return view;
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
