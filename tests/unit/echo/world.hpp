// SPDX-License-Identifier: GPL-2.0-or-later
// A prober without sockets and without real time, on a network whose truth is known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "daemon/echo/request_tracker.hpp"

namespace netperfd::echo {

class World {
 public:
  // After how long each answer to a request arrives: none, one or several.
  using Path = std::function<std::vector<Ns>(std::uint32_t sequence)>;

  World(double rate, TrackerLimits limits, Path path)
      : tracker(limits, Schedule(rate)), path_(std::move(path)) {}

  // Time passes until `end`, at which the prober stops; then it waits for answers.
  void run(Ns end) {
    for (;;) {
      step(end);
      std::ranges::move(tracker.take_complete(), std::back_inserter(intervals));
      if (tracker.is_done()) return;
    }
  }

  RequestTracker tracker;
  std::vector<Interval> intervals;
  std::vector<std::uint32_t> sent;
  std::vector<Ns> sent_at;

  std::function<Ns(Ns)> wall = [](Ns time) { return 1'800'000'000 * kSecond + time; };
  std::vector<Ns> phases;
  std::function<bool(std::uint32_t)> has_room = [](std::uint32_t) { return true; };
  std::optional<std::pair<Ns, Ns>> stall;  // the prober does not run
  Ns delay_of_waking = 0;
  bool kernel_stamps = true;

 private:
  struct Arrival {
    Ns time;
    std::uint32_t sequence;
    bool operator>(const Arrival& other) const { return time > other.time; }
  };

  [[nodiscard]] Clocks clocks() const { return {.monotonic = now_, .wall = wall(now_)}; }

  void step(Ns end) {
    Ns next = tracker.next_end().value_or(std::numeric_limits<Ns>::max());
    if (!stopped_) next = std::min({next, tracker.next_due(), end});
    if (!phases.empty()) next = std::min(next, phases.front());
    if (!arrivals_.empty()) next = std::min(next, arrivals_.top().time);
    now_ = std::max(now_, next + delay_of_waking);
    if (stall && now_ >= stall->first && now_ < stall->second) now_ = stall->second;

    while (!arrivals_.empty() && arrivals_.top().time <= now_) {
      const Arrival arrival = arrivals_.top();
      arrivals_.pop();
      tracker.answered(
          {.sequence = arrival.sequence,
           .read = clocks(),
           .arrived = {.kernel = kernel_stamps ? std::optional(wall(arrival.time)) : std::nullopt,
                       .device = {}},
           .far = {}});
    }
    if (!stopped_ && now_ >= end) {
      tracker.stop(end);
      stopped_ = true;
    }
    if (const auto sequence = tracker.advance(now_)) send(*sequence);
    if (!phases.empty() && now_ >= phases.front()) {
      tracker.phase(now_);
      phases.erase(phases.begin());
    }
  }

  void send(std::uint32_t sequence) {
    if (!has_room(sequence)) return tracker.not_sent();
    tracker.sent(sequence, now_, clocks());
    sent.push_back(sequence);
    sent_at.push_back(now_);
    for (const Ns delay : path_(sequence)) arrivals_.push({.time = now_ + delay, .sequence = sequence});
  }

  Path path_;
  Ns now_ = 0;
  bool stopped_ = false;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
};

// The figures of all intervals as if they were one.
inline Interval sum_of(const std::vector<Interval>& intervals) {
  Interval sum;
  for (const Interval& one : intervals) {
    sum.sent += one.sent;
    sum.missed += one.missed;
    sum.late_sends += one.late_sends;
    sum.max_send_delay = std::max(sum.max_send_delay, one.max_send_delay);
    sum.received += one.received;
    sum.lost += one.lost;
    sum.late += one.late;
    sum.duplicates += one.duplicates;
    sum.reordered += one.reordered;
    sum.jitter_sum += one.jitter_sum;
    sum.jitter_count += one.jitter_count;
    for (std::size_t i = 0; i < kSpans; ++i) {
      SpanCounts& into = sum.spans[i];
      const SpanCounts& from = one.spans[i];
      if (from.count == 0) continue;
      into.min_ns = into.count == 0 ? from.min_ns : std::min(into.min_ns, from.min_ns);
      into.max_ns = std::max(into.max_ns, from.max_ns);
      into.count += from.count;
      into.sum_ns += from.sum_ns;
      for (const auto& [bucket, count] : from.buckets) into.buckets[bucket] += count;
    }
  }
  return sum;
}

}  // namespace netperfd::echo
