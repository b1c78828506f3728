// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/calls/profile_factors.hpp"

namespace netperfd::analysis {
namespace {

std::optional<double> ratio(std::optional<std::uint64_t> dividend, std::optional<std::uint64_t> divisor) {
  if (!dividend || divisor.value_or(0) == 0) return std::nullopt;
  return static_cast<double>(*dividend) / static_cast<double>(*divisor);
}

}  // namespace

ProfileFactors profile_factors(const FunctionStats& function, const TrafficCount& traffic) {
  const auto self_ns = function.corrected_self_ns ? function.corrected_self_ns : function.self_ns;
  const auto packets = traffic.packets ? std::optional{traffic.packets->packets} : std::nullopt;
  return {.self_ns_per_byte = ratio(self_ns, traffic.goodput_bytes),
          .calls_per_packet = ratio(function.hits, packets),
          .self_ns_per_call = ratio(self_ns, function.hits)};
}

}  // namespace netperfd::analysis
