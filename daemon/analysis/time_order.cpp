#include "daemon/analysis/time_order.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace netperfd::analysis {
namespace {

constexpr std::uint64_t kEverything = std::numeric_limits<std::uint64_t>::max();

}  // namespace

TimeOrder::TimeOrder(std::size_t most_held) : most_held_(most_held) {}

void TimeOrder::end_turn(std::span<const std::uint32_t> behind, const Sink& sink) {
  std::uint64_t until = newest_before_;
  for (const std::uint32_t cpu : behind) {
    until = std::min(until, cpu < lanes_.size() ? lanes_[cpu].last : 0);
  }
  give_out(until, kEverything, sink);
  if (held_ > most_held_) give_out(kEverything, held_ - most_held_, sink);
  newest_before_ = newest_;
}

void TimeOrder::finish(const Sink& sink) {
  give_out(kEverything, kEverything, sink);
}

// Those of up to `until`, at most `most` of them, by time and then by CPU. The CPU whose next event is the
// earliest gives as many as come before the next event of any other.
void TimeOrder::give_out(std::uint64_t until, std::uint64_t most, const Sink& sink) {
  heads_.clear();
  for (std::uint32_t cpu = 0; cpu < lanes_.size(); ++cpu) {
    if (lanes_[cpu].held > 0) heads_.push_back(lanes_[cpu].head(cpu));
  }
  std::ranges::make_heap(heads_, std::ranges::greater{});
  while (!heads_.empty() && most > 0 && heads_.front().time <= until) {
    std::ranges::pop_heap(heads_, std::ranges::greater{});
    const std::uint32_t cpu = heads_.back().cpu;
    heads_.pop_back();
    Head limit{until, cpu};
    if (!heads_.empty()) limit = std::min(limit, heads_.front());
    const std::size_t given = give_run(cpu, limit, most, sink);
    most -= given;
    if (lanes_[cpu].held == 0) continue;
    heads_.push_back(lanes_[cpu].head(cpu));
    std::ranges::push_heap(heads_, std::ranges::greater{});
  }
}

// At most up to the last place of the lane: the rest of a run that goes on in the first one follows at once.
std::size_t TimeOrder::give_run(std::uint32_t cpu, Head limit, std::uint64_t most, const Sink& sink) {
  Lane& lane = lanes_[cpu];
  const std::size_t in_a_row = std::min(lane.held, lane.events.size() - lane.first);
  const auto events = std::span(lane.events).subspan(lane.first, std::min<std::uint64_t>(most, in_a_row));
  // Most often all of them: the other CPUs are idle, or were read up to a later moment.
  std::size_t given = events.size();
  if (Head{events.back().time, cpu} > limit) {
    given = 0;
    while (Head{events[given].time, cpu} <= limit) ++given;
  }
  sink(cpu, events.first(given));
  lane.first = (lane.first + given) & (lane.events.size() - 1);
  lane.held -= given;
  held_ -= given;
  return given;
}

void TimeOrder::make_room(Lane& lane) {
  constexpr std::size_t kFirstPlaces = 64;
  std::vector<GraphEvent> larger(std::max(kFirstPlaces, lane.events.size() * 2));
  const auto begin = lane.events.begin() + static_cast<std::ptrdiff_t>(lane.first);
  std::ranges::rotate_copy(lane.events, begin, larger.begin());
  lane.events = std::move(larger);
  lane.first = 0;
}

}  // namespace netperfd::analysis
