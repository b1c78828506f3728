// Puts the events of several CPUs, each in order by itself, into one order by time, while they are still
// coming.
//
// A task that moves to another CPU leaves its entry in one ring and its exit in another. Rings are read one
// after the other, so that the exit may be read first. Whatever is read in a turn was written before the next
// turn begins, and what a turn finds no more of in a ring was written after it began: so once a turn has
// emptied every ring, all up to the latest stamp of the turns before it can be given out. A ring that was not
// emptied still holds what comes after the last that was read of it, and nothing earlier: so nothing later
// than that is given out. An event is written a moment after it is stamped; a CPU that is held up in between
// for longer than a turn (a virtual one can be) brings it too late. Such events are given out all the same:
// they matter only where their task has moved to another CPU meanwhile, which the pairing of calls sees.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "daemon/analysis/graph_event.hpp"

namespace netperfd::analysis {

class TimeOrder {
 public:
  // Takes runs of events of one CPU in their order.
  using Sink = std::function<void(std::uint32_t cpu, std::span<const GraphEvent> events)>;

  // Where a turn ends with more than `most_held` events, the oldest of them are given out though an earlier
  // one may still come.
  explicit TimeOrder(std::size_t most_held);

  // Those of one CPU in the order in which it wrote them.
  void add(std::uint32_t cpu, const GraphEvent& event) {
    if (cpu >= lanes_.size()) lanes_.resize(std::size_t{cpu} + 1);
    Lane& lane = lanes_[cpu];
    if (lane.held == lane.events.size()) make_room(lane);
    lane.events[(lane.first + lane.held++) & (lane.events.size() - 1)] = event;
    lane.last = std::max(lane.last, event.time);
    newest_ = std::max(newest_, event.time);
    ++held_;
  }
  // All rings were read. `behind`: CPUs whose ring may still hold what was written before this turn began.
  // One of which nothing was ever read holds everything back.
  void end_turn(std::span<const std::uint32_t> behind, const Sink& sink);
  // Nothing more will come.
  void finish(const Sink& sink);

 private:
  // The next event of a lane.
  struct Head {
    std::uint64_t time = 0;
    std::uint32_t cpu = 0;

    auto operator<=>(const Head&) const = default;
  };
  // What is held of a CPU: `held` events from `first` on, after the last place the first one.
  struct Lane {
    std::vector<GraphEvent> events;  // places; none or a power of two
    std::size_t first = 0;
    std::size_t held = 0;
    std::uint64_t last = 0;  // the latest stamp that was ever read of it

    [[nodiscard]] Head head(std::uint32_t cpu) const { return {events[first].time, cpu}; }
  };
  void give_out(std::uint64_t until, std::uint64_t most, const Sink& sink);
  std::size_t give_run(std::uint32_t cpu, Head limit, std::uint64_t most, const Sink& sink);
  static void make_room(Lane& lane);

  std::vector<Lane> lanes_;  // by CPU
  std::vector<Head> heads_;  // a heap; empty between calls
  std::size_t most_held_;
  std::size_t held_ = 0;
  std::uint64_t newest_ = 0;         // of all turns
  std::uint64_t newest_before_ = 0;  // when the last turn ended
};

}  // namespace netperfd::analysis
