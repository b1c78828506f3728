#include "daemon/analysis/compare/tracer_cost.hpp"

#include <algorithm>
#include <vector>

#include "daemon/analysis/compare/rank_statistics.hpp"

namespace netperfd::analysis {

std::optional<TracerCost> common_cost(const RunList& a, const RunList& b) {
  std::vector<double> entries, callees;
  for (const RunList* side : {&a, &b}) {
    for (const ComparedRun* run : *side) {
      if (!run->trace->cost) return std::nullopt;
      entries.push_back(run->trace->cost->entry_ns);
      callees.push_back(run->trace->cost->callee_ns);
    }
  }
  if (entries.empty()) return std::nullopt;
  return TracerCost{.entry_ns = median(entries), .callee_ns = median(callees)};
}

double self_ns(const ComparedFunction& function, const std::optional<TracerCost>& cost) {
  const auto raw = static_cast<double>(function.self_ns);
  if (!cost) return raw;
  const double of_tracer = static_cast<double>(function.hits) * cost->entry_ns +
                           static_cast<double>(function.traced_within) * cost->callee_ns;
  return std::max(0.0, raw - of_tracer);
}

}  // namespace netperfd::analysis
