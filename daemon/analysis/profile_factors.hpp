// What a function costs for each byte and packet of a run, and why.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "daemon/model/function_profile.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::analysis {

// The self time is the corrected one where that is known. ns per byte = packets per byte, which is the run's,
// times calls per packet times ns per call. Absent where the divisor is unknown or 0.
struct ProfileFactors {
  std::optional<double> self_ns_per_byte;  // of goodput
  std::optional<double> calls_per_packet;
  std::optional<double> self_ns_per_call;
};

[[nodiscard]] ProfileFactors profile_factors(const FunctionStats& function, const Traffic& traffic);

struct ProfileSums {
  std::uint64_t hits = 0;
  std::uint64_t self_ns = 0;
  std::optional<std::uint64_t> corrected_self_ns;  // absent where that of any function is, or there is none
};

[[nodiscard]] ProfileSums profile_sums(const std::vector<FunctionStats>& functions);

}  // namespace netperfd::analysis
