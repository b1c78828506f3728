// SPDX-License-Identifier: GPL-2.0-or-later
// The points of a run's intervals. A run may have hundreds of thousands of intervals: they are read one by
// one.
#include <algorithm>
#include <array>
#include <cstdint>

#include "daemon/store/digests.hpp"
#include "daemon/store/rows.hpp"
#include "daemon/store/run_reader.hpp"
#include "daemon/store/store_parts.hpp"

namespace netperfd::store {
namespace {

using Series = std::array<core::IntervalSeries, core::kFewestPoints>;

// Calls `take` for each interval of the sums, with these members: what the points are made of.
template <class Take>
Status for_each_sum(Connection& connection, RunId run, Take take) {
  auto select = connection.prepare(
      "SELECT direction, sender, omitted, start_s, end_s, seconds, bytes, bits_per_second, retransmits "
      "FROM intervals WHERE run = ? AND stream IS NULL ORDER BY position");
  if (!select) return std::unexpected(select.error());
  Interval interval;
  return for_each_row(select->bind(run), [&](RowReader& row) {
    row.read(interval.direction, interval.sender, interval.omitted, interval.start_s, interval.end_s,
             interval.seconds, interval.bytes, interval.bits_per_second, interval.retransmits);
    take(interval);
  });
}

Result<std::uint64_t> count_intervals(Connection& connection, RunId run) {
  auto select = connection.prepare("SELECT count(*) FROM intervals WHERE run = ?");
  if (!select) return std::unexpected(select.error());
  const auto found = select->bind(run).step();
  if (!found) return std::unexpected(found.error());
  std::uint64_t count = 0;
  if (auto read = select->read(count); !read) return std::unexpected(read.error());
  return count;
}

// Two walks take less time than GROUP BY, and less memory than all intervals.
Result<core::IntervalPoints> read_points(Connection& connection, RunId run, std::uint32_t most) {
  const auto count = count_intervals(connection, run);
  if (!count) return std::unexpected(count.error());
  Series series;
  auto read = for_each_sum(connection, run, [&series](const Interval& interval) {
    core::IntervalSeries& one = series[core::IntervalPointMaker::series_of(interval)];
    ++one.count;
    if (interval.bits_per_second) one.longest_s = std::max(one.longest_s, interval.seconds);
  });
  if (!read) return std::unexpected(read.error());
  core::IntervalPointMaker maker{series, most};
  read = for_each_sum(connection, run, [&maker](const Interval& interval) { maker.add(interval); });
  if (!read) return std::unexpected(read.error());
  return core::IntervalPoints{.points = maker.take(), .intervals = *count};
}

}  // namespace

Result<core::IntervalPoints> RunReader::interval_points(RunId run, std::uint32_t most) {
  if (auto known = expect_run(run); !known) return std::unexpected(known.error());
  return if_intact(connection_, of_run(run), {"intervals"}, read_points(connection_, run, most));
}

Result<bool> RunReader::has_more_intervals(RunId run, std::uint32_t than) {
  if (auto known = expect_run(run); !known) return std::unexpected(known.error());
  auto select = connection_.prepare("SELECT 1 FROM intervals WHERE run = ? LIMIT 1 OFFSET ?");
  if (!select) return std::unexpected(select.error());
  return select->bind(run, than).step();
}

Result<core::IntervalPoints> SqliteStore::interval_points(RunId run, std::uint32_t most) {
  return parts_->reader.interval_points(run, most);
}

Result<bool> SqliteStore::has_more_intervals(RunId run, std::uint32_t than) {
  return parts_->reader.has_more_intervals(run, than);
}

}  // namespace netperfd::store
