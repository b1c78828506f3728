// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/intervals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

#include "daemon/workload/iperf3/impossible.hpp"
#include "daemon/workload/quality_flags.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfd::workload {
namespace {

using rows::plain_number;

using Rows = std::vector<const Interval*>;

constexpr double kLongestSeconds = 1e9;  // limits the values accepted from a broken document

double length(const Interval& interval) {
  return interval.end_s - interval.start_s;
}

// If its server hangs or is gone, a client prints its last interval again.
bool repeats(const IntervalFigures& row, const IntervalFigures& before) {
  if (row.sums.empty() || row.sums.size() != before.sums.size()) return false;
  const Figures& now = row.sums.front();
  const Figures& then = before.sums.front();
  return now.start && now.start == then.start && now.end == then.end && now.bytes == then.bytes &&
         now.omitted == then.omitted;
}

// Converts the intervals row by row.
class Conversion {
 public:
  Conversion(const Possible& possible, const TestSpec& asked, std::vector<Interval>& intervals)
      : possible_(possible), asked_(asked), intervals_(intervals) {}

  void append(const IntervalFigures& row) {
    const auto& figures = row.sums.empty() ? row.streams : row.sums;
    const bool omitted = !figures.empty() && figures.front().omitted.value_or(false);
    const double before = omitted == omitted_ ? end_s_ : 0;  // times begin anew behind the omitted part
    omitted_ = omitted;
    for (const Figures& stream : row.streams) add(stream, false, before);
    for (const Figures& sum : row.sums) add(sum, true, before);
  }

  [[nodiscard]] std::size_t unreadable() const { return unreadable_; }
  SetAside aside;

 private:
  void add(Figures figures, bool is_sum, double before) {
    const std::optional<double> start = figures.start, end = figures.end, seconds = figures.seconds;
    if (possible_.mend_times(figures, before)) {
      aside.add([&] {
        return fmt::format("an interval from {} s to {} s, of {} s", plain_number(start.value_or(0), 9),
                           plain_number(end.value_or(0), 9), plain_number(seconds.value_or(0), 9));
      });
    }
    const auto interval = to_interval(figures, asked_);
    if (!interval || interval->stream.has_value() == is_sum) {
      ++unreadable_;
      return;
    }
    end_s_ = interval->end_s;
    intervals_.push_back(*interval);
  }

  const Possible& possible_;
  const TestSpec& asked_;
  std::vector<Interval>& intervals_;
  std::size_t unreadable_ = 0;
  double end_s_ = 0;
  bool omitted_ = false;
};

template <class Number>
void accumulate(std::optional<Number>& sum, const std::optional<Number>& value) {
  if (value) sum = sum.value_or(0) + *value;
}

CountedPart add_up(const Rows& rows) {
  CountedPart part;
  std::uint64_t rtt_sum = 0;
  std::uint64_t rtt_count = 0;
  std::size_t counted_retransmits = 0;
  for (const Interval* row : rows) {
    if (row->omitted) {
      part.omitted_s += length(*row);
      part.omitted_bytes += row->bytes.value_or(0);
      continue;
    }
    ++part.intervals;
    part.covered_s = row->end_s;
    part.bytes += row->bytes.value_or(0);
    if (row->bytes.value_or(0) > 0) part.last_byte_s = row->end_s;
    accumulate(part.retransmits, row->retransmits);
    accumulate(part.packets, row->packets);
    counted_retransmits += row->retransmits ? 1U : 0U;
    if (row->snd_cwnd) part.max_snd_cwnd = std::max(part.max_snd_cwnd.value_or(0), *row->snd_cwnd);
    if (!row->rtt) continue;
    part.min_rtt = std::min(part.min_rtt.value_or(*row->rtt), *row->rtt);
    part.max_rtt = std::max(part.max_rtt.value_or(0), *row->rtt);
    rtt_sum += *row->rtt;
    ++rtt_count;
  }
  part.quiet_s = part.covered_s - part.last_byte_s;
  if (rtt_count > 0) part.mean_rtt = rtt_sum / rtt_count;
  // The sum of a part of them would read as that of all.
  if (counted_retransmits < part.intervals) part.retransmits.reset();
  return part;
}

// Raises the flags of one direction's sums.
class Inspection {
 public:
  Inspection(Direction direction, const Rows& rows, const TestSpec& asked, std::vector<QualityFlag>& flags)
      : direction_(to_string(direction)), interval_s_(in_seconds(asked.traffic.interval)), flags_(flags) {
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(counted_),
                 [](const Interval* row) { return !row->omitted; });
  }

