// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/looks_course.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <span>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/gates.hpp"

namespace netperfd::analysis {
namespace {

// The time that a course takes grows with both numbers.
constexpr std::size_t kMostJobs = 500, kMostBlocks = 50'000;

Verdict verdict_on(const Location& location, double threshold) {
  RatioEstimate effect;
  effect.ratio = std::exp(location.estimate);
  if (location.interval) {
    effect.low = std::exp(location.interval->low);
    effect.high = std::exp(location.interval->high);
  }
  return verdict_of(effect, threshold, Better::higher);
}

JobEnd look_at(const JobValues& values, std::uint32_t blocks, double level, double threshold) {
  JobEnd end{.blocks = blocks, .decided = false, .figures = {}, .verdicts = {}};
  for (const std::vector<double>& figure : values) {
    end.figures.push_back(signed_rank(std::span(figure).first(blocks), level_of_each(level, values.size())));
    end.verdicts.push_back(verdict_on(end.figures.back(), threshold));
  }
  end.decided = std::ranges::all_of(end.verdicts, is_decided);
  return end;
}

}  // namespace

// Look by look: signed_rank() counts its distribution anew whenever the number of values changes.
std::vector<JobEnd> ends_of(const Looks& looks, const std::vector<JobValues>& jobs, double threshold) {
  std::vector<JobEnd> ends(jobs.size());
  for (const std::uint32_t blocks : looks.at) {
    for (std::size_t job = 0; job < jobs.size(); ++job) {
      if (!ends[job].decided) ends[job] = look_at(jobs[job], blocks, looks.level, threshold);
    }
  }
  return ends;
}

Course course_of(const CourseQuestion& question) {
  Looks looks = looks_of(question.most, question.figures);
  looks.level = level_of_each(looks.level, question.figures);
  std::mt19937_64 engine;  // not seeded, for the same answer each time
  std::normal_distribution<double> normal;
  std::vector<JobValues> jobs(std::min(kMostJobs, kMostBlocks / std::max(question.most, 1U)), JobValues(1));
  for (JobValues& job : jobs) {
    std::vector<double>& values = job.front();
    for (std::uint32_t block = 0; block < question.most; ++block)
      values.push_back(question.effect + question.sd * normal(engine));
  }
  Course course;
  for (const JobEnd& end : ends_of(looks, jobs, question.threshold)) {
    course.blocks += end.blocks;
    course.decided += end.decided ? 1 : 0;
  }
  course.blocks /= static_cast<double>(jobs.size());
  course.decided /= static_cast<double>(jobs.size());
  return course;
}

}  // namespace netperfd::analysis
