// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace netperfd {
namespace {

constexpr std::size_t kPrefixDistance = 1;

std::string_view base_of(std::string_view name) {
  return name.substr(0, name.find('.'));
}

// Number of letters to insert, delete or change to turn one into the other; limit + 1 for anything above
// `limit`.
std::size_t edit_distance(std::string_view left, std::string_view right, std::size_t limit,
                          std::vector<std::size_t>& row) {
  const std::size_t longer = std::max(left.size(), right.size());
  if (longer - std::min(left.size(), right.size()) > limit) return limit + 1;
  row.resize(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::size_t diagonal = row[0];
    std::size_t lowest = row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t change = diagonal + (left[i - 1] == right[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
      lowest = std::min(lowest, row[j]);
    }
    // No later row can get below this row's minimum.
    if (lowest > limit) return limit + 1;
  }
  return std::min(row[right.size()], limit + 1);
}

struct Found {
  std::size_t distance;
  std::size_t length_difference;
  std::string_view name;

  bool operator<(const Found& other) const {
    return std::tie(distance, length_difference, name) <
           std::tie(other.distance, other.length_difference, other.name);
  }
};

}  // namespace

std::vector<std::string> nearest_names(std::string_view wanted,
                                       std::span<const std::string_view> candidates) {
  if (wanted.empty()) return {};
  const std::string_view wanted_base = base_of(wanted);
  // A third of the letters may differ: more would make any short name the neighbour of any other.
  const std::size_t limit = std::clamp<std::size_t>(wanted.size() / 3, 1, 6);
  std::vector<std::size_t> row;
  std::vector<Found> found;
  for (const std::string_view name : candidates) {
    std::size_t distance = 0;
    if (base_of(name) != wanted_base) {
      distance = edit_distance(wanted, name, limit, row);
      if (wanted.size() >= 3 && name.starts_with(wanted))
        distance = std::min(distance, kPrefixDistance);
      else if (distance > limit)
        continue;
    }
    const std::size_t difference =
        std::max(name.size(), wanted.size()) - std::min(name.size(), wanted.size());
    found.push_back({distance, difference, name});
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> result;
  for (const Found& one : found) {
    if (result.size() == kNearestNames) break;
    if (result.empty() || result.back() != one.name) result.emplace_back(one.name);
  }
  return result;
}

std::string nearest_clause(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  return fmt::format("; the nearest {} {}", names.size() == 1 ? "is" : "are", fmt::join(names, ", "));
}

bool has_wildcards(std::string_view pattern) {
  return pattern.find_first_of("*?[") != std::string_view::npos;
}

}  // namespace netperfd
