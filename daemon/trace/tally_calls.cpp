#include "daemon/trace/tally_calls.hpp"

#include <algorithm>

namespace netperfd::trace {
namespace {

// Events that wait for those of other CPUs: 80 MB of them. A turn of the drain reads a fiftieth of it.
constexpr std::size_t kMostHeld = 2'000'000;

}  // namespace

CallTally::CallTally(GraphFormat format, analysis::CallSettings settings)
    : format_(std::move(format)), order_(kMostHeld), tracker_(settings) {}

void CallTally::add_mark(std::uint32_t cpu, std::uint64_t time, analysis::GraphEventKind kind) {
  analysis::GraphEvent event;
  event.time = time;
  event.kind = kind;
  order_.add(cpu, event);
}

void CallTally::lost(std::uint32_t cpu, std::uint64_t time) {
  add_mark(cpu, time, analysis::GraphEventKind::lost);
}

void CallTally::release(std::uint32_t cpu, std::uint64_t time) {
  add_mark(cpu, time, analysis::GraphEventKind::release);
}

void CallTally::end_turn(std::span<const std::uint32_t> behind) {
  order_.end_turn(behind, [this](std::uint32_t cpu, std::span<const analysis::GraphEvent> events) {
    tracker_.add(cpu, events);
  });
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
  order_.finish(
      [this](std::uint32_t cpu, std::span<const analysis::GraphEvent> events) { tracker_.add(cpu, events); });
  return tracker_.finish(name);
}

}  // namespace netperfd::trace
