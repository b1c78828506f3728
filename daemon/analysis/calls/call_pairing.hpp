// SPDX-License-Identifier: GPL-2.0-or-later
// Pairs entries and exits into calls, and adds up each call where it belongs.
//
// A task has one call stack, whatever CPU it runs on; interrupts that preempt it use the same stack. The
// kernel records an entry before, and an exit after, everything that happens within the call. Both carry the
// depth on that stack. Functions that another tracer follows count in the depth but are not recorded, so
// depths have gaps; but a deeper call always has a greater depth. Hence:
// - An entry or exit at some depth proves that no deeper call is under way any more. Unless it is the exit of
//   that very call, it also proves this for calls of the same depth. Any such call still on the stack has not
//   returned within the trace (do_exit(), or its exit was lost). The exception is an interrupt at the end of
//   a call: kernels before 6.11 take the call off their stack first, then take the time of its return, and
//   then write the record. An interrupt after the first step has the call's own depth, and the exit comes
//   after it. Whether an interrupt came after the call's return, and so took no time from it, is told by the
//   two times: in later kernels such an interrupt is one deeper than the call.
// - An exit without an entry belongs to a call from before the trace began if no record of the task was as
//   far out before and none has been lost, or if its duration reaches back beyond the first record. Otherwise
//   its entry has been lost.
//
// A call belongs to an interrupt if its rank is higher than that of the call below it, or than that of the
// task if there is none. It is a root, in no call's tree but its own. A call of a lower rank does not
// (irq_exit() runs softirqs). An interrupt's entry code still has the task's rank: if that code is traced
// too, each call it makes is taken for another root.
//
// The interrupted time of a call and its time off the CPU are the growth of two sums of the task between
// entry and exit. An interrupt root adds its time to the first sum. It replaces what other interrupts added
// meanwhile, since its own duration contains that.
//
// The tracer has a moment at each end of a call that the call's duration and its records do not agree on. It
// takes the time of the call first and writes the entry then, and takes the time of the return before it
// writes the exit. An interrupt in the first moment is recorded before the entry, but its time is in the
// duration; one in the second is recorded before the exit, but its time is not. The kernel's times decide
// (call_edges.cpp). A text has durations alone. There the stamps decide, if it has any; then the depth, which
// is one more within the first moment; then what the caller's duration leaves room for.
//
// A task is off the CPU from the switch away from it to the next switch to it. Records may show it running in
// between, because the scheduler records the switch slightly before it happens. Only if records were lost
// does running prove that it came back; then it is taken to have been away until that moment.
//
// If a CPU lost records, calls under way are marked for the tasks that ran on it right before and right
// after, and for its idle task. Tasks that ran only meanwhile are unknown.
//
// The trace clock stamps the records, but another clock measures durations, and the two may drift apart
// slightly. Negative differences are set to 0 and counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "daemon/analysis/calls/call_returns.hpp"
#include "daemon/analysis/calls/call_task.hpp"
#include "daemon/analysis/calls/call_tracker.hpp"
#include "daemon/analysis/calls/call_tree.hpp"
#include "daemon/analysis/calls/function_table.hpp"
#include "daemon/analysis/calls/graph_event.hpp"
#include "daemon/model/function_profile.hpp"

namespace netperfd::analysis {

class CallPairing {
 public:
  explicit CallPairing(const CallSettings& settings);

  void add(std::uint32_t cpu, const GraphEvent& event);

  // Counts the calls that wait for what follows them.
  void settle();

  [[nodiscard]] FunctionTable& functions() { return functions_; }
  [[nodiscard]] const CallTree& tree() const { return tree_; }
  // If there were ends of calls, and no beginning; otherwise null.
  [[nodiscard]] const CallReturns* returns() const {
    return returns_ && returns_->any() ? returns_.get() : nullptr;
  }
  [[nodiscard]] CallDamage damage() const;
  [[nodiscard]] std::uint64_t slice_ns() const { return released_ ? functions_.slice_ns() : 0; }

