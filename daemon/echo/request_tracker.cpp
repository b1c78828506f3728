// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/echo/request_tracker.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "daemon/analysis/calls/histogram.hpp"

namespace netperfd::echo {

void SpanCounts::add(Ns span) {
  const auto value = static_cast<std::uint64_t>(std::max(span, Ns{0}));
  min_ns = count == 0 ? value : std::min(min_ns, value);
  max_ns = std::max(max_ns, value);
  ++count;
  sum_ns += value;
  ++buckets[analysis::bucket_of(value)];
}

RequestTracker::RequestTracker(TrackerLimits limits, Schedule schedule)
    : limits_(limits), schedule_(schedule) {
  intervals_.push_back({.counts = {.end = limits_.interval, .spans = {}}});
}

RequestTracker::Request* RequestTracker::find(std::uint32_t sequence) {
  const auto found = std::ranges::lower_bound(requests_, sequence, {}, &Request::sequence);
  return found == requests_.end() || found->sequence != sequence ? nullptr : &*found;
}

// Null: it is complete and was taken.
RequestTracker::Open* RequestTracker::interval_of(const Request& request) {
  if (request.interval < intervals_taken_) return nullptr;
  const std::uint64_t at = request.interval - intervals_taken_;
  return at < intervals_.size() ? &intervals_[at] : nullptr;
}

std::optional<std::uint32_t> RequestTracker::advance(Ns now) {
  expire(now);
  if (stopped_) return std::nullopt;
  const Schedule::Step step = schedule_.take(now);
  miss(step);
  end_intervals(now);
  if (!step.send) return std::nullopt;
  if (*step.send >= std::numeric_limits<std::uint32_t>::max()) {  // five days of 10,000 per second
    stop(now);
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(*step.send);
}

// A prober that was stopped for long has missed requests of each interval in between.
void RequestTracker::miss(const Schedule::Step& step) {
  for (std::uint64_t from = step.missed_from; from < step.missed_to;) {
    const std::uint64_t to = std::clamp(schedule_.due_before(current().end), from, step.missed_to);
    current().missed += to - from;
    from = to;
    if (from < step.missed_to) end_current(current().end);
  }
}

void RequestTracker::end_intervals(Ns now) {
  while (now >= current().end) end_current(current().end);
}

void RequestTracker::end_current(Ns end) {
  Open& last = intervals_.back();
  last.ended = true;
  last.counts.end = end;
  intervals_.push_back(
      {.counts = {.phase = phase_, .start = end, .end = end + limits_.interval, .spans = {}}});
}

void RequestTracker::phase(Ns now) {
  ++phase_;
  if (stopped_) return;
  end_intervals(now);
  if (now <= current().start && current().sent + current().missed == 0) {
    current().phase = phase_;
  } else {
    end_current(now);
  }
}

void RequestTracker::stop(Ns now) {
  if (stopped_) return;
  stopped_ = true;
  miss(schedule_.finish(now));
  while (now > current().end) end_current(current().end);
  Open& last = intervals_.back();
  last.counts.end = std::max(now, last.counts.start);
  last.ended = true;
  Interval nothing{.phase = last.counts.phase, .start = now, .end = now, .spans = {}};
  if (last.counts == nothing && intervals_.size() > 1) intervals_.pop_back();
}

void RequestTracker::sent(std::uint32_t sequence, Ns now, const Clocks& clocks) {
  Interval& counts = current();
  ++counts.sent;
  const Ns delay = now - schedule_.due(sequence);
  if (delay > kMillisecond) ++counts.late_sends;
  counts.max_send_delay = std::max(counts.max_send_delay, delay);
  ++intervals_.back().waiting;
  requests_.push_back({.sequence = sequence,
                       .interval = intervals_taken_ + intervals_.size() - 1,
                       .sent = now,
                       .clocks = clocks,
                       .left = {}});
}

void RequestTracker::not_sent() {
  ++current().missed;
}

void RequestTracker::skip_answered() {
  while (first_waiting_ < requests_.size() && requests_[first_waiting_].state != State::waiting)
    ++first_waiting_;
}

void RequestTracker::expire(Ns now) {
  for (skip_answered(); first_waiting_ < requests_.size(); skip_answered()) {
    Request& request = requests_[first_waiting_];
    if (request.sent + limits_.timeout >= now) break;
    lose(request);
  }
  // Remembered so long, a late answer is not taken for a foreign one.
  const Ns memory = limits_.timeout + std::max(limits_.timeout, 2 * kSecond);
  while (first_waiting_ > 0 && requests_.front().sent + memory < now) {
    requests_.pop_front();
    --first_waiting_;
  }
}

void RequestTracker::lose(Request& request) {
  request.state = State::lost;
  Open* const interval = interval_of(request);
  ++interval->counts.lost;
  --interval->waiting;
}

void RequestTracker::left(std::uint32_t sequence, const PacketStamps& stamps, const Clocks& now) {
  Request* const request = find(sequence);
  if (request == nullptr) return;
  if (stamps.device) request->left.device = stamps.device;
  if (!stamps.kernel || std::exchange(request->queued_known, true)) return;
  request->left.kernel = stamps.kernel;
  Open* const interval = interval_of(*request);
  const auto queued = queued_of(request->clocks, stamps, now);
  if (queued && interval != nullptr)
    interval->counts.spans[static_cast<std::size_t>(Span::queued)].add(*queued);
}

void RequestTracker::answered(const Answer& answer) {
  Request* const request = find(answer.sequence);
  if (request == nullptr) return foreign();
  if (intervals_.empty()) return;  // all were answered or timed out, and the last line was printed
  if (request->state == State::answered || request->state == State::late) {
    ++current().duplicates;
    return;
  }
  const Spans spans = spans_of({.sent = request->clocks,
                                .left = request->left,
                                .read = answer.read,
                                .arrived = answer.arrived,
                                .far = answer.far});
  if (spans.clock_step) ++clock_steps_;
  if (request->state == State::waiting && spans.round_trip <= limits_.timeout) {
    receive(*request, spans);
    return;
  }
  if (request->state == State::waiting) lose(*request);
  request->state = State::late;
  ++current().late;
}

void RequestTracker::receive(Request& request, const Spans& spans) {
  request.state = State::answered;
  Open& interval = *interval_of(request);
  --interval.waiting;
  Interval& counts = interval.counts;
  ++counts.received;
  if (highest_answered_ && request.sequence < *highest_answered_) ++counts.reordered;
  highest_answered_ = std::max(highest_answered_.value_or(0), request.sequence);
  if (last_round_trip_) {
    counts.jitter_sum += static_cast<std::uint64_t>(std::abs(spans.round_trip - *last_round_trip_));
    ++counts.jitter_count;
  }
  last_round_trip_ = spans.round_trip;
  source_ = std::min(source_.value_or(Source::device), spans.source);
  const auto add = [&](Span kind, Ns span) { counts.spans[static_cast<std::size_t>(kind)].add(span); };
  add(Span::round_trip, spans.round_trip);
  if (spans.there) add(Span::there, *spans.there);
  if (spans.back) add(Span::back, *spans.back);
}

std::vector<Interval> RequestTracker::take_complete() {
  std::vector<Interval> complete;
  while (!intervals_.empty() && intervals_.front().ended && intervals_.front().waiting == 0) {
    complete.push_back(std::move(intervals_.front().counts));
    intervals_.pop_front();
    ++intervals_taken_;
  }
  return complete;
}

std::optional<Ns> RequestTracker::next_end() {
  skip_answered();
  std::optional<Ns> end;
  if (!stopped_) end = current().end;
  if (first_waiting_ < requests_.size()) {
    const Ns lost = requests_[first_waiting_].sent + limits_.timeout + 1;
    end = std::min(end.value_or(lost), lost);
  }
  return end;
}

}  // namespace netperfd::echo
