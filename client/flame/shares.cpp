// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/flame/shares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "client/terminal/units.hpp"

namespace netperfctl::flame {
namespace {

constexpr double kNormal95 = 1.959964;  // 97.5 % of the standard normal distribution are below it
constexpr double kFewestExpected = 5;

}  // namespace

std::string share_with_interval(const Part& part) {
  const auto all = static_cast<double>(part.of);
  const double share = part.share();
  const double square = kNormal95 * kNormal95;
  const double middle = (share + square / (2 * all)) / (1 + square / all);
  const double half =
      kNormal95 / (1 + square / all) * std::sqrt(share * (1 - share) / all + square / (4 * all * all));
  return fmt::format("{} (95 % interval: {} to {})", format_share(share),
                     format_share(std::max(0.0, middle - half)), format_share(std::min(1.0, middle + half)));
}

std::optional<double> p_of_difference(const Part& a, const Part& b) {
  if (a.of == 0 || b.of == 0) return {};
  const auto of_a = static_cast<double>(a.of);
  const auto of_b = static_cast<double>(b.of);
  const double pooled = static_cast<double>(a.count + b.count) / (of_a + of_b);
  if (std::min(pooled, 1 - pooled) * std::min(of_a, of_b) < kFewestExpected) return {};
  const double error = std::sqrt(pooled * (1 - pooled) * (1 / of_a + 1 / of_b));
  return std::erfc(std::abs(a.share() - b.share()) / error / std::numbers::sqrt2);
}

std::vector<bool> discoveries(std::span<const std::optional<double>> p, double rate) {
  std::vector<double> tested;
  for (const auto& each : p) {
    if (each) tested.push_back(*each);
  }
  std::ranges::sort(tested);
  double bound = -1;
  for (std::size_t i = 0; i < tested.size(); ++i) {
    if (tested[i] <= rate * static_cast<double>(i + 1) / static_cast<double>(tested.size()))
      bound = tested[i];
  }
  std::vector<bool> found;
  found.reserve(p.size());
  for (const auto& each : p) found.push_back(each && *each <= bound);
  return found;
}

}  // namespace netperfctl::flame
