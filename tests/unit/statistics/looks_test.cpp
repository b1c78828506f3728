// SPDX-License-Identifier: GPL-2.0-or-later
// Jobs that measure until they are decided: how often a look decides what is not so, how often the intervals
// of the look at which a job ended hold, and how many blocks are saved. docs/statistics.md shows the figures
// that these tests print.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/looks.hpp"
#include "daemon/analysis/compare/looks_course.hpp"
#include "daemon/analysis/compare/run_planner.hpp"
#include "tests/unit/statistics/synthetic.hpp"

namespace netperfd::analysis {
namespace {

constexpr double kThreshold = 0.01;

// What makes runs differ although nothing was changed.
enum class Noise { normal, bimodal, carried, drift };
constexpr Noise kNoises[] = {Noise::normal, Noise::bimodal, Noise::carried, Noise::drift};

std::string_view name_of(Noise noise) {
  switch (noise) {
    case Noise::normal:
      return "normal";
    case Noise::bimodal:
      return "two speeds";
    case Noise::carried:
      return "AR(1) 0.6 from run to run";
    case Noise::drift:
      return "drift of 10 %";
  }
  return "";
}

std::vector<double> logs_of(Noise noise, std::size_t runs, Dice& dice) {
  switch (noise) {
    case Noise::normal:
      return logs_of_runs(Shape::normal, runs, 0, dice);
    case Noise::bimodal:
      return logs_of_runs(Shape::bimodal, runs, 0, dice);
    case Noise::carried:
      return logs_in_sequence({.drift = 0, .carried = 0.6}, runs, dice);
    case Noise::drift:
      return logs_in_sequence({.drift = 0.1, .carried = 0}, runs, dice);
  }
  return {};
}

// The block values of several figures of the same runs, which share half of their variance.
JobValues figures_of(Noise noise, std::uint32_t blocks, std::size_t figures, double effect, Dice& dice) {
  const std::size_t runs = 4 * std::size_t{blocks};
  const std::vector<double> shared = logs_of(noise, runs, dice);
  JobValues values;
  for (std::size_t figure = 0; figure < figures; ++figure) {
    std::vector<double> logs = shared;
    if (figures > 1) {
      const std::vector<double> own = logs_of(noise, runs, dice);
      for (std::size_t i = 0; i < runs; ++i) logs[i] = (logs[i] + own[i]) / std::sqrt(2.0);
    }
    values.push_back(as_blocks(logs, effect, dice));
  }
  return values;
}

// Whether some figure's interval misses the truth at any look, as if the job might end there.
bool misses_at_some_look(const Looks& looks, const JobValues& values, double effect) {
  for (const std::uint32_t blocks : looks.at) {
    for (const std::vector<double>& figure : values) {
      const auto location =
          signed_rank(std::span(figure).first(blocks), level_of_each(looks.level, values.size()));
      if (location.interval && !covers(location, effect)) return true;
    }
  }
  return false;
}

struct Misses {
  double missed_somewhere = 0;  // at some look, some interval misses the truth
  double missed_at_end = 0;     // at the look at which the job ended
  double wrong = 0;             // a verdict that is not so
};

constexpr int kJobs = 2'000;

using IsWrong = bool (*)(Verdict verdict);

Misses misses_of(Noise noise, const Looks& looks, std::size_t figures, double effect, IsWrong is_wrong) {
  Dice dice(41);
  std::vector<JobValues> jobs;
  for (int job = 0; job < kJobs; ++job)
    jobs.push_back(figures_of(noise, looks.at.back(), figures, effect, dice));
  const auto somewhere = std::ranges::count_if(
      jobs, [&](const JobValues& values) { return misses_at_some_look(looks, values, effect); });
  int at_end = 0, wrong = 0;
  for (const JobEnd& end : ends_of(looks, jobs, kThreshold)) {
    const auto misses = [&](const Location& figure) { return !covers(figure, effect); };
    if (std::ranges::any_of(end.figures, misses)) ++at_end;
    if (std::ranges::any_of(end.verdicts, is_wrong)) ++wrong;
  }
  return {.missed_somewhere = 100.0 * static_cast<double>(somewhere) / kJobs,
          .missed_at_end = 100.0 * at_end / kJobs,
          .wrong = 100.0 * wrong / kJobs};
}

// 99.9 % of binomial shares of so many jobs at 5 % are below this.
constexpr double kMostMissed = 6.5;

TEST(Looks, keep_the_level_however_the_job_is_stopped) {
  const double threshold = std::log1p(kThreshold);
  fmt::print(
      "looks at up to 40 blocks, percent of 2,000 jobs in which some interval "
      "misses\n{:<28}{:>9}{:>12}{:>24}{:>26}{:>14}{:>20}\n",
      "noise", "figures", "at a look", "at the end, no effect", "at the end, 2 thresholds", "false change",
      "false equivalence");
  for (const Noise noise : kNoises) {
    for (const std::size_t figures : {std::size_t{1}, std::size_t{5}}) {
      const Looks looks = looks_of(40, figures);
      const auto is_equivalent = [](Verdict verdict) { return verdict == Verdict::equivalent; };
      const auto is_none_of_it = [](Verdict verdict) {
        return verdict == Verdict::equivalent || verdict == Verdict::regression;
      };
      const Misses same = misses_of(noise, looks, figures, 0, is_change);
      // With an effect as large as the threshold, no verdict of equivalence is right.
      const Misses limit = misses_of(noise, looks, figures, threshold, is_equivalent);
      const Misses twice = misses_of(noise, looks, figures, 2 * threshold, is_none_of_it);
      fmt::print("{:<28}{:>9}{:>12.1f}{:>24.1f}{:>26.1f}{:>14.1f}{:>20.1f}\n", name_of(noise), figures,
                 same.missed_somewhere, same.missed_at_end, twice.missed_at_end, same.wrong, limit.wrong);
      for (const Misses& rates : {same, limit, twice}) {
        EXPECT_LT(rates.missed_somewhere, kMostMissed) << name_of(noise);
        EXPECT_LT(rates.missed_at_end, kMostMissed) << name_of(noise);
        EXPECT_LT(rates.wrong, kMostMissed) << name_of(noise);
      }
    }
  }
}

// What the test above must notice: each look with the whole level.
TEST(Looks, that_do_not_share_the_level_break_it) {
  Looks whole = looks_of(40, 1);
  whole.level = 0.95;
  const Misses rates = misses_of(Noise::normal, whole, 1, 0, is_change);
  fmt::print("the same with the whole level at each look: {:.1f} % miss at a look\n", rates.missed_somewhere);
  EXPECT_GT(rates.missed_somewhere, 10);
}

// Mean number of blocks, and the shares of verdicts.
struct Means {
  double blocks = 0, equivalent = 0, change = 0;
  double bias = 0;  // of the estimate
};

constexpr int kCourses = 2'000;

Means means_of(const Looks& looks, double sd, double effect) {
  Dice dice(43);
  std::vector<JobValues> jobs(kCourses, JobValues(1));
  for (JobValues& job : jobs) {
    for (std::uint32_t i = 0; i < looks.at.back(); ++i) job.front().push_back(effect + sd * dice.normal());
  }
  Means means;
  for (const JobEnd& end : ends_of(looks, jobs, kThreshold)) {
    means.blocks += end.blocks;
    means.equivalent += end.verdicts.front() == Verdict::equivalent ? 1 : 0;
    means.change += end.verdicts.front() == Verdict::improvement ? 1 : 0;
    means.bias += end.figures.front().estimate - effect;
  }
  for (double* sum : {&means.blocks, &means.equivalent, &means.change, &means.bias}) *sum /= kCourses;
  return means;
}

// Against the number of blocks that `plan` gives to rule out a difference of the threshold in 80 %, which
// finds one of twice the threshold in 90 %; and against a fixed number with the same chance to find that.
TEST(Looks, save_blocks_where_the_effect_is_large) {
  const double threshold = std::log1p(kThreshold);
  fmt::print("{:>18}{:>9}{:>6}{:>8}{:>8}{:>11}{:>12}{:>18}{:>22}\n", "spread/threshold", "planned", "most",
             "effect", "blocks", "decided %", "planned %", "bias/threshold", "fixed, as often right");
  for (const double spread : {1.0, 1.5}) {
    const double sd = spread * threshold;
    const std::uint32_t planned = *blocks_for_equivalence({.sd = sd, .effect = threshold});
    for (const std::uint32_t most : {planned * 3 / 2, planned * 2}) {
      for (const double effect : {0.0, 0.5, 1.0, 2.0, 3.0}) {
        const Means course = means_of(looks_of(most, 1), sd, effect * threshold);
        const Means fixed = means_of({.at = {planned}, .level = 0.95}, sd, effect * threshold);
        const double decided = effect < 1 ? course.equivalent : course.change;
        const double by_planned = effect < 1 ? fixed.equivalent : fixed.change;
        // As many have the same chance to find an effect of twice the threshold.
        const std::uint32_t equal =
            effect == 2 ? analysis::blocks({.sd = sd, .effect = threshold, .power = decided}).value_or(0) : 0;
        fmt::print("{:>18.1f}{:>9}{:>6}{:>8.1f}{:>8.1f}{:>11.1f}{:>12.1f}{:>+18.2f}{:>22}\n", spread, planned,
                   most, effect, course.blocks, 100 * decided, 100 * by_planned, course.bias / threshold,
                   equal > 0 ? std::to_string(equal) : "");
        // What `plan` says of it, from 500 jobs.
        const Course told = course_of(
            {.sd = sd, .effect = effect * threshold, .threshold = kThreshold, .most = most, .figures = 1});
        EXPECT_NEAR(told.blocks, course.blocks, 0.05 * most) << effect;
        EXPECT_NEAR(told.decided, course.equivalent + course.change, 0.08) << effect;
        if (effect == 0 || effect >= 2) {
          EXPECT_GE(decided, by_planned) << effect;
        }
        if (effect == 2) {
          EXPECT_LT(course.blocks, planned);
          EXPECT_LT(course.blocks, 0.85 * equal);
          EXPECT_LT(course.blocks, 0.65 * most);
        }
        if (effect == 3) {
          EXPECT_LT(course.blocks, 0.65 * planned);
        }
      }
    }
  }
}

}  // namespace
}  // namespace netperfd::analysis
