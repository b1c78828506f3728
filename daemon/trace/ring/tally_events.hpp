// SPDX-License-Identifier: GPL-2.0-or-later
// The events of a trace by their ids: names, roles and counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "daemon/model/trace_record.hpp"
#include "daemon/trace/ring/event_role.hpp"
#include "daemon/trace/ring/known_event.hpp"

namespace netperfd::trace {

struct CountedEvent {
  std::string name;
  const EventFormat* format = nullptr;  // null for unknown events
  Role role = Role::unknown;
  bool hidden = false;  // not in counts() and take_counts()
  std::uint64_t count = 0;
  std::uint64_t told = 0;  // of them in an earlier take_counts()
};

class EventTable {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  // Keeps references to the formats. `hidden`: names of events that are counted but not shown.
  EventTable(const std::vector<KnownEvent>& known, const std::vector<std::string>& hidden);

  // The event's number in this table, which follows the order of `known`. An id without a format becomes an
  // event of its own, up to a limit.
  [[nodiscard]] std::uint32_t number_of(std::uint16_t id) {
    const std::uint32_t number = numbers_[id];
    return number != kNone ? number : add_unknown(id);
  }
  [[nodiscard]] CountedEvent& at(std::uint32_t number) { return events_[number]; }
  [[nodiscard]] const CountedEvent& at(std::uint32_t number) const { return events_[number]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(events_.size()); }

  // Counts since the previous call, of the events that occurred.
  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> take_counts();
  // The most frequent first. An event that was asked for is there even if it never occurred. `slices` has a
  // row for each number, as far as it goes.
  [[nodiscard]] std::vector<EventCount> counts(const std::vector<std::vector<std::uint64_t>>& slices) const;

 private:
  std::uint32_t add_unknown(std::uint16_t id);

  std::vector<CountedEvent> events_;
  std::vector<std::uint32_t> numbers_;  // by id
  std::size_t unknown_ = 0;
};

}  // namespace netperfd::trace
