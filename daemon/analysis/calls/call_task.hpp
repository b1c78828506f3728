// SPDX-License-Identifier: GPL-2.0-or-later
// The tasks that made traced calls, each with its stack of calls under way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "daemon/analysis/calls/function_table.hpp"
#include "daemon/analysis/calls/graph_event.hpp"

namespace netperfd::analysis {

// A call under way.
struct Frame {
  std::uint64_t address = 0;         // of the function, as recorded
  std::uint64_t entered = 0;         // the entry's stamp
  std::uint64_t interrupted_ns = 0;  // the task's at the entry
  std::uint64_t off_cpu_ns = 0;      // the task's at the entry
  std::uint64_t callees_ns = 0;      // total time of the traced calls it made
  std::uint32_t callees = 0;
  std::uint32_t interruptions = 0;  // interrupt roots that preempted it directly
  std::uint32_t function = 0;       // index into FunctionTable
  std::uint32_t node = 0;           // index into CallTree, or CallTree::kNone
  std::uint32_t gap_end = 0;        // number of Task::gaps at the entry
  std::uint16_t depth = 0;          // grows from a frame to the next, not always by one
  ContextRank context = ContextRank::task;
  bool root : 1 = false;       // no traced function made the call
  bool interrupt : 1 = false;  // a root that preempted other code
  bool inner : 1 = false;      // the same function is already among its callers
  bool over_loss : 1 = false;  // records of its CPU were lost while it was under way
};

// An interrupt that has ended, by its root.
struct Interruption {
  std::uint64_t start = 0;     // the kernel's time of its entry; 0: unknown
  std::uint64_t taken_ns = 0;  // from the task
  std::uint16_t depth = 0;
};

// A call that has ended, with what is counted of it.
struct EndedFrame {
  EndedCall call;
  std::uint64_t time = 0;      // stamp of the exit
  std::uint64_t slept_ns = 0;  // of its duration
  std::uint32_t function = 0, node = 0;
  std::uint32_t caller = 0;  // function that made the call, if it is no root
  bool root = false, interrupt = false;
};

// A call of a text whose duration may hold the interrupts before its entry, or not: what follows decides.
struct Undecided {
  EndedFrame ended;
  std::uint64_t entered = 0;        // the entry's stamp
  std::vector<std::uint64_t> sums;  // of the last one, two... of these interrupts, each above the last
  std::size_t level = 0;            // number of frames below it
  bool awaits_next = false;         // the stamp of the task's next record bounds its duration
};

struct Task {
  static constexpr std::uint32_t kNoDepth = ~std::uint32_t{0};

  std::uint64_t key = 0;
  std::vector<Frame> frames;         // the outermost first
  std::uint64_t interrupted_ns = 0;  // taken from it by traced functions of interrupts, so far
  // Interrupts since the last entry or exit of a call that was not theirs. A call under way keeps those
  // before its entry: Frame::gap_end. So the last ones came over the innermost call, or, if there are none,
  // over the task itself.
  std::vector<Interruption> gaps;
  std::vector<Undecided> undecided;    // the outermost first
  std::uint64_t off_cpu_ns = 0;        // so far
  std::uint64_t out_since = 0;         // stamp of the switch away, if it is off the CPU
  std::uint64_t last = 0;              // the latest stamp of its records
  std::uint32_t overrun = 0;           // the kernel's last count
  std::uint32_t outermost = kNoDepth;  // the smallest depth of all its entries and exits
  bool out = false;
  bool overrun_known = false;
};

class TaskTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  explicit TaskTable(std::size_t most);

  // The idle task has the number 0 on every CPU, but each CPU has its own.
  [[nodiscard]] static std::uint64_t key_of(std::int32_t pid, std::uint32_t cpu) {
    return pid != 0 ? static_cast<std::uint32_t>(pid) : (std::uint64_t{1} << 32) + cpu;
  }

  // An index, or kNone.
  [[nodiscard]] std::uint32_t find(std::uint64_t key) const;
  // Makes the task if it is not there. Sets `moved` if other tasks have got new indices, because tasks had to
  // be forgotten to make room.
  [[nodiscard]] std::uint32_t find_or_make(std::uint64_t key, bool& moved);
  [[nodiscard]] Task& operator[](std::uint32_t index) { return tasks_[index]; }
  [[nodiscard]] std::vector<Task>& all() { return tasks_; }
  // A new task displaces others.
  [[nodiscard]] bool full() const { return tasks_.size() == most_; }

  // Calls under way, including those of forgotten tasks.
  [[nodiscard]] std::uint64_t open_calls() const;

 private:
  void forget_some();
  void put(std::uint32_t index);

  std::size_t most_;
  std::vector<Task> tasks_;
  std::vector<std::uint32_t> slots_;  // a hash over keys: indices into tasks_
  std::uint64_t given_up_ = 0;        // calls under way of forgotten tasks
  bool forgot_ = false;
};

}  // namespace netperfd::analysis
