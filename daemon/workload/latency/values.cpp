// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/latency/values.hpp"

#include <algorithm>
#include <utility>

#include "daemon/analysis/calls/histogram.hpp"
#include "daemon/model/percentile.hpp"

namespace netperfd::workload {
namespace {

constexpr std::uint64_t kMostNs = std::uint64_t{1} << 62U;

std::optional<Histogram> histogram_of(const Json* buckets) {
  if (buckets == nullptr || !buckets->is_array()) return std::nullopt;
  Histogram histogram;
  for (const Json& pair : *buckets) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_unsigned() ||
        !pair[1].is_number_unsigned()) {
      return std::nullopt;
    }
    const auto bucket = pair[0].get<std::uint64_t>();
    const auto values = pair[1].get<std::uint64_t>();
    const bool grows = histogram.buckets.empty() || bucket > histogram.buckets.back().first;
    if (!grows || bucket > analysis::bucket_of(kMostNs) || values == 0 || values > kMostNs)
      return std::nullopt;
    histogram.buckets.emplace_back(static_cast<std::uint32_t>(bucket), values);
  }
  return histogram;
}

}  // namespace

std::optional<std::uint64_t> percentile(const SpanValues& values, double fraction) {
  if (!are_enough(values.count, fraction)) return std::nullopt;
  return std::clamp(analysis::interpolated_quantile(values.histogram, fraction), values.min_ns,
                    std::max(values.min_ns, values.max_ns));
}

std::optional<SpanValues> values_of(const Json& span) {
  if (!span.is_object()) return std::nullopt;
  LatencyLine line(span);
  SpanValues values{.count = line.count("count"),
                    .sum_ns = line.count("sum_ns"),
                    .min_ns = line.count("min_ns"),
                    .max_ns = line.count("max_ns"),
                    .histogram = {}};
  auto histogram = histogram_of(value_at(span, "buckets"));
  if (line.damaged() || !histogram || analysis::count(*histogram) != values.count) return std::nullopt;
  values.histogram = std::move(*histogram);
  return values;
}

void add(SpanValues& into, const SpanValues& from) {
  if (from.count == 0) return;
  into.min_ns = into.count == 0 ? from.min_ns : std::min(into.min_ns, from.min_ns);
  into.max_ns = std::max(into.max_ns, from.max_ns);
  into.count += from.count;
  into.sum_ns += from.sum_ns;
  analysis::merge(into.histogram, from.histogram);
}

}  // namespace netperfd::workload
