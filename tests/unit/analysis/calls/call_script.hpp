// SPDX-License-Identifier: GPL-2.0-or-later
// Short call histories written record by record. Functions are single letters, which are both their addresses
// and their names.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/analysis/calls/call_tracker.hpp"

namespace netperfd::analysis {

inline FunctionName letter(std::uint64_t address) {
  return {std::string(1, static_cast<char>(address)), "", 0};
}

// Records are of one task on one CPU unless changed. Depths follow from the open calls, times are given.
class CallScript {
 public:
  explicit CallScript(CallSettings settings = {}) : tracker_(settings) {}

  CallScript& pid(std::int32_t pid) { return pid_ = pid, *this; }
  CallScript& cpu(std::uint32_t cpu) { return cpu_ = cpu, *this; }
  CallScript& context(ContextRank context) { return context_ = context, *this; }

  CallScript& enter(std::uint64_t time, char function, int depth) {
    return add(make(GraphEventKind::entry, time, function, depth));
  }
  // The duration follows from the stamps.
  CallScript& leave(std::uint64_t time, char function, int depth) {
    return add(make(GraphEventKind::exit, time, function, depth));
  }
  CallScript& leave(std::uint64_t time, char function, int depth, std::uint64_t start, std::uint64_t end) {
    GraphEvent event = make(GraphEventKind::exit, time, function, depth);
    event.start = start;
    event.end = end;
    return add(event);
  }
  CallScript& leave_overrun(std::uint64_t time, char function, int depth, std::uint32_t overrun) {
    GraphEvent event = make(GraphEventKind::exit, time, function, depth);
    event.overrun = overrun;
    return add(event);
  }
  CallScript& call(std::uint64_t begin, std::uint64_t end, char function, int depth) {
    return enter(begin, function, depth).leave(end, function, depth);
  }
  CallScript& hit(std::uint64_t time, char function) {
    return add(make(GraphEventKind::hit, time, function, 0));
  }
  CallScript& switch_to(std::uint64_t time, std::int32_t next) {
    GraphEvent event = make(GraphEventKind::task_switch, time, '\0', 0);
    event.next_pid = next;
    add(event);
    return pid(next);
  }
  CallScript& lost(std::uint64_t time) { return add(make(GraphEventKind::lost, time, '\0', 0)); }
  CallScript& release(std::uint64_t time) { return add(make(GraphEventKind::release, time, '\0', 0)); }

  CallTracker& tracker() { return tracker_; }
  FunctionProfile profile() { return tracker_.finish(letter); }

 private:
  [[nodiscard]] GraphEvent make(GraphEventKind kind, std::uint64_t time, char function, int depth) const {
    GraphEvent event;
    event.kind = kind;
    event.time = time;
    event.function = static_cast<std::uint64_t>(function);
    event.pid = pid_;
    event.depth = static_cast<std::uint16_t>(depth);
    event.context = context_;
    return event;
  }
  CallScript& add(const GraphEvent& event) {
    tracker_.add(cpu_, event);
    return *this;
  }

  CallTracker tracker_;
  std::int32_t pid_ = 7;
  std::uint32_t cpu_ = 0;
  ContextRank context_ = ContextRank::task;
};

inline const FunctionStats& function(const FunctionProfile& profile, std::string_view name) {
  const auto found = std::ranges::find(profile.functions, name, &FunctionStats::name);
  if (found == profile.functions.end()) throw std::runtime_error("no function " + std::string(name));
  return *found;
}

// "a>b 2 300": caller, callee, hits and total time; in the profile's order.
std::vector<std::string> edges(const FunctionProfile& profile);
// "a>b 2 300 120", "!i 1 80 80" for a root in an interrupt: path, hits, total and self time; in its order.
std::vector<std::string> tree(const FunctionProfile& profile);

}  // namespace netperfd::analysis
