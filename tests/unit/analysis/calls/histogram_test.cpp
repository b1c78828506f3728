// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/calls/histogram.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace netperfd::analysis {
namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

Histogram of(const std::vector<std::uint64_t>& values) {
  HistogramCounter counter;
  for (const std::uint64_t value : values) counter.add(value);
  return counter.histogram();
}

TEST(Histogram, has_a_bucket_for_each_of_the_first_32_nanoseconds) {
  for (std::uint32_t value = 0; value < 32; ++value) {
    EXPECT_EQ(bucket_of(value), value);
    EXPECT_EQ(bucket_begin(value), value);
    EXPECT_EQ(bucket_width(value), 1U);
  }
}

TEST(Histogram, has_32_equal_buckets_between_powers_of_two) {
  for (std::uint32_t power = 5; power < 64; ++power) {
    const std::uint64_t low = std::uint64_t{1} << power;
    EXPECT_EQ(bucket_of(low), 32 * (power - 4));
    EXPECT_EQ(bucket_of(low + (low - 1)), 32 * (power - 4) + 31);
    EXPECT_EQ(bucket_width(bucket_of(low)), low / 32);
    EXPECT_EQ(bucket_width(bucket_of(low + (low - 1))), low / 32);
  }
}

TEST(Histogram, has_buckets_without_gap_or_overlap) {
  for (std::uint32_t bucket = 0; bucket < bucket_of(kLargest); ++bucket) {
    const std::uint64_t next = bucket_begin(bucket) + bucket_width(bucket);
    EXPECT_EQ(bucket_begin(bucket + 1), next);
    EXPECT_EQ(bucket_of(bucket_begin(bucket)), bucket);
    EXPECT_EQ(bucket_of(next - 1), bucket);
  }
  EXPECT_EQ(bucket_begin(bucket_of(kLargest)) + (bucket_width(bucket_of(kLargest)) - 1), kLargest);
}

TEST(Histogram, gives_the_middle_of_the_bucket_of_a_quantile) {
  const Histogram histogram = of({1, 2, 3, 4, 5, 6, 7, 8, 9, 1000});
  EXPECT_EQ(quantile(histogram, 0), 1U);
  EXPECT_EQ(quantile(histogram, 0.5), 5U);
  EXPECT_EQ(quantile(histogram, 0.9), 9U);
  // 1000 lies in the bucket from 992 to 1007.
  EXPECT_EQ(quantile(histogram, 0.91), 999U);
  EXPECT_EQ(quantile(histogram, 1), 999U);
}

TEST(Histogram, gives_0_as_quantile_of_nothing) {
  EXPECT_EQ(quantile({}, 0.5), 0U);
  EXPECT_EQ(count({}), 0U);
}

TEST(Histogram, merges_as_if_all_had_been_counted_in_one) {
  Histogram merged = of({1, 5, 40, 1000, 1'000'000});
  merge(merged, of({0, 5, 41, 999, 70'000}));
  EXPECT_EQ(merged, of({1, 5, 40, 1000, 1'000'000, 0, 5, 41, 999, 70'000}));
  EXPECT_EQ(count(merged), 10U);
  Histogram nothing;
  merge(nothing, merged);
  EXPECT_EQ(nothing, merged);
  merge(nothing, {});
  EXPECT_EQ(nothing, merged);
}

}  // namespace
}  // namespace netperfd::analysis
