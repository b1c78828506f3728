// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/queue/run_pace.hpp"

namespace netperfd::core {
namespace {

std::size_t kind_of(const std::vector<Slot>& slots, std::size_t run) {
  const Slot& slot = slots.at(run);
  const bool switches =
      run > 0 && (slots[run - 1].variant != slot.variant || slots[run - 1].build != slot.build);
  return (switches ? 2U : 0U) + (slot.traced ? 1U : 0U);
}

}  // namespace

void RunPace::add(const std::vector<Slot>& slots, std::size_t run, Time took) {
  if (!first_) {
    first_ = took;
    return;
  }
  Sum& kind = kinds_.at(kind_of(slots, run));
  kind.time += took;
  ++kind.runs;
}

std::optional<RunPace::Time> RunPace::of(const std::vector<Slot>& slots, std::size_t run) const {
  const Sum& kind = kinds_.at(kind_of(slots, run));
  if (kind.runs > 0) return kind.time / kind.runs;
  Sum any;
  for (const Sum& each : kinds_) {
    any.time += each.time;
    any.runs += each.runs;
  }
  return any.runs > 0 ? any.time / any.runs : first_;
}

}  // namespace netperfd::core
