// SPDX-License-Identifier: GPL-2.0-or-later
// Compares two selections of stored runs.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/base/error.hpp"
#include "daemon/core/ports/run_queries.hpp"
#include "daemon/model/comparison.hpp"

namespace netperfd::core {

struct ComparisonRequest {
  std::string a, b;                       // in the syntax of run_selection.hpp
  analysis::ComparisonSettings settings;  // without figures: with_figures()
  uid_t caller;                           // whose runs a text selects that does not say whose
};

// Information about one side besides its runs.
struct ComparedSide {
  std::vector<std::string> scenarios, labels;           // each once, in order; an empty label too
  std::optional<WallTime> first_started, last_started;  // of its runs
  std::map<uid_t, std::uint32_t> owners;                // whose runs they are, and how many of each
};

// Result of a self-test, A against A: the difference that the host shows although nothing differs.
struct SelfTest {
  JobId job = 0;
  std::optional<WallTime> started;     // of its first run
  Verdict verdict = Verdict::too_few;  // over all figures
  std::vector<FigureResult> figures;   // those of the comparison, then those that it judges beside them
};

struct ComparedSelections {
  Comparison comparison;
  ComparedSide a, b;
  std::optional<SelfTest> self_test;  // the newest one of side B's scenario, of an owner of its runs
  std::optional<JobId> confirms =
      std::nullopt;  // the job that the compared one confirms, if both can be compared
};

using Comparer = std::function<Comparison(const std::vector<analysis::ComparedRun>& a,
                                          const std::vector<analysis::ComparedRun>& b,
                                          const analysis::ComparisonSettings& settings)>;

struct SelfTests {
  std::optional<SelfTest> newest;  // in which both sides have a finished run; absent if there is none
  std::vector<analysis::HostResolution> resolutions;  // of each figure
  analysis::HostResolution cpu = {};                  // of `cpu`, judged beside them
};

// What `settings` judge if they name no figure: those that all of the jobs declare alike, otherwise
// `received`.
[[nodiscard]] Result<analysis::ComparisonSettings> with_figures(RunQueries& queries,
                                                                analysis::ComparisonSettings settings,
                                                                const std::set<JobId>& jobs);

// The runs with the figures to compare, and with `cpu`, which is judged beside them.
[[nodiscard]] Result<std::vector<analysis::ComparedRun>> runs_with_figures(
    RunQueries& queries, const std::vector<RunId>& runs, ComparedParts wanted,
    const std::vector<analysis::ComparedFigure>& figures);

// invalid_argument, with the names that there are, if one of the figures is to be the runs' own and none of
// these has it.
[[nodiscard]] Status expect_own_figures(const std::vector<analysis::ComparedFigure>& figures,
                                        const std::vector<analysis::ComparedRun>& a,
                                        const std::vector<analysis::ComparedRun>& b);

// The self-tests of the scenario of these runs on the host that measured them, ignoring their first job: for
// runs of a bundle those of the same bundle, for others those that came in no bundle. Only those of the
// owners of the runs: nobody else's change what is concluded.
[[nodiscard]] Result<SelfTests> self_tests(RunQueries& queries, const std::vector<SelectedRun>& runs,
                                           const analysis::ComparisonSettings& settings,
                                           const Comparer& comparer);

// Compares the sides, neither of which may be empty, and adds the self-test, which bounds the verdict unless
// the runs are of a self-test themselves. invalid_argument if a run is on both sides.
[[nodiscard]] Result<ComparedSelections> compare_runs(RunQueries& queries, const std::vector<SelectedRun>& a,
                                                      const std::vector<SelectedRun>& b,
                                                      const analysis::ComparisonSettings& settings,
                                                      const Comparer& comparer,
                                                      JobPurpose purpose = JobPurpose::measurement,
                                                      ComparedParts wanted = ComparedParts::all);

// invalid_argument if a group of the declared change does not exist.
[[nodiscard]] Status check_changed(const std::vector<std::string>& groups);

// `comparer` is analysis::compare() except in tests. invalid_argument if the text is invalid, a run is on
// both sides or a group of the declared change does not exist; not_found if a side has no run.
[[nodiscard]] Result<ComparedSelections> compare_selections(RunQueries& queries,
                                                            const ComparisonRequest& request,
                                                            const Comparer& comparer);

}  // namespace netperfd::core
