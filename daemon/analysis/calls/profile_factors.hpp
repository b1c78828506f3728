// SPDX-License-Identifier: GPL-2.0-or-later
// Cost of a function for each byte and packet of a run, split into its factors.
#pragma once

#include <cstdint>
#include <optional>

#include "daemon/model/function_profile.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::analysis {

// The self time is the corrected one if that is known. ns per byte = packets per byte (a figure of the run)
// times calls per packet times ns per call. Absent if the time or the divisor is
// unknown, or the divisor is 0.
struct ProfileFactors {
  std::optional<double> self_ns_per_byte;  // of goodput
  std::optional<double> calls_per_packet;
  std::optional<double> self_ns_per_call;
};

[[nodiscard]] ProfileFactors profile_factors(const FunctionStats& function, const TrafficCount& traffic);

}  // namespace netperfd::analysis
