// SPDX-License-Identifier: GPL-2.0-or-later
// Arithmetic on model's Histogram.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "daemon/model/function_profile.hpp"

namespace netperfd::analysis {

inline constexpr std::uint32_t kHistogramStepBits = 5;
inline constexpr std::uint32_t kHistogramSteps = 1U << kHistogramStepBits;  // between powers of two

// The shift leaves the highest bit and the five below it. Without a shift the number is the value itself, so
// the one-nanosecond buckets join the others without a gap.
[[nodiscard]] inline std::uint32_t bucket_of(std::uint64_t value) {
  if (value < kHistogramSteps) return static_cast<std::uint32_t>(value);
  const auto shift = static_cast<std::uint32_t>(std::bit_width(value)) - 1 - kHistogramStepBits;
  return kHistogramSteps * shift + static_cast<std::uint32_t>(value >> shift);
}
// The smallest value of a bucket, and how many values it covers.
[[nodiscard]] std::uint64_t bucket_begin(std::uint32_t bucket);
[[nodiscard]] std::uint64_t bucket_width(std::uint32_t bucket);

// The value at or below which `fraction` (0 to 1) of the counted values lie: the middle of its bucket. 0 if
// nothing was counted.
[[nodiscard]] std::uint64_t quantile(const Histogram& histogram, double fraction);
// The same, but within its bucket as far as its rank is among those of the bucket. The difference from the
// exact value is below the width of the bucket.
[[nodiscard]] std::uint64_t interpolated_quantile(const Histogram& histogram, double fraction);
[[nodiscard]] std::uint64_t count(const Histogram& histogram);
void merge(Histogram& into, const Histogram& from);

// A histogram that grows as values come.
class HistogramCounter {
 public:
  void add(std::uint64_t value) {
    const auto bucket = bucket_of(value);
    if (bucket >= counts_.size()) counts_.resize(bucket + 1);
    ++counts_[bucket];
  }
  [[nodiscard]] bool any() const { return !counts_.empty(); }
  [[nodiscard]] Histogram histogram() const;

 private:
  std::vector<std::uint64_t> counts_;
};

}  // namespace netperfd::analysis
