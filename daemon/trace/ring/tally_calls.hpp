// SPDX-License-Identifier: GPL-2.0-or-later
// Passes the records of function calls in the ring buffers on to a function profile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "daemon/analysis/calls/call_tracker.hpp"
#include "daemon/trace/ring/graph_format.hpp"
#include "daemon/trace/ring/subbuffer.hpp"

namespace netperfd::trace {

class CallTally {
 public:
  CallTally(GraphFormat format, analysis::CallSettings settings);

  // Whether add() handles records of this type.
  [[nodiscard]] bool knows(std::uint16_t type) const { return format_.knows(type); }
  // In order of time over all CPUs, like lost() and release(). False if the record is too short.
  bool add(std::uint32_t cpu, const RawRecord& record) {
    if (!format_.read(record.time, record.data, event_)) return false;
    tracker_.add(cpu, event_);
    return true;
  }
  // Records of this CPU are missing before `time`.
  void lost(std::uint32_t cpu, std::uint64_t time);
  void release(std::uint32_t cpu, std::uint64_t time);

  // The `most` functions with the most calls that ended since the previous call, by hits.
  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> take_busiest(
      const analysis::FunctionNamer& name, std::size_t most);
  [[nodiscard]] FunctionProfile finish(const analysis::FunctionNamer& name);

 private:
  void add_mark(std::uint32_t cpu, std::uint64_t time, analysis::GraphEventKind kind);

  GraphFormat format_;
  analysis::GraphEvent event_;
  analysis::CallTracker tracker_;
};

}  // namespace netperfd::trace
