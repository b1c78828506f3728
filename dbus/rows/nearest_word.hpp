// SPDX-License-Identifier: GPL-2.0-or-later
// The word that was probably meant by a misspelt one, for the daemon's keys and for the client's verbs and
// options.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace netperfd::rows {

// The number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
[[nodiscard]] inline std::size_t typing_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

// The candidate most likely meant by the misspelt `word`; absent if none is close.
[[nodiscard]] inline std::optional<std::string_view> nearest(std::string_view word,
                                                             std::span<const std::string_view> candidates) {
  constexpr std::size_t kLongestWord = 64;
  if (word.size() > kLongestWord) return std::nullopt;
  std::optional<std::string_view> best;
  std::size_t best_distance = std::max<std::size_t>(word.size() / 3, 1) + 1;
  for (const auto candidate : candidates) {
    const std::size_t distance = typing_distance(word, candidate);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

}  // namespace netperfd::rows