 private:
  struct Cpu {
    std::optional<std::int32_t> pid;        // of the task that was last seen to run
    std::uint32_t task = TaskTable::kNone;  // the same, if it is known and in the table
    bool after_loss = false;                // the next record is the first after lost ones
  };
  struct Place {
    std::uint32_t node = CallTree::kNone;
    std::uint32_t function = 0;
    bool inner = false;
  };

  // Interrupts in the two moments of a call that its records and its duration do not agree on.
  struct Edges {
    std::uint64_t before_ns = 0, after_ns = 0;
    std::uint32_t before = 0, after = 0;   // their numbers
    std::vector<std::uint64_t> sums = {};  // as in Undecided: not decided yet which came before
  };

  [[nodiscard]] Task& task_of(std::uint32_t number, Cpu& cpu, const GraphEvent& event);
  void take_stamp(Task& task, std::uint64_t time);
  // Whether the event is the entry of an interrupt that came after the kernel took the frame off its stack.
  [[nodiscard]] static bool comes_before_exit(const Frame& frame, const GraphEvent& event);
  void enter(Task& task, const GraphEvent& event);
  void leave(Task& task, const GraphEvent& event);
  void close(Task& task, const GraphEvent& event);
  void drop(Task& task);
  void count_unmatched(Task& task, const GraphEvent& event);
  void count_overrun(Task& task, const GraphEvent& event);
  void hit(const GraphEvent& event);
  void switch_tasks(std::uint32_t number, Cpu& cpu, const GraphEvent& event);
  void come_back(Task& task, std::uint64_t time);
  void lose(std::uint32_t number, Cpu& cpu, std::uint64_t time);

  [[nodiscard]] Place find_place(std::uint32_t parent, std::uint64_t address,
                                 const std::vector<Frame>& frames, bool root);
  [[nodiscard]] Place make_place(std::uint32_t parent, std::uint64_t address,
                                 const std::vector<Frame>& frames, bool root);
  [[nodiscard]] Edges edges_of(Task& task, const GraphEvent& event, std::uint64_t raw_ns,
                               std::uint64_t slept_ns);
  void find_by_duration(Task& task, const GraphEvent& event, std::uint64_t raw_ns, std::uint64_t slept_ns,
                        Edges& edges);
  static void add_gap(Task& task, const Interruption& interruption);
  [[nodiscard]] static std::size_t gaps_below(const Task& task);
  [[nodiscard]] static std::uint64_t tolerance_of(const GraphEvent& event, std::uint64_t raw_ns);
  [[nodiscard]] bool put_off(Task& task, const Frame& frame, const GraphEvent& event, const EndedFrame& ended,
                             const Edges& edges);
  void bound_by_next(Task& task, std::uint64_t time);
  [[nodiscard]] std::uint64_t take_from_undecided(Task& task, std::uint64_t missing_ns);
  static void move_into(Task& task, Undecided& call, std::size_t interrupts);
  void commit_above(Task& task, std::size_t level);
  void take_off(EndedCall& call, std::uint64_t slept_ns, std::uint64_t callees_ns, std::uint64_t tolerance);
  void end_frame(Task& task, const Frame& frame, const Edges& edges, const EndedFrame& ended,
                 std::uint64_t start);
  void account(const EndedFrame& ended);
  [[nodiscard]] std::uint64_t less(std::uint64_t value, std::uint64_t by);

  bool sleep_in_recorded_;  // used if the kernel records durations
  bool off_cpu_known_;
  FunctionTable functions_;
  CallTree tree_;
  TaskTable tasks_;
  std::unique_ptr<CallReturns> returns_;  // until a call begins
  std::vector<Cpu> cpus_;
  CallDamage damage_;
  std::uint64_t first_time_ = 0;  // of all records
  std::uint64_t last_loss_ = 0;
  std::size_t undecided_ = 0;  // calls, of all tasks
  std::uint64_t release_ = 0;
  bool begun_ = false;
  bool lost_ = false;
  bool released_ = false;
};

}  // namespace netperfd::analysis
