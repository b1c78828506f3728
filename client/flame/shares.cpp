// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/flame/shares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "client/terminal/units.hpp"

namespace netperfctl::flame {
namespace {

constexpr double kNormal95 = 1.959964;  // 97.5 % of the standard normal distribution are below it

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

}  // namespace netperfctl::flame
