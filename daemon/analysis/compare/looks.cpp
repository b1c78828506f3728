// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/looks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/rank_statistics.hpp"
#include "dbus/rows/found.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfd::analysis {
namespace {

constexpr std::uint32_t kMostLooks = 5;
// More looks at nearly the same blocks would learn little and take their share of the level.
constexpr double kLeastGrowth = 4.0 / 3;

// Evenly spaced on a scale of ratios: an effect half as large takes four times as many blocks.
std::vector<std::uint32_t> spaced(std::uint32_t first, std::uint32_t most, std::uint32_t looks) {
  std::vector<std::uint32_t> at;
  for (std::uint32_t i = 0; i < looks; ++i) {
    const double part = static_cast<double>(i) / (looks - 1);
    at.push_back(static_cast<std::uint32_t>(std::lround(first * std::pow(double{1} * most / first, part))));
  }
  return at;
}

std::string percent(double share) {
  return rows::plain_percent(100 * share, 4) + " %";
}

}  // namespace

Looks looks_of(std::uint32_t most, std::size_t figures, double level) {
  for (std::uint32_t looks = kMostLooks; looks > 1; --looks) {
    const double of_each = level_of_each(level, looks);
    const std::uint32_t first = fewest_for_signed_rank(level_of_each(of_each, figures));
    if (most >= first * std::pow(kLeastGrowth, looks - 1))
      return {.at = spaced(first, most, looks), .level = of_each};
  }
  return {.at = {most}, .level = level};
}

bool is_look(const Looks& looks, std::uint32_t blocks) {
  return std::ranges::binary_search(looks.at, blocks);
}

std::optional<std::uint32_t> next_look(const Looks& looks, std::uint32_t blocks) {
  const auto next = std::ranges::upper_bound(looks.at, blocks);
  return next == looks.at.end() ? std::nullopt : std::optional(*next);
}

bool is_decided(Verdict verdict) {
  return verdict == Verdict::improvement || verdict == Verdict::regression || verdict == Verdict::equivalent;
}

double looks_taken(const std::optional<LookedAt>& looked) {
  return looked ? static_cast<double>(looked->looks.at.size()) : 1;
}

double sharers_of(double level, const std::optional<LookedAt>& looked) {
  constexpr double kRounded = 1 - 1e-12;
  return std::max(looks_taken(looked), rows::kFoundAtMost / (1 - level) * kRounded);
}

std::string words_of(const LookedAt& looked) {
  const auto& [looks, blocks] = looked;
  const std::size_t count = looks.at.size();
  const std::uint32_t most = looks.at.back();
  const auto place = std::ranges::lower_bound(looks.at, blocks) - looks.at.begin();
  std::string words;
  if (is_look(looks, blocks)) {
    if (count == 1) return {};
    words = fmt::format("Look {} of {}, after {} of at most {} blocks.", place + 1, count, blocks, most);
  } else if (place == 0) {
    words = fmt::format("After {} of at most {} blocks, before the first look at {}.", blocks, most,
                        looks.at.front());
  } else {
    words = fmt::format(
        "After {} of at most {} blocks, between looks {} and {} of {}: if the job was stopped "
        "for what it showed, the interval promises less than its level.",
        blocks, most, place, place + 1, count);
  }
  if (count > 1) {
    words += fmt::format(" The intervals have {} at each look, so that they hold in {} over all looks.",
                         percent(looks.level), percent(1 - (1 - looks.level) * static_cast<double>(count)));
  }
  if (blocks < most) words += " After an early stop, estimates are too far from no change on average.";
  return words;
}

}  // namespace netperfd::analysis
