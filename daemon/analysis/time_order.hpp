// Puts the events of several CPUs, each in order by itself, into one order by time, while they are still
// coming.
//
// A task that moves to another CPU leaves its entry in one ring and its exit in another. Rings are read one
// after the other, so that the exit may be read first. Whatever is read in a turn was written before the next
// turn begins, and what a turn finds no more of in a ring was written after it began: so once a turn has
// emptied every ring, all up to the last stamp of the turn before it can be given out.
#pragma once

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

  // Beyond `most_held` events the oldest are given out though an earlier one may still come.
  explicit TimeOrder(std::size_t most_held);

  // Those of one CPU in the order in which it wrote them.
  void add(std::uint32_t cpu, const GraphEvent& event);
  // All rings were read. `behind`: CPUs whose ring may still hold what was written before this turn began.
  void end_turn(std::span<const std::uint32_t> behind, const Sink& sink);
  // Nothing more will come.
  void finish(const Sink& sink);

  // Events that came after a later one had been given out.
  [[nodiscard]] std::uint64_t out_of_order() const { return out_of_order_; }

 private:
  struct Lane {
    std::vector<GraphEvent> events;
    std::size_t at = 0;  // before it: given out
  };
  void give_out(std::uint64_t until, const Sink& sink);

  std::vector<Lane> lanes_;  // by CPU
  std::size_t most_held_;
  std::size_t held_ = 0;
  std::uint64_t newest_ = 0;         // of all turns
  std::uint64_t newest_before_ = 0;  // when the last turn ended
  std::uint64_t given_until_ = 0;
  std::uint64_t out_of_order_ = 0;
};

}  // namespace netperfd::analysis
