// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/tally_slices.hpp"

#include <algorithm>

namespace netperfd::trace {
namespace {

// Whole nanoseconds whose multiples by powers of two divide a second evenly, as a workload's intervals do.
constexpr std::uint64_t kNarrowWidth = 1'953'125;  // 1/512 s
constexpr std::uint64_t kSliceWidth = 7'812'500;   // 1/128 s
constexpr std::size_t kNarrowBuckets = 1'024;

}  // namespace

TimeGrid::TimeGrid(std::uint64_t origin, std::uint64_t reach, std::uint64_t first, std::uint64_t width,
                   std::size_t capacity)
    : origin_(origin),
      reach_(reach),
      width_(width),
      capacity_(std::max<std::size_t>(capacity, 2)),
      low_((first - origin) / width),
      high_(low_) {}

bool TimeGrid::locate(std::uint64_t time) {
  if (time < origin_ || time - origin_ > reach_) return false;
  settle();
  auto bucket = (time - origin_) / width_;
  low_ = std::min(low_, bucket);
  high_ = std::max(high_, bucket);
  while (high_ - low_ >= capacity_) {
    coarsen();
    bucket /= 2;
  }
  bucket_ = bucket;
  bucket_begin_ = origin_ + bucket * width_;
  bucket_width_ = width_;
  return true;
}

void TimeGrid::settle() {
  for (Row& row : rows_) {
    if (row.pending == 0) continue;
    if (bucket_ - row.first >= row.counts.size()) stretch(row, bucket_);
    row.counts[bucket_ - row.first] += std::exchange(row.pending, 0);
  }
}

void TimeGrid::coarsen() {
  width_ *= 2;
  low_ /= 2;
  high_ /= 2;
  for (auto& row : rows_) {
    if (row.counts.empty()) continue;
    const auto first = row.first / 2;
    for (std::size_t i = 0; i < row.counts.size(); ++i) {
      const auto count = std::exchange(row.counts[i], 0);
      row.counts[(row.first + i) / 2 - first] += count;
    }
    row.counts.resize((row.first + row.counts.size() - 1) / 2 - first + 1);
    row.first = first;
  }
}

void TimeGrid::stretch(Row& row, std::uint64_t bucket) {
  if (row.counts.empty()) row.first = bucket;
  if (bucket < row.first) {
    row.counts.insert(row.counts.begin(), row.first - bucket, 0);
    row.first = bucket;
  } else {
    row.counts.resize(bucket - row.first + 1);
  }
}

std::vector<std::uint64_t> TimeGrid::counts(std::size_t row) {
  settle();
  const auto& counted = rows_[row];
  std::vector<std::uint64_t> result;
  if (counted.counts.empty()) return result;
  result.resize(counted.first);
  result.insert(result.end(), counted.counts.begin(), counted.counts.end());
  return result;
}

void TimeGrid::pour_into(TimeGrid& other, std::uint64_t earliest) {
  settle();
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    for (std::size_t i = 0; i < rows_[row].counts.size(); ++i) {
      const auto count = rows_[row].counts[i];
      const auto middle = origin_ + (rows_[row].first + i) * width_ + width_ / 2;
      if (count > 0) other.add(row, std::max(middle, earliest), count);
    }
  }
}

TimeSlices::TimeSlices(std::size_t slices) : slices_(slices) {}

void TimeSlices::begin(std::uint64_t time) {
  // The origin is this far before the first time seen, since another CPU's first may be earlier.
  const auto origin = time - std::min(time, kLongestTrace);
  grid_.emplace(origin, 2 * kLongestTrace, time, kNarrowWidth, kNarrowBuckets);
}

TimeGrid TimeSlices::slices_from(std::uint64_t zero) const {
  return {zero, kLongestTrace, zero, kSliceWidth, slices_};
}

void TimeSlices::release(std::uint64_t time) {
  if (released_) return;
  released_ = time;
  auto slices = slices_from(time);
  if (grid_) grid_->pour_into(slices, 0);
  grid_ = std::move(slices);
}

TimeSlices::Cut TimeSlices::cut(std::uint64_t zero) {
  Cut result;
  if (!grid_) return result;
  const auto take = [&](TimeGrid& grid) {
    result.width = std::chrono::nanoseconds(grid.width());
    for (std::size_t row = 0; row < grid.rows(); ++row) result.rows.push_back(grid.counts(row));
  };
  if (released_) {
    take(*grid_);
  } else {
    auto slices = slices_from(zero);
    grid_->pour_into(slices, zero);
    take(slices);
  }
  return result;
}

}  // namespace netperfd::trace
