// SPDX-License-Identifier: GPL-2.0-or-later
// Counts by time in bounded memory, although time 0 becomes known only during the run.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace netperfd::trace {

// Rows of counters over one time axis. When the counted times no longer fit into `capacity` buckets, pairs of
// buckets are merged.
class TimeGrid {
 public:
  // Times before `origin`, or more than `reach` after it, are not counted: they are damaged, and one of them
  // would make all buckets far too wide. `first` is a time at which the axis begins.
  TimeGrid(std::uint64_t origin, std::uint64_t reach, std::uint64_t first, std::uint64_t width,
           std::size_t capacity);

  void add(std::size_t row, std::uint64_t time, std::uint64_t count = 1) {
    if (time - bucket_begin_ >= bucket_width_ && !locate(time)) return;
    if (row >= rows_.size()) rows_.resize(row + 1);
    rows_[row].pending += count;
  }

  [[nodiscard]] std::uint64_t width() const { return width_; }
  [[nodiscard]] std::size_t rows() const { return rows_.size(); }
  // From the origin's bucket on.
  [[nodiscard]] std::vector<std::uint64_t> counts(std::size_t row);
  // Adds all counts to `other`, each bucket at its middle, but not before `earliest`.
  void pour_into(TimeGrid& other, std::uint64_t earliest);

 private:
  struct Row {
    std::uint64_t first = 0;  // the bucket of counts[0]
    std::vector<std::uint64_t> counts;
    std::uint64_t pending = 0;  // counts in the latest time's bucket that are not added yet
  };
  bool locate(std::uint64_t time);
  void settle();
  void coarsen();
  static void stretch(Row& row, std::uint64_t bucket);

  std::uint64_t origin_;
  std::uint64_t reach_;
  std::uint64_t width_;
  std::size_t capacity_;
  std::uint64_t low_;         // the buckets counted so far,
  std::uint64_t high_;        // both ends included
  std::uint64_t bucket_ = 0;  // of the latest time, usually also that of the next one,
  std::uint64_t bucket_begin_ = 0;
  std::uint64_t bucket_width_ = 0;  // and its width; 0: none yet
  std::vector<Row> rows_;
};

// The CPUs are read one after another, so events later than the release may be read before its mark. Until
// the mark is read, counts are kept in narrow buckets (1/512 s during the first two seconds, wider later).
// Then those after the mark are moved into the slices. So a slice is exact for every event added after the
// mark, and one added before it may be off by half a narrow bucket.
class TimeSlices {
 public:
  explicit TimeSlices(std::size_t slices);

  void add(std::size_t row, std::uint64_t time) {
    if (!grid_) begin(time);
    grid_->add(row, time);
  }
  // Only the first call has an effect.
  void release(std::uint64_t time);
  [[nodiscard]] std::optional<std::uint64_t> released() const { return released_; }

  struct Cut {
    std::chrono::nanoseconds width{0};  // 1/128 s, or that times a power of two
    std::vector<std::vector<std::uint64_t>>
        rows;  // may have fewer rows than were counted, and no trailing zeros
  };
  // `zero` is the time of slice 0 if there was no release.
  [[nodiscard]] Cut cut(std::uint64_t zero);

 private:
  void begin(std::uint64_t time);
  [[nodiscard]] TimeGrid slices_from(std::uint64_t zero) const;

  std::size_t slices_;
  std::optional<std::uint64_t> released_;
  std::optional<TimeGrid> grid_;
};

// Maximum distance of a time from the first one, in nanoseconds, before it counts as damage: 13 days.
inline constexpr std::uint64_t kLongestTrace = std::uint64_t{1} << 50;

}  // namespace netperfd::trace
