// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/calls/call_returns.hpp"

namespace netperfd::analysis {

void CallReturns::add(std::uint64_t task, const GraphEvent& event) {
  constexpr std::size_t kMostEnded = 64;
  any_ = true;
  EndedCall call;
  call.timed = is_possible(event);
  call.raw_ns = call.total_ns = call.timed ? event.end - event.start : 0;
  const std::uint32_t index = functions_.find_or_make(event.function);
  functions_[index].add(call);
  // Deeper calls ended within this one. Those of the same function are in its total time already.
  if (ended_.size() >= most_tasks_ && !ended_.contains(task)) ended_.clear();
  std::vector<Ended>& ended = ended_[task];
  while (!ended.empty() && ended.back().depth > event.depth) {
    if (ended.back().function == index && call.timed) functions_[index].total_ns -= ended.back().ns;
    ended.pop_back();
  }
  if (ended.size() >= kMostEnded) ended.erase(ended.begin());
  ended.push_back({index, event.depth, call.total_ns});
}

}  // namespace netperfd::analysis
