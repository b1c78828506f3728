// Two selections of stored runs, compared.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "daemon/analysis/comparison.hpp"
#include "daemon/base/error.hpp"
#include "daemon/core/ports.hpp"
#include "daemon/model/comparison.hpp"

namespace netperfd::core {

struct ComparisonRequest {
  std::string a, b;  // as run_selection.hpp has them
  analysis::ComparisonSettings settings;
};

// What is told of one side beside its runs.
struct ComparedSide {
  std::vector<std::string> scenarios, labels;           // those met, each once, in order; an empty label too
  std::optional<WallTime> first_started, last_started;  // of its runs
};

struct ComparedSelections {
  Comparison comparison;
  ComparedSide a, b;
};

using Comparer = std::function<Comparison(const std::vector<analysis::ComparedRun>& a,
                                          const std::vector<analysis::ComparedRun>& b,
                                          const analysis::ComparisonSettings& settings)>;

// `comparer` is analysis::compare() but in tests. invalid_argument where the words are wrong, a run is on
// both sides or a group of the declared change is none; not_found where a side has no run.
[[nodiscard]] Result<ComparedSelections> compare_selections(RunQueries& queries,
                                                            const ComparisonRequest& request,
                                                            const Comparer& comparer);

}  // namespace netperfd::core
