// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/verbs/confirmation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "client/pages/found_rows.hpp"
#include "client/terminal/text.hpp"
#include "client/verbs/job_comparison.hpp"

namespace netperfctl {
namespace {

constexpr std::size_t kLargest = 3;  // differences, if none is beyond chance
constexpr std::size_t kMost = 512;   // names that a job may have
// Few functions, at nearly the plain throughput.
constexpr const char* kBudget = "trace.budget=10%";

bool sets(const StartOptions& options, std::string_view key) {
  return std::ranges::any_of(options.overrides,
                             [&](const std::string& text) { return text.starts_with(key); });
}

}  // namespace

Suspects suspects_of(const ComparisonDetails& details) {
  Suspects suspects;
  const auto add = [&](const FunctionDeltaView& row) {
    std::string name = row.function.substr(0, row.function.find('.'));
    if (suspects.functions.size() < kMost &&
        std::ranges::find(suspects.functions, name) == suspects.functions.end())
      suspects.functions.push_back(std::move(name));
  };
  for (const FunctionDeltaView& row : details.functions) {
    if (netperfd::rows::is_found(comparing::traced_finding(row))) add(row);
  }
  suspects.beyond_chance = !suspects.functions.empty();
  if (suspects.beyond_chance) return suspects;
  // The list begins with the largest differences.
  for (const FunctionDeltaView& row : details.functions) {
    const bool on_both = row.match == "same" || row.match == "renamed";
    if (on_both && row.shift && suspects.functions.size() < kLargest) add(row);
  }
  return suspects;
}

std::string suspects_words(std::uint64_t job, const Suspects& suspects) {
  const std::string names = printable(fmt::format("{}", fmt::join(suspects.functions, ", ")));
  if (suspects.beyond_chance)
    return fmt::format("job {} suspects {}: they differ beyond chance.\n", job, names);
  return fmt::format("job {} suspects no function beyond chance; the largest differences are measured: {}.\n",
                     job, names);
}

Outcome<std::string> confirm(Daemon& daemon, std::uint64_t job, LaunchArguments& arguments) {
  const auto first = daemon.job(job);
  if (!first) return std::unexpected(first.error());
  CompareRequest request;
  request.job = job;
  const auto compared = daemon.compare(request);
  if (!compared) return std::unexpected(compared.error());
  const Suspects suspects = suspects_of(*compared);
  if (suspects.functions.empty()) {
    return fail(
        Exit::usage,
        fmt::format("job {} compares no function on both sides, so there is nothing to confirm", job));
  }
  if (arguments.what.empty()) arguments.what = first->job.scenario.value_or("");
  StartOptions& options = arguments.options;
  if (!options.label && first->job.label && !first->job.label->empty()) options.label = first->job.label;
  if (!options.repeat) options.repeat = first->job.repeat;
  options.overrides.push_back(
      fmt::format("trace.function_graph.only=[{}]", fmt::join(suspects.functions, ", ")));
  if (!sets(options, "trace.budget=")) options.overrides.emplace_back(kBudget);
  options.confirms = job;
  return suspects_words(job, suspects);
}

}  // namespace netperfctl
