// SPDX-License-Identifier: GPL-2.0-or-later
// What became of the requests of one probe, by intervals. It knows no socket and no clock: whoever calls it
// says what time it is, in ns since the first request was due.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "daemon/echo/schedule.hpp"
#include "daemon/echo/stamps.hpp"

namespace netperfd::echo {

// Durations of one kind.
struct SpanCounts {
  std::uint64_t count = 0;
  std::uint64_t sum_ns = 0;
  std::uint64_t min_ns = 0, max_ns = 0;
  std::map<std::uint32_t, std::uint64_t> buckets;  // by analysis::bucket_of()

  void add(Ns span);
  bool operator==(const SpanCounts&) const = default;
};

enum class Span : std::uint8_t { round_trip, there, back, queued };
inline constexpr std::size_t kSpans = 4;

struct Interval {
  std::uint32_t phase = 0;
  Ns start = 0, end = 0;
  std::uint64_t sent = 0;
  std::uint64_t missed = 0;      // due, but never sent
  std::uint64_t late_sends = 0;  // sent more than a millisecond after they were due
  Ns max_send_delay = 0;
  std::uint64_t received = 0;
  std::uint64_t lost = 0;                          // no answer within the timeout
  std::uint64_t late = 0;                          // answers after the timeout
  std::uint64_t duplicates = 0;                    // further answers of a request
  std::uint64_t reordered = 0;                     // answers after one to a later request
  std::uint64_t jitter_sum = 0, jitter_count = 0;  // of differences between consecutive round trips
  std::array<SpanCounts, kSpans> spans;

  bool operator==(const Interval&) const = default;
};

struct TrackerLimits {
  Ns interval = kSecond;
  Ns timeout = 2 * kSecond;
};

class RequestTracker {
 public:
  RequestTracker(TrackerLimits limits, Schedule schedule);

  [[nodiscard]] Ns next_due() const { return schedule_.next_due(); }
  // Ends what has ended by `now`: requests by the timeout, intervals by their end. Answers that arrived
  // before must have been told. Returns the request to send now.
  [[nodiscard]] std::optional<std::uint32_t> advance(Ns now);
  void phase(Ns now);
  // No request is due from `now` on.
  void stop(Ns now);

  void sent(std::uint32_t sequence, Ns now, const Clocks& clocks);
  void not_sent();  // the last one that advance() returned

  void left(std::uint32_t sequence, const PacketStamps& stamps, const Clocks& now);
  struct Answer {
    std::uint32_t sequence = 0;
    Clocks read;
    PacketStamps arrived;
    std::optional<FarStamps> far;  // only if the server has the same wall clock
  };
  void answered(const Answer& answer);
  void foreign() { ++foreign_; }

  // Intervals that are complete, in order, each once.
  [[nodiscard]] std::vector<Interval> take_complete();
  // The time at which advance() has something to end next.
  [[nodiscard]] std::optional<Ns> next_end();
  [[nodiscard]] bool is_done() const { return stopped_ && intervals_.empty(); }

  [[nodiscard]] std::uint64_t clock_steps() const { return clock_steps_; }
  [[nodiscard]] std::uint64_t foreign_packets() const { return foreign_; }
  // The worst source of the round trips; absent if there are none.
  [[nodiscard]] std::optional<Source> source() const { return source_; }
  [[nodiscard]] std::size_t remembered() const { return requests_.size(); }

 private:
  enum class State : std::uint8_t { waiting, answered, lost, late };
  struct Request {
    std::uint32_t sequence = 0;
    State state = State::waiting;
    bool queued_known = false;
    std::uint64_t interval = 0;  // counted since the begin
    Ns sent = 0;
    Clocks clocks;
    PacketStamps left;
  };
  struct Open {
    Interval counts;
    std::uint64_t waiting = 0;
    bool ended = false;
  };

  [[nodiscard]] Request* find(std::uint32_t sequence);
  [[nodiscard]] Open* interval_of(const Request& request);
  [[nodiscard]] Interval& current() { return intervals_.back().counts; }
  void miss(const Schedule::Step& step);
  void end_intervals(Ns now);
  void end_current(Ns end);
  void skip_answered();
  void expire(Ns now);
  void lose(Request& request);
  void receive(Request& request, const Spans& spans);

  TrackerLimits limits_;
  Schedule schedule_;
  std::deque<Request> requests_;  // by sequence: those that can still be answered, late or twice
  std::size_t first_waiting_ = 0;
  std::deque<Open> intervals_;
  std::uint64_t intervals_taken_ = 0;
  std::uint32_t phase_ = 0;
  bool stopped_ = false;
  std::optional<std::uint32_t> highest_answered_;
  std::optional<Ns> last_round_trip_;
  std::optional<Source> source_;
  std::uint64_t clock_steps_ = 0;
  std::uint64_t foreign_ = 0;
};

}  // namespace netperfd::echo
