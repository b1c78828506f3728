// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/calls/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

namespace netperfd::analysis {

std::uint64_t bucket_begin(std::uint32_t bucket) {
  if (bucket < kHistogramSteps) return bucket;
  const std::uint32_t shift = bucket / kHistogramSteps - 1;
  return std::uint64_t{bucket % kHistogramSteps + kHistogramSteps} << shift;
}

std::uint64_t bucket_width(std::uint32_t bucket) {
  return bucket < kHistogramSteps ? 1 : std::uint64_t{1} << (bucket / kHistogramSteps - 1);
}

std::uint64_t count(const Histogram& histogram) {
  std::uint64_t sum = 0;
  for (const auto& [bucket, number] : histogram.buckets) sum += number;
  return sum;
}

namespace {

// Where the value of a rank is: its bucket, and its rank among the values of the bucket, from 1.
struct Place {
  std::uint32_t bucket = 0;
  std::uint64_t rank = 0, of = 0;
};

// Absent if nothing was counted.
std::optional<Place> place_of(const Histogram& histogram, double fraction) {
  const std::uint64_t all = count(histogram);
  if (all == 0) return std::nullopt;
  const double place = std::ceil(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(all));
  std::uint64_t left = std::clamp(static_cast<std::uint64_t>(place), std::uint64_t{1}, all);
  for (const auto& [bucket, number] : histogram.buckets) {
    if (left <= number) return Place{bucket, left, number};
    left -= number;
  }
  return std::nullopt;
}

}  // namespace

std::uint64_t quantile(const Histogram& histogram, double fraction) {
  const auto place = place_of(histogram, fraction);
  return place ? bucket_begin(place->bucket) + (bucket_width(place->bucket) - 1) / 2 : 0;
}

std::uint64_t interpolated_quantile(const Histogram& histogram, double fraction) {
  const auto place = place_of(histogram, fraction);
  if (!place) return 0;
  const double part = (static_cast<double>(place->rank) - 0.5) / static_cast<double>(place->of);
  return bucket_begin(place->bucket) +
         static_cast<std::uint64_t>(part * static_cast<double>(bucket_width(place->bucket)));
}

void merge(Histogram& into, const Histogram& from) {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> both;
  both.reserve(into.buckets.size() + from.buckets.size());
  std::ranges::merge(into.buckets, from.buckets, std::back_inserter(both), {},
                     &std::pair<std::uint32_t, std::uint64_t>::first,
                     &std::pair<std::uint32_t, std::uint64_t>::first);
  into.buckets.clear();
  for (const auto& [bucket, number] : both) {
    if (!into.buckets.empty() && into.buckets.back().first == bucket) {
      into.buckets.back().second += number;
    } else {
      into.buckets.emplace_back(bucket, number);
    }
  }
}

Histogram HistogramCounter::histogram() const {
  Histogram histogram;
  for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
    if (counts_[bucket] > 0) {
      histogram.buckets.emplace_back(static_cast<std::uint32_t>(bucket), counts_[bucket]);
    }
  }
  return histogram;
}

}  // namespace netperfd::analysis
