// SPDX-License-Identifier: GPL-2.0-or-later
// Merges the records of several CPUs, each sorted by time, into one order by time, while they are still
// coming in.
//
// A task that moves to another CPU leaves its entry in one ring and its exit in another. Rings are read one
// after the other, so the exit may be read first. Everything that a turn reads was written before the next
// turn begins. If a turn empties a ring, later records of that ring were written after the turn began. So
// once a turn has emptied every ring, all records up to the latest stamp of the earlier turns are complete
// and can be delivered. A ring that was not emptied can still produce records later than the last one read
// from it, but none earlier: so nothing later than that one is delivered.
//
// An event is written a moment after it is stamped. A CPU that is delayed in between for longer than a turn
// (a virtual one can be) delivers it too late. Such records are delivered anyway: they matter only if their
// task has moved to another CPU meanwhile, which the pairing of calls detects.
//
// The sub-buffers wait undecoded, since the raw bytes are smaller than the decoded records, and each is
// decoded once, when its time has come. The header's stamp is used as the latest stamp of a sub-buffer: it is
// known without decoding and is never later. Decoding takes CPU time that the workload may need: the caller
// says how much may be spent now, and the rest waits.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "daemon/trace/ring/subbuffer.hpp"

namespace netperfd::trace {

// A reader of the delivered records has:
//   void turn_to(std::uint32_t cpu);             the next calls are for this CPU
//   void begin(const SubbufferWalk& subbuffer);  before its first record
//   void take(const RawRecord& record);          valid during the call
//   void end(const SubbufferWalk& subbuffer);    after its last record
class SubbufferOrder {
 public:
  // If a turn ends with more than `most_bytes` held, the oldest are delivered although an earlier record may
  // still come, and however little time may be spent.
  SubbufferOrder(const SubbufferLayout& layout, std::size_t most_bytes)
      : layout_(layout), most_bytes_(most_bytes) {}

  // Sub-buffers of one CPU must be added in the order in which they were read.
  void add(std::uint32_t cpu, std::vector<std::byte> subbuffer) {
    if (cpu >= lanes_.size()) lanes_.resize(std::size_t{cpu} + 1);
    Lane& lane = lanes_[cpu];
    lane.newest = std::max(lane.newest, SubbufferWalk(subbuffer, layout_).begin_time());
    newest_ = std::max(newest_, lane.newest);
    held_bytes_ += subbuffer.size();
    lane.waiting.push_back(std::move(subbuffer));
  }

  // Call it when all rings were read. `behind`: CPUs whose ring may still hold records written before this
  // turn began. A CPU in it from which nothing was ever read holds everything back. `may_go_on` is called
  // after each sub-buffer.
  template <class Reader, class Question>
  void end_turn(std::span<const std::uint32_t> behind, Reader& reader, const Question& may_go_on) {
    until_ = newest_before_;
    for (const std::uint32_t cpu : behind) {
      until_ = std::min(until_, cpu < lanes_.size() ? lanes_[cpu].newest : 0);
    }
    constexpr auto kAlways = [] { return true; };
    if (held_bytes_ > most_bytes_) give_out(until_, most_bytes_, reader, kAlways);
    if (held_bytes_ > most_bytes_) give_out(kEverything, most_bytes_, reader, kAlways);
    give_out(until_, 0, reader, may_go_on);
    newest_before_ = newest_;
  }

  // Delivers more of the records that the last turn completed.
  template <class Reader, class Question>
  void go_on(Reader& reader, const Question& may_go_on) {
    give_out(until_, 0, reader, may_go_on);
  }

  [[nodiscard]] std::size_t held_bytes() const { return held_bytes_; }

  // Nothing more will come. Returns whether everything is delivered.
  template <class Reader, class Question>
  [[nodiscard]] bool finish(Reader& reader, const Question& may_go_on) {
    give_out(kEverything, 0, reader, may_go_on);
    return held_bytes_ == 0;
  }

 private:
  static constexpr std::uint64_t kEverything = std::numeric_limits<std::uint64_t>::max();

  struct Lane {
    std::deque<std::vector<std::byte>> waiting;  // the first one is being walked if `open`
    SubbufferWalk walk;
    RawRecord next;  // of the walk
    bool open = false;
    std::uint64_t newest = 0;  // stamp of the latest header read from it
  };
  // The next record of a lane.
  struct Head {
    std::uint64_t time = 0;
    std::uint32_t cpu = 0;

    auto operator<=>(const Head&) const = default;
  };

  // Delivers records up to `until`, by time and then by CPU, as long as more than `keep_bytes` are held. The
  // CPU with the earliest next record delivers all its records that come before the next one of any other
  // CPU.
  template <class Reader, class Question>
  void give_out(std::uint64_t until, std::size_t keep_bytes, Reader& reader, const Question& may_go_on) {
    heads_.clear();
    for (std::uint32_t cpu = 0; cpu < lanes_.size(); ++cpu) {
      Lane& lane = lanes_[cpu];
      reader.turn_to(cpu);
      if (lane.open || open_next(lane, reader)) heads_.push_back({lane.next.time, cpu});
    }
    std::ranges::make_heap(heads_, std::ranges::greater{});
    bool goes_on = true;
    while (goes_on && held_bytes_ > keep_bytes && !heads_.empty() && heads_.front().time <= until) {
      std::ranges::pop_heap(heads_, std::ranges::greater{});
      const std::uint32_t cpu = heads_.back().cpu;
      heads_.pop_back();
      Head limit{until, cpu};
      if (!heads_.empty()) limit = std::min(limit, heads_.front());
      Lane& lane = lanes_[cpu];
      reader.turn_to(cpu);
      const bool at_end = give_run(lane, limit.cpu < cpu ? limit.time - 1 : limit.time, reader);
      if (at_end) goes_on = may_go_on();
      if (at_end && !open_next(lane, reader)) continue;
      heads_.push_back({lane.next.time, cpu});
      std::ranges::push_heap(heads_, std::ranges::greater{});
    }
  }

  // Delivers the lane's next record, and those after it in the same sub-buffer that are not later than
  // `last`. Returns whether the sub-buffer is finished.
  template <class Reader>
  [[nodiscard]] bool give_run(Lane& lane, std::uint64_t last, Reader& reader) {
    do {
      reader.take(lane.next);
      if (!lane.walk.next(lane.next)) {
        close(lane, reader);
        return true;
      }
    } while (lane.next.time <= last);
    return false;
  }

  // False if no record is waiting.
  template <class Reader>
  [[nodiscard]] bool open_next(Lane& lane, Reader& reader) {
    while (!lane.waiting.empty()) {
      lane.walk = SubbufferWalk(lane.waiting.front(), layout_);
      lane.open = true;
      reader.begin(lane.walk);
      if (lane.walk.next(lane.next)) return true;
      close(lane, reader);
    }
    return false;
  }

  template <class Reader>
  void close(Lane& lane, Reader& reader) {
    reader.end(lane.walk);
    lane.open = false;
    held_bytes_ -= lane.waiting.front().size();
    lane.waiting.pop_front();
  }

  SubbufferLayout layout_;
  std::size_t most_bytes_;
  std::deque<Lane> lanes_;   // by CPU; a deque, since a walk points into its lane, which must not move
  std::vector<Head> heads_;  // a heap; empty between calls
  std::size_t held_bytes_ = 0;
  std::uint64_t newest_ = 0;         // of all turns
  std::uint64_t newest_before_ = 0;  // when the last turn ended
  std::uint64_t until_ = 0;          // completed by the last turn
};

}  // namespace netperfd::trace