  // Seconds that no interval covers. A late start of the first interval counts as a gap only if nothing was
  // omitted, since the start of an interval that spans the end of the omitted part is meaningless.
  double find_gaps(bool omits) {
    double missing_s = 0;
    std::size_t gaps = 0;
    double expected = 0;
    for (const Interval* row : counted_) {
      const double gap = row->start_s - expected;
      if (gap > tolerance() && !(omits && row == counted_.front())) {
        missing_s += gap;
        ++gaps;
      }
      expected = row->end_s;
    }
    if (gaps > 0) {
      add_flag(
          flags_, Quality::missing_intervals,
          fmt::format("{}: the intervals leave {} gap(s) of together {:.2f} s", direction_, gaps, missing_s));
    }
    return missing_s;
  }

  void find_odd() {
    const Interval* first = nullptr;
    std::size_t count = 0;
    for (const Interval* row : counted_) {
      const bool wrong_seconds = std::abs(row->seconds - length(*row)) > std::max(0.001, 0.01 * row->seconds);
      const bool is_tail = row == counted_.back();
      const bool wrong_length = length(*row) > 1.5 * interval_s_ ||
                                (!is_tail && !wrong_seconds && length(*row) < 0.5 * interval_s_);
      if (!wrong_seconds && !wrong_length) continue;
      if (count++ == 0) first = row;
    }
    if (count == 0) return;
    add_flag(flags_, Quality::odd_intervals,
             fmt::format("{}: {} of {} intervals have a length or a rate that cannot be trusted, first the "
                         "one from {:.2f} s to {:.2f} s, for which iperf3 says {:.2f} s and {:.2f} s were "
                         "asked; the sums do not rest on it",
                         direction_, count, counted_.size(), first->start_s, first->end_s, first->seconds,
                         interval_s_));
  }

  void find_stalls() {
    const Interval* first = nullptr;
    std::size_t count = 0;
    for (const Interval* row : counted_) {
      if (row->bytes != 0 || length(*row) < 0.5 * interval_s_) continue;
      if (count++ == 0) first = row;
    }
    if (count == 0) return;
    add_flag(flags_, Quality::stalls,
             fmt::format("{}: the client moved not one byte in {} of {} intervals, first in the one from "
                         "{:.2f} s to {:.2f} s",
                         direction_, count, counted_.size(), first->start_s, first->end_s));
  }

  // A rise or fall from the first third of the test to the last that is large both in itself and compared
  // with the scatter within the thirds.
  void find_trend() {
    constexpr std::size_t kFewest = 9;
    constexpr double kLarge = 0.1;
    std::vector<double> rates;
    for (const Interval* row : counted_) {
      if (row->bits_per_second && length(*row) > 0.5 * interval_s_) rates.push_back(*row->bits_per_second);
    }
    if (rates.size() < kFewest) return;
    const std::size_t third = rates.size() / 3;
    const auto [early, early_error] = mean_and_error(std::span(rates).first(third));
    const auto [late, late_error] = mean_and_error(std::span(rates).last(third));
    const double change = late - early;
    if (early <= 0 || std::abs(change) < kLarge * early) return;
    if (std::abs(change) < 4 * std::hypot(early_error, late_error)) return;
    add_flag(flags_, Quality::trend,
             fmt::format("{}: the rate went from {} Mbit/s in the first third of the test to {} "
                         "Mbit/s in the last ({:+.0f} %); the sum is the mean over all of it",
                         direction_, plain_number(early / 1e6, 4), plain_number(late / 1e6, 4),
                         100 * change / early));
  }

 private:
  std::string_view direction_;
  double interval_s_;
  std::vector<QualityFlag>& flags_;
  Rows counted_;

  [[nodiscard]] double tolerance() const { return std::max(0.01, 0.1 * interval_s_); }

  static std::pair<double, double> mean_and_error(std::span<const double> values) {
    const auto n = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    return {mean, std::sqrt(squares / (n - 1) / n)};
  }
};

CountedPart inspect_direction(Direction direction, const Rows& rows, const TestSpec& asked,
                              std::vector<QualityFlag>& flags) {
  CountedPart part = add_up(rows);
  if (rows.empty()) return part;
  Inspection inspection(direction, rows, asked, flags);
  part.covered_s -= inspection.find_gaps(asked.traffic.omit.count() > 0);
  inspection.find_odd();
  inspection.find_stalls();
  inspection.find_trend();
  // If the omitted part is not a multiple of the interval, its remainder is never printed.
  const auto interval = std::max(asked.traffic.interval, std::chrono::milliseconds(1));
  const double whole_omitted_s = in_seconds(interval * (asked.traffic.omit / interval));
  if (part.omitted_s < 0.95 * whole_omitted_s) {
    add_flag(flags, Quality::omit_short,
             fmt::format("{}: {:.2f} s at the beginning were omitted, {:.0f} s were asked; the figures may "
                         "contain a part of the start",
                         to_string(direction), part.omitted_s, in_seconds(asked.traffic.omit)));
  }
  return part;
}

