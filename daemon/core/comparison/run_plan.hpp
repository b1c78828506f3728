// SPDX-License-Identifier: GPL-2.0-or-later
// Computes how many runs are needed to find a difference, from the spread of stored runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/analysis/compare/looks_course.hpp"
#include "daemon/base/error.hpp"
#include "daemon/core/ports/run_queries.hpp"
#include "daemon/model/comparison.hpp"
#include "daemon/model/figure.hpp"
#include "daemon/model/job_spec.hpp"

namespace netperfd::core {

struct PlanRequest {
  std::string runs;  // in the syntax of run_selection.hpp
  uid_t caller = 0;  // whose runs it selects if it does not say whose
  // Difference to find, as a share: above 0, at most 1. Absent: twice the threshold.
  std::optional<double> effect = std::nullopt;
  // What the comparison is to show that the difference is at least, as a share: above 0, below 1. Absent:
  // what the job of the runs declares for the figure, otherwise 0.01.
  std::optional<double> threshold = std::nullopt;
  double power = 0.8;                   // chance to find it: above 0, at most 0.999
  std::optional<std::uint32_t> repeat;  // planned number of blocks, or of boots or runs a side; 1 to 100000
  std::optional<Figure> figure = std::nullopt;  // absent: the first one that the job of the runs declares
  // Plan a job that measures until it is decided, of so many blocks at most: 6 to 500. Absent: as the job of
  // the runs has it.
  std::optional<std::uint32_t> until_most = std::nullopt;
  // Of the runs only those that measured on this host what this job measures. Absent: all.
  std::optional<JobId> like_job = std::nullopt;
};

// Of the figure of plain runs, or of traced runs if none is plain. Absent: unknown.
struct RunPlan {
  Figure figure;
  // All that the job of the runs declares, if the figure is among them: a comparison judges them together,
  // so the interval of each is wider.
  std::vector<FigureChoice> together;
  double level = 0.95;  // of the interval
  // Blocks, or their boots or builds, if the runs are of both sides of designs. Boots, if each letter of them
  // had a boot of its own.
  Pairing pairing = Pairing::runs;
  // Whole blocks, boots or pairs of builds with such, or runs; boots of both sides, if they have their own.
  std::uint32_t samples = 0;
  std::optional<std::uint32_t> blocks_each;     // of a boot or a pair of builds, on average, rounded down
  double sd = 0;                                // of the logarithms, for planning
  double effect = 0, power = 0, threshold = 0;  // as in the request
  // Blocks, or boots or runs a side, with which a comparison finds the effect to be the threshold at least.
  // Absent beyond a million, and for an effect of the threshold or less.
  std::optional<std::uint32_t> needed;
  std::optional<std::uint32_t> needed_for_equivalence;  // to show that there is no such difference
  std::optional<double> seconds;                        // for so many on both sides, with the time in between
  std::optional<double> detectable;                     // the effect that `repeat` can find: a ratio above 1
  std::optional<double> repeat_seconds;
  // Median time from asking for the reboot of a letter to asking for the next one, if samples are such boots.
  std::optional<double> boot_seconds;
  // Of a job that measures until it is decided: when the figure is, whatever the others show.
  struct Until {
    std::uint32_t most = 0;            // blocks
    analysis::Course different, same;  // if the effect is there, and if there is no difference
    std::optional<double> block_seconds;
  };
  std::optional<Until> until = std::nullopt;  // only if blocks are counted
};

// invalid_argument if a figure is out of its range; the text is not looked at.
[[nodiscard]] Status check_plan_request(const PlanRequest& request);

// What is known before a pilot of this job is measured. invalid_argument if a figure is out of its range, if
// the job does not measure the figure of the plan, or if the effect is not above the threshold, so that no
// number of runs would show it to be that.
[[nodiscard]] Status check_plan_of(const PlanRequest& request, const JobSpec& pilot);

// invalid_argument if the text or figures are invalid, if the runs are of several scenarios, or if there are
// fewer than the three samples (of boots three a side) needed to estimate a spread, or if `until_most` is
// given and they are not blocks; not_found if no run matches, or none is like that of `like_job`.
[[nodiscard]] Result<RunPlan> plan_runs(RunQueries& queries, const PlanRequest& request);

}  // namespace netperfd::core
