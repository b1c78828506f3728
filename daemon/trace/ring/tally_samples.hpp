// SPDX-License-Identifier: GPL-2.0-or-later
// Keeps the first and the last few records of each kind of event, by time over all CPUs, in whatever order
// the CPUs are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace netperfd::trace {

// A record's position among all: records of the same time are ordered by CPU, those of one CPU by number.
struct RecordPlace {
  std::uint64_t time = 0;
  std::uint32_t cpu = 0;
  std::uint64_t number = 0;  // within its CPU's events

  auto operator<=>(const RecordPlace&) const = default;
};

struct KeptRecord {
  RecordPlace place;
  std::uint64_t ordinal = 0;  // 1 for the first of its kind
  std::span<const std::byte> data;
};

// Keeps a number of records, either the earliest or the latest.
class RecordKeeper {
 public:
  enum class End { first, last };
  RecordKeeper(End end, std::size_t capacity) : end_(end), capacity_(capacity) {}

  // False if it is full and the record lies beyond all kept ones.
  bool offer(const RecordPlace& place, std::span<const std::byte> data);
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] bool full() const { return entries_.size() == capacity_; }
  // The place of the record to be dropped next; there must be one.
  [[nodiscard]] const RecordPlace& worst() const { return entries_.front().place; }
  // By time, without ordinals. Valid until the next offer.
  [[nodiscard]] std::vector<KeptRecord> records() const;

 private:
  struct Entry {
    RecordPlace place;
    std::size_t slot = 0;
  };
  [[nodiscard]] bool worse(const RecordPlace& left, const RecordPlace& right) const {
    return end_ == End::first ? left > right : left < right;
  }

  End end_;
  std::size_t capacity_;
  std::vector<Entry> entries_;  // a heap with the worst at its top
  std::vector<std::vector<std::byte>> slots_;
};

class SampleKeeper {
 public:
  SampleKeeper(std::size_t first, std::size_t last) : first_(first), last_(last) {}

  // `data` must stay valid until end_run(). Until then, places must increase.
  void add(std::size_t kind, const RecordPlace& place, std::span<const std::byte> data) {
    if (kind >= kinds_.size()) make_kinds(kind + 1);
    auto& samples = kinds_[kind];
    if (place.time <= samples.first_until) offer_first(samples, place, data);
    if (samples.recent_count == 0) touch(kind);
    if (last_ > 0) samples.recent[samples.recent_count % last_] = {place, data};
    ++samples.recent_count;
  }
  // Copies the records worth keeping, so that a flood does not cost a copy for each event.
  void end_run();

  // For one kind, of which `count` were added, by time. Valid until the next add.
  [[nodiscard]] std::vector<KeptRecord> kept(std::size_t kind, std::uint64_t count) const;

 private:
  struct Recent {
    RecordPlace place;
    std::span<const std::byte> data;
  };
  struct Samples {
    RecordKeeper first;
    RecordKeeper last;
    std::uint64_t first_until;     // later records are not among the first
    std::vector<Recent> recent{};  // of the current run: a ring
    std::size_t recent_count = 0;
  };
  void make_kinds(std::size_t count);
  void touch(std::size_t kind);
  static void offer_first(Samples& samples, const RecordPlace& place, std::span<const std::byte> data);

  std::size_t first_;
  std::size_t last_;
  std::vector<Samples> kinds_;
  std::vector<std::size_t> touched_;  // kinds with recent records
};

}  // namespace netperfd::trace
