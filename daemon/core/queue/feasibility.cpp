// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/queue/feasibility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/rank_statistics.hpp"
#include "daemon/core/queue/early_end.hpp"
#include "daemon/model/answers.hpp"

namespace netperfd::core {
namespace {

// Each letter has a boot of its own, and so each side two in a block (Grouping).
constexpr std::uint32_t kBootsOfSide = 2;

// Intervals that hold together: of each figure, in a sweep at each point.
std::size_t intervals_of(const JobSpec& spec) {
  const std::size_t points = spec.design ? std::max(spec.design->points(), 1U) : 1;
  return points * std::max<std::size_t>(spec.figures.size(), 1);
}

double level_of(const JobSpec& spec) {
  const double level = spec.until_decided ? looks_of(spec).level : analysis::ComparisonSettings{}.level;
  return analysis::level_of_each(level, intervals_of(spec));
}

// "an interval takes", "the intervals of 2 figures together take" or "the intervals of 9 points together
// take"
std::string interval_takes(const JobSpec& spec) {
  const std::size_t figures = std::max<std::size_t>(spec.figures.size(), 1);
  const std::uint32_t points = spec.design->points();
  if (points == 0 && figures < 2) return "an interval takes";
  if (points == 0) return fmt::format("the intervals of {} figures together take", figures);
  if (figures < 2) return fmt::format("the intervals of {} points together take", points);
  return fmt::format("the intervals of {} figures at {} points together take", figures, points);
}

std::string plural(std::uint64_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// Empty: there are enough.
std::string too_few_blocks(const JobSpec& spec) {
  const auto fewest = fewest_blocks(spec);
  if (!fewest) return {};
  const std::uint32_t builds = spec.design->builds();
  if (builds > 0 && builds < *fewest) {
    return fmt::format(
        "{} pairs of builds are too few: {} {}. Give `design.a.builds` and `design.b.builds` {} "
        "each, and set `repeat: {}`",
        builds, interval_takes(spec), *fewest, *fewest, std::max(*fewest, spec.repeat));
  }
  if (spec.repeat >= *fewest) return {};
  const std::string blocks = plural(spec.repeat, "block");
  if (!spec.design->reboots) {
    return fmt::format("{} {} too few: {} {}. Set `{}: {}`", blocks, spec.repeat == 1 ? "is" : "are",
                       interval_takes(spec), *fewest, spec.until_decided ? "until.most" : "repeat", *fewest);
  }
  const std::uint32_t boots = analysis::fewest_for_mann_whitney(level_of(spec));
  return fmt::format("{}, each with {} boots of a side, {} too few: {} {} boots a side. Set `repeat: {}`",
                     blocks, kBootsOfSide, spec.repeat == 1 ? "is" : "are", interval_takes(spec), boots,
                     *fewest);
}

std::string mebibytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1U << 20U));
}

}  // namespace

std::optional<std::uint32_t> fewest_blocks(const JobSpec& spec) {
  // A pilot shows how much runs spread, which a few blocks do.
  if (!spec.design || spec.purpose == JobPurpose::pilot) return std::nullopt;
  const double level = level_of(spec);
  if (!spec.design->reboots) return analysis::fewest_for_signed_rank(level);
  return (analysis::fewest_for_mann_whitney(level) + kBootsOfSide - 1) / kBootsOfSide;
}

std::vector<std::string> why_no_answer(const JobSpec& spec) {
  std::vector<std::string> reasons;
  if (std::string reason = too_few_blocks(spec); !reason.empty()) reasons.push_back(std::move(reason));
  std::ranges::move(too_few_answers(spec), std::back_inserter(reasons));
  return reasons;
}

std::string too_little_room(std::uint64_t runs, std::uint64_t bytes_of_run, std::uint64_t room) {
  if (bytes_of_run == 0 || runs <= room / bytes_of_run) return {};
  return fmt::format(
      "{} of {} each, as in this user's last job of the name, do not fit into the {} that the "
      "store has left above `store.min_free`. Make room on its file system, or measure {} at "
      "most",
      plural(runs, "run"), mebibytes(bytes_of_run), mebibytes(room), plural(room / bytes_of_run, "run"));
}

}  // namespace netperfd::core
