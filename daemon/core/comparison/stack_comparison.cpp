// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/comparison/stack_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "daemon/analysis/compare/work.hpp"
#include "daemon/core/comparison/run_selection.hpp"

namespace netperfd::core {
namespace {

// 240 MB, and what their nodes need.
constexpr std::size_t kMostPaths = 10'000'000;

constexpr double kNsInSecond = 1e9;

struct SampledRuns {
  std::vector<analysis::ComparedRun> runs;  // plain and sampled
  std::vector<RunId> not_sampled;
};

Result<SampledRuns> sampled_runs(RunQueries& queries, std::string_view name, const std::vector<RunId>& ids) {
  auto runs = queries.compared_runs(ids, ComparedParts::all);
  if (!runs) return std::unexpected(std::move(runs.error()));
  if (auto own = queries.read_figures({}, *runs); !own) return std::unexpected(std::move(own.error()));
  SampledRuns sampled;
  for (analysis::ComparedRun& run : *runs) {
    if (run.samples) {
      sampled.runs.push_back(std::move(run));
    } else {
      sampled.not_sampled.push_back(run.id);
    }
  }
  if (sampled.runs.empty()) return fail(ErrorKind::not_found, fmt::format("{}: no run was sampled", name));
  return sampled;
}

// What all runs can be divided by.
WorkUnit unit_of(const SampledRuns& a, const SampledRuns& b) {
  for (const WorkUnit unit : {WorkUnit::byte, WorkUnit::transaction, WorkUnit::packet}) {
    const auto knows = [unit](const analysis::ComparedRun& run) {
      return analysis::work_in(run, unit).has_value();
    };
    if (std::ranges::all_of(a.runs, knows) && std::ranges::all_of(b.runs, knows)) return unit;
  }
  return WorkUnit::second;
}

double work_of(const analysis::ComparedRun& run, const SampleProfile& profile, WorkUnit unit) {
  return unit == WorkUnit::second ? static_cast<double>(profile.duration_ns) / kNsInSecond
                                  : *analysis::work_in(run, unit);
}

analysis::RunList list_of(const SampledRuns& sampled) {
  analysis::RunList list;
  for (const analysis::ComparedRun& run : sampled.runs) list.push_back(&run);
  return list;
}

std::vector<RunId> ids_of(const SampledRuns& sampled) {
  std::vector<RunId> ids;
  std::ranges::transform(sampled.runs, std::back_inserter(ids), &analysis::ComparedRun::id);
  return ids;
}

}  // namespace

Status check_stack_request(const StackRequest& request) {
  std::set<RunId> named;
  for (const auto& [name, runs] : {std::pair{"A", &request.a}, std::pair{"B", &request.b}}) {
    if (runs->empty() || runs->size() > kSelectedRuns) {
      return fail(ErrorKind::invalid_argument,
                  fmt::format("{}: {} runs; at least 1 and at most {} are allowed", name, runs->size(),
                              kSelectedRuns));
    }
    for (const RunId run : *runs) {
      if (!named.insert(run).second)
        return fail(ErrorKind::invalid_argument, fmt::format("{}: run {} is named twice", name, run));
    }
  }
  return {};
}

Result<StackComparison> compare_stacks(RunQueries& queries, const StackRequest& request) {
  if (auto checked = check_stack_request(request); !checked)
    return std::unexpected(std::move(checked.error()));
  auto a = sampled_runs(queries, "A", request.a);
  if (!a) return std::unexpected(std::move(a.error()));
  auto b = sampled_runs(queries, "B", request.b);
  if (!b) return std::unexpected(std::move(b.error()));
  StackComparison comparison{.a = ids_of(*a),
                             .b = ids_of(*b),
                             .not_sampled_a = std::move(a->not_sampled),
                             .not_sampled_b = std::move(b->not_sampled),
                             .unit = unit_of(*a, *b),
                             .frames = {}};
  analysis::StackTree tree{request.scope};
  for (const auto& [side, runs] :
       {std::pair{analysis::StackTree::side_a, &a->runs}, {analysis::StackTree::side_b, &b->runs}}) {
    for (const analysis::ComparedRun& run : *runs) {
      const auto profile = queries.samples(run.id);
      if (!profile) return std::unexpected(profile.error());
      tree.add(side, *profile, run.samples->ns_per_sample / work_of(run, *profile, comparison.unit));
      if (tree.paths() > kMostPaths) {
        return fail(ErrorKind::invalid_argument,
                    fmt::format("the runs have more than {} sampled paths together; select fewer of them",
                                kMostPaths));
      }
    }
  }
  tree.compare(list_of(*a), list_of(*b), {}, comparison);
  return comparison;
}

}  // namespace netperfd::core