void find_idle_streams(const std::map<std::int64_t, CountedPart>& streams, std::vector<QualityFlag>& flags) {
  std::string idle;
  std::size_t count = 0;
  for (const auto& [socket, part] : streams) {
    if (part.intervals == 0 || part.bytes > 0) continue;
    idle += fmt::format("{}{}", count++ > 0 ? ", " : "", socket);
  }
  if (count == 0) return;
  add_flag(flags, Quality::idle_streams,
           fmt::format("{} of {} streams moved not one byte: {}", count, streams.size(), idle));
}

}  // namespace

Direction direction_of(const Figures& figures, const TestSpec& asked) {
  if (asked.traffic.direction != Direction::both) return asked.traffic.direction;
  return figures.sender.value_or(true) ? Direction::send : Direction::receive;
}

std::optional<Interval> to_interval(const Figures& figures, const TestSpec& asked) {
  if (!figures.start || !figures.end || !figures.bytes) return std::nullopt;
  if (!(*figures.start >= 0 && *figures.end >= *figures.start && *figures.end < kLongestSeconds))
    return std::nullopt;
  Interval interval;
  interval.direction = direction_of(figures, asked);
  interval.stream = figures.socket;
  interval.sender = interval.direction == Direction::send;  // live lines come from the client
  interval.omitted = figures.omitted.value_or(false);
  interval.start_s = *figures.start;
  interval.end_s = *figures.end;
  interval.seconds = figures.seconds.value_or(length(interval));
  interval.bytes = figures.bytes;
  interval.bits_per_second = figures.bits_per_second;
  interval.retransmits = figures.retransmits;
  interval.snd_cwnd = figures.snd_cwnd;
  interval.rtt = figures.rtt;
  interval.rttvar = figures.rttvar;
  interval.pmtu = figures.pmtu;
  interval.jitter_ms = figures.jitter_ms;
  interval.packets = figures.packets;
  interval.lost_packets = figures.lost_packets;
  interval.lost_percent = figures.lost_percent;
  return interval;
}

IntervalTotals read_intervals(const Iperf3Document& document, const TestSpec& asked, ParsedReport& parsed) {
  WorkloadReport& report = parsed.report;
  const Possible possible(document, asked);
  // At once: of a long test, a vector that grows takes three times the memory.
  report.intervals.reserve(std::transform_reduce(
      document.intervals.begin(), document.intervals.end(), report.intervals.size(), std::plus{},
      [](const IntervalFigures& row) { return row.streams.size() + row.sums.size(); }));
  Conversion conversion(possible, asked, report.intervals);
  std::size_t repeated = 0;
  const IntervalFigures* before = nullptr;
  for (const IntervalFigures& row : document.intervals) {
    if (before != nullptr && repeats(row, *before)) {
      ++repeated;
      continue;
    }
    conversion.append(row);
    before = &row;
  }
  if (std::ranges::any_of(document.intervals, &IntervalFigures::sums_computed)) {
    add_flag(parsed.flags, Quality::sums_computed,
             "intervals lack their sums; those were computed from the streams");
  }
  if (repeated > 0) {
    add_flag(parsed.flags, Quality::repeated_intervals,
             fmt::format("iperf3 printed {} interval(s) twice; each is used once", repeated));
  }
  if (conversion.unreadable() > 0) {
    add_flag(
        parsed.flags, Quality::unreadable_values,
        fmt::format("{} interval(s) lack their times or bytes and are left out", conversion.unreadable()));
  }
  // What a server prints was counted by the server.
  for (Interval& interval : report.intervals) {
    interval.sender = interval.sender != document.of_server;
    possible.clear(interval, conversion.aside);
  }
  conversion.aside.flag(parsed.flags);
  Rows send;
  Rows receive;
  std::map<std::int64_t, Rows> streams;
  for (const Interval& interval : report.intervals) {
    Rows& sums = interval.direction == Direction::send ? send : receive;
    (interval.stream ? streams[*interval.stream] : sums).push_back(&interval);
  }
  IntervalTotals totals;
  totals.send = inspect_direction(Direction::send, send, asked, parsed.flags);
  totals.receive = inspect_direction(Direction::receive, receive, asked, parsed.flags);
  for (const auto& [socket, rows] : streams) totals.streams[socket] = add_up(rows);
  find_idle_streams(totals.streams, parsed.flags);
  return totals;
}

}  // namespace netperfd::workload
