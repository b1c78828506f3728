// SPDX-License-Identifier: GPL-2.0-or-later
// Counts kernel stacks by the event they belong to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "daemon/analysis/calls/graph_event.hpp"
#include "daemon/trace/ring/event_format.hpp"

namespace netperfd::trace {

// Finds the event that a stack record belongs to. The kernel writes the stack after its event, but an
// interrupt may come in between with its own event and stack. An interrupt ends before the interrupted code
// continues. So the stack's event is the latest one of the same context (task, softirq, interrupt, NMI) and
// task.
class StackOwners {
 public:
  struct Place {
    analysis::ContextRank context = analysis::ContextRank::task;
    std::int32_t pid = 0;
  };

  void event(Place place, std::uint32_t kind) { latest_of(place) = {place.pid, kind}; }
  // Absent if the event was lost. An event has only one stack.
  [[nodiscard]] std::optional<std::uint32_t> take(Place place);
  // Call it after a gap in the stream.
  void forget() { latest_ = {}; }

 private:
  struct Latest {
    std::int32_t pid = 0;
    std::optional<std::uint32_t> kind;
  };
  [[nodiscard]] Latest& latest_of(Place place) { return latest_.at(static_cast<std::size_t>(place.context)); }

  std::array<Latest, 4> latest_;  // by context
};

// Whether the function belongs to the tracer, between an event's place in the code and its record.
[[nodiscard]] bool is_tracers_own(std::string_view function);

class StackTable {
 public:
  // Keeps the first `limit` different stacks separate. `format`, of ftrace:kernel_stack, must outlive this
  // object; null: nothing is added.
  StackTable(std::size_t limit, const EventFormat* format);

  // The format shows eight frames, but the record has as many as its size field and its length say.
  void add(std::uint32_t kind, std::span<const std::byte> record);
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

  struct Stack {
    std::uint32_t kind = 0;
    std::span<const std::uint64_t> frames;
    std::uint64_t count = 0;
  };
  [[nodiscard]] std::vector<Stack> stacks() const;  // unordered

 private:
  using Key = std::span<const std::uint64_t>;  // the kind, then the frames
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(Key key) const;
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(Key left, Key right) const;
  };

  std::size_t limit_;
  const FieldFormat* size_;
  const FieldFormat* caller_;
  std::unordered_map<std::vector<std::uint64_t>, std::uint64_t, Hash, Equal> counts_;
  std::uint64_t left_out_ = 0;
};

}  // namespace netperfd::trace
