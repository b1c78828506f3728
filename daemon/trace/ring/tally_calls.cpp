// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/tally_calls.hpp"

#include <algorithm>

namespace netperfd::trace {
CallTally::CallTally(GraphFormat format, analysis::CallSettings settings)
    : format_(std::move(format)), tracker_(settings) {}

void CallTally::add_mark(std::uint32_t cpu, std::uint64_t time, analysis::GraphEventKind kind) {
  analysis::GraphEvent event;
  event.time = time;
  event.kind = kind;
  tracker_.add(cpu, event);
}

void CallTally::lost(std::uint32_t cpu, std::uint64_t time) {
  add_mark(cpu, time, analysis::GraphEventKind::lost);
}

void CallTally::release(std::uint32_t cpu, std::uint64_t time) {
  add_mark(cpu, time, analysis::GraphEventKind::release);
}

std::vector<std::pair<std::string, std::uint64_t>> CallTally::take_busiest(
    const analysis::FunctionNamer& name, std::size_t most) {
  auto hits = tracker_.take_hits();
  const auto shown = std::min(most, hits.size());
  std::ranges::partial_sort(hits, hits.begin() + static_cast<std::ptrdiff_t>(shown), std::greater{},
                            &analysis::CallTracker::Hits::hits);
  std::vector<std::pair<std::string, std::uint64_t>> busiest;
  for (std::size_t i = 0; i < shown; ++i) busiest.emplace_back(name(hits[i].function).name, hits[i].hits);
  return busiest;
}

FunctionProfile CallTally::finish(const analysis::FunctionNamer& name) {
  return tracker_.finish(name);
}

}  // namespace netperfd::trace
