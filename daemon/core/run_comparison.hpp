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

// What the host shows where nothing differs: A against A.
struct SelfTest {
  JobId job = 0;
  std::optional<WallTime> started;  // of its first run
  Verdict verdict = Verdict::too_few;
  RatioEstimate effect;
};

struct ComparedSelections {
  Comparison comparison;
  ComparedSide a, b;
  std::optional<SelfTest> self_test;  // the newest one of side B's scenario
};

using Comparer = std::function<Comparison(const std::vector<analysis::ComparedRun>& a,
                                          const std::vector<analysis::ComparedRun>& b,
                                          const analysis::ComparisonSettings& settings)>;

// The newest self-test of the scenario of which both sides have a finished run, but `except`; absent where
// there is none.
[[nodiscard]] Result<std::optional<SelfTest>> newest_self_test(RunQueries& queries,
                                                               const std::string& scenario, JobId except,
                                                               const analysis::ComparisonSettings& settings,
                                                               const Comparer& comparer);

// The sides, none of which is empty, with the self-test beside them. invalid_argument where a run is on both
// sides.
[[nodiscard]] Result<ComparedSelections> compare_runs(RunQueries& queries, const std::vector<SelectedRun>& a,
                                                      const std::vector<SelectedRun>& b,
                                                      const analysis::ComparisonSettings& settings,
                                                      const Comparer& comparer);

// invalid_argument where a group of the declared change is none.
[[nodiscard]] Status check_changed(const std::vector<std::string>& groups);

// `comparer` is analysis::compare() but in tests. invalid_argument where the words are wrong, a run is on
// both sides or a group of the declared change is none; not_found where a side has no run.
[[nodiscard]] Result<ComparedSelections> compare_selections(RunQueries& queries,
                                                            const ComparisonRequest& request,
                                                            const Comparer& comparer);

}  // namespace netperfd::core
