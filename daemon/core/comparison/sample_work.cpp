// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/comparison/sample_work.hpp"

#include <utility>
#include <vector>

#include "daemon/analysis/compare/work.hpp"

namespace netperfd::core {

Result<std::optional<SampleWork>> sample_work_of(RunQueries& queries, RunId run) {
  auto runs = queries.compared_runs({run}, ComparedParts::all);
  if (!runs) return std::unexpected(std::move(runs.error()));
  if (auto own = queries.read_figures({}, *runs); !own) return std::unexpected(std::move(own.error()));
  const analysis::ComparedRun& sampled = runs->front();
  if (!sampled.samples) return std::optional<SampleWork>{};
  // Figures that this version does not know speak of no unit that it does.
  const std::vector<FigureChoice> figures =
      queries.figures_of_job(sampled.job).value_or(std::vector<FigureChoice>{});
  std::vector<analysis::ComparedRun> none;
  const WorkUnit unit = analysis::choose_work(*runs, none, analysis::compared_figures(figures));
  const auto amount = analysis::work_of(sampled);
  if (!amount) return std::optional<SampleWork>{};
  return SampleWork{.unit = unit, .amount = *amount, .ns_per_sample = sampled.samples->ns_per_sample};
}

}  // namespace netperfd::core
