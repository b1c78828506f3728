// SPDX-License-Identifier: GPL-2.0-or-later
// The layout of the running kernel's function records, and their contents.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "daemon/analysis/calls/graph_event.hpp"
#include "daemon/base/error.hpp"
#include "daemon/trace/ring/known_event.hpp"

namespace netperfd::trace {

class GraphFormat {
 public:
  // Uses the formats of ftrace:funcgraph_entry, ftrace:funcgraph_exit, ftrace:function and sched:sched_switch
  // in `events`, if present; of the graph's two, there must be both or none. invalid_argument with the event
  // and field if a format is not as required.
  [[nodiscard]] static Result<GraphFormat> make(const std::vector<KnownEvent>& events);

  // Whether read() handles records of this common_type.
  [[nodiscard]] bool knows(std::uint16_t type) const { return shape_of(type) != kUnknown; }
  // False if the record is shorter than its format requires; otherwise `event` is complete.
  [[nodiscard]] bool read(std::uint64_t time, std::span<const std::byte> record,
                          analysis::GraphEvent& event) const;

  // Of common_flags: include/linux/trace_events.h, enum trace_flag_type.
  [[nodiscard]] static analysis::ContextRank context_of(std::uint8_t flags);

 private:
  // Positions of the values that read() takes from one kind of record. Of 8-byte numbers in which only the
  // lower half is meaningful (depth and overrun, depending on the kernel), only that half is read.
  struct Shape {
    std::size_t needed = std::numeric_limits<std::size_t>::max();  // bytes, up to the end of the last field
    std::uint32_t function = 0;
    std::uint32_t function_size = 8;
    std::uint32_t depth = 0;
    std::uint32_t overrun = 0;
    std::uint32_t start = 0;  // start and overrun are 0 if absent: offset 0 belongs to the common fields
    std::uint32_t end = 0;
    std::uint32_t previous_pid = 0;
    std::uint32_t next_pid = 0;
    analysis::GraphEventKind kind = analysis::GraphEventKind::entry;
  };
  static constexpr std::uint8_t kUnknown = 0;
  // The first fields of every record, the same on all kernels, as make() checks.
  struct Common {
    std::uint16_t type = 0;
    std::uint8_t flags = 0;
    std::uint8_t preempt_count = 0;
    std::int32_t pid = 0;
  };

  GraphFormat() = default;
  [[nodiscard]] static Result<Shape> shape_of_event(const KnownEvent& event);
  [[nodiscard]] std::uint8_t shape_of(std::uint16_t type) const {
    return type < shape_of_type_.size() ? shape_of_type_[type] : kUnknown;
  }
  template <class T>
  [[nodiscard]] static T load(std::span<const std::byte> record, std::uint32_t offset) {
    T value;
    std::memcpy(&value, record.data() + offset, sizeof value);
    return value;
  }

  std::vector<std::uint8_t> shape_of_type_;            // index into shapes_
  std::vector<Shape> shapes_ = std::vector<Shape>(1);  // the first requires more bytes than any record has
};

// In the header for inlining: up to fifty million records per second pass through it.

inline analysis::ContextRank GraphFormat::context_of(std::uint8_t flags) {
  constexpr unsigned kHardirq = 0x08;  // enum trace_flag_type
  constexpr unsigned kSoftirq = 0x10;
  constexpr unsigned kNmi = 0x40;
  if ((flags & (kHardirq | kSoftirq | kNmi)) == 0) return analysis::ContextRank::task;
  if ((flags & kNmi) != 0) return analysis::ContextRank::nmi;
  return (flags & kHardirq) != 0 ? analysis::ContextRank::hardirq : analysis::ContextRank::softirq;
}

inline bool GraphFormat::read(std::uint64_t time, std::span<const std::byte> record,
                              analysis::GraphEvent& event) const {
  if (record.size() < sizeof(Common)) return false;
  const auto common = load<Common>(record, 0);
  const auto& shape = shapes_[shape_of(common.type)];
  if (record.size() < shape.needed) return false;
  event = {};
  event.time = time;
  event.pid = common.pid;
  event.kind = shape.kind;
  event.context = context_of(common.flags);
  if (shape.kind == analysis::GraphEventKind::task_switch) {
    event.pid = load<std::int32_t>(record, shape.previous_pid);
    event.next_pid = load<std::int32_t>(record, shape.next_pid);
    return true;
  }
  event.function = shape.function_size == 8 ? load<std::uint64_t>(record, shape.function)
                                            : load<std::uint32_t>(record, shape.function);
  if (shape.kind == analysis::GraphEventKind::hit) return true;
  constexpr std::uint32_t kDeepestCall = std::numeric_limits<std::uint16_t>::max();
  const auto depth = load<std::uint32_t>(record, shape.depth);
  event.depth = static_cast<std::uint16_t>(depth < kDeepestCall ? depth : kDeepestCall);
  if (shape.kind == analysis::GraphEventKind::entry) return true;
  if (shape.overrun != 0) event.overrun = load<std::uint32_t>(record, shape.overrun);
  if (shape.start == 0) return true;
  event.start = load<std::uint64_t>(record, shape.start);
  event.end = load<std::uint64_t>(record, shape.end);
  return true;
}

}  // namespace netperfd::trace
