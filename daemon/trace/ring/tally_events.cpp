// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/tally_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace netperfd::trace {
namespace {

constexpr std::size_t kIds = 65'536;       // common_type has 16 bits
constexpr std::size_t kMostUnknown = 256;  // ids without a format that are told apart

}  // namespace

EventTable::EventTable(const std::vector<KnownEvent>& known, const std::vector<std::string>& hidden)
    : numbers_(kIds, kNone) {
  for (const KnownEvent& event : known) {
    if (event.format.id >= kIds || numbers_[event.format.id] != kNone) continue;
    numbers_[event.format.id] = size();
    events_.push_back({event.name, &event.format, role_of(event.name),
                       std::ranges::find(hidden, event.name) != hidden.end()});
  }
}

std::uint32_t EventTable::add_unknown(std::uint16_t id) {
  if (unknown_ < kMostUnknown) {
    ++unknown_;
    events_.push_back({fmt::format("unknown:{}", id)});
  } else if (events_.back().name != "unknown:others") {
    events_.push_back({"unknown:others"});
  }
  return numbers_[id] = size() - 1;
}

std::vector<std::pair<std::string, std::uint64_t>> EventTable::take_counts() {
  std::vector<std::pair<std::string, std::uint64_t>> counts;
  for (CountedEvent& event : events_) {
    if (event.count > event.told && !is_stack(event.role) && !event.hidden) {
      counts.emplace_back(event.name, event.count - event.told);
    }
    event.told = event.count;
  }
  return counts;
}

std::vector<EventCount> EventTable::counts(const std::vector<std::vector<std::uint64_t>>& slices) const {
  std::vector<EventCount> counts;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const CountedEvent& event = events_[i];
    const bool was_asked_for = event.role == Role::sampled || event.role == Role::drop;
    if (is_stack(event.role) || event.hidden || (event.count == 0 && !was_asked_for)) continue;
    counts.push_back({event.name, {}, event.count, {}});
    if (i < slices.size()) counts.back().slices = slices[i];
  }
  std::ranges::sort(counts, [](const EventCount& left, const EventCount& right) {
    return std::tie(right.count, left.name) < std::tie(left.count, right.name);
  });
  return counts;
}

}  // namespace netperfd::trace
