// Pairs entries and exits to calls, and adds each call up where it belongs.
//
// A task has one stack of calls whatever CPU it runs on; interrupts that come over it use the same stack. The
// kernel records an entry before, and an exit after, all that happens within the call, and with both the
// depth on that stack. Functions that another tracer follows count in the depth and are not recorded, so that
// it has gaps; but it always grows inwards. Hence:
// - an entry or exit at some depth says that no deeper call is under way any more, nor, unless it is the exit
//   of that very call, one of the same depth: what is found there has not returned within the trace
//   (do_exit(), or its exit was lost);
// - an exit whose entry is not there belongs to a call from before the trace began where no record of the
//   task was as far out before and none has been lost, or where its duration reaches back beyond the first
//   record. Else its entry has been lost.
//
// A call of a higher rank than the one below it, or than a task's where there is none, is an interrupt's: it
// is a root, in no call's tree but its own. One of a lower rank is not (irq_exit() runs softirqs). An
// interrupt's entry code still has the task's rank: where that is traced too, what it calls is taken for
// another root.
//
// What interrupts took of a call and how long its task was off the CPU is the growth of two sums of the task
// between entry and exit. An interrupt root adds its time to the first: not on top of what other interrupts
// took of it meanwhile, but in its place, since its own duration holds that too.
//
// A task is off the CPU from the switch away from it to the next switch to it. It may be seen to run in
// between: the scheduler records the switch a little before it happens. Only where records were lost does
// running prove that it came back; then it is taken to have been away until that moment.
//
// Where a CPU lost records, calls under way are marked of the tasks that ran on it right before and right
// after, and of its idle task. Whatever else ran only meanwhile is not known.
//
// Records of the trace are stamped by its clock, durations are measured by another, which may run apart from
// it by a little: differences that come out negative are taken for 0 and counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "daemon/analysis/call_task.hpp"
#include "daemon/analysis/call_tracker.hpp"
#include "daemon/analysis/call_tree.hpp"
#include "daemon/analysis/function_table.hpp"
#include "daemon/analysis/graph_event.hpp"
#include "daemon/model/function_profile.hpp"

namespace netperfd::analysis {

class CallPairing {
 public:
  explicit CallPairing(const CallSettings& settings);

  void add(std::uint32_t cpu, const GraphEvent& event);

  [[nodiscard]] FunctionTable& functions() { return functions_; }
  [[nodiscard]] const CallTree& tree() const { return tree_; }
  [[nodiscard]] CallDamage damage() const;
  [[nodiscard]] std::uint64_t slice_ns() const { return released_ ? functions_.slice_ns() : 0; }

 private:
  struct Cpu {
    std::optional<std::int32_t> pid;        // of the task that was last seen to run
    std::uint32_t task = TaskTable::kNone;  // the same, where it is known and in the table
    bool after_loss = false;                // the next record is the first after lost ones
  };
  struct Place {
    std::uint32_t node = CallTree::kNone;
    std::uint32_t function = 0;
    bool inner = false;
  };

  [[nodiscard]] Task& task_of(std::uint32_t number, Cpu& cpu, const GraphEvent& event);
  void take_stamp(Task& task, std::uint64_t time);
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
  void add_to_edge(const std::vector<Frame>& frames, std::uint64_t total_ns);
  [[nodiscard]] std::uint64_t less(std::uint64_t value, std::uint64_t by);

  bool sleep_in_recorded_;  // where the kernel tells durations
  bool off_cpu_known_;
  FunctionTable functions_;
  CallTree tree_;
  TaskTable tasks_;
  std::vector<Cpu> cpus_;
  CallDamage damage_;
  std::uint64_t first_time_ = 0;  // of all records
  std::uint64_t last_loss_ = 0;
  std::uint64_t release_ = 0;
  bool begun_ = false;
  bool lost_ = false;
  bool released_ = false;
};

}  // namespace netperfd::analysis
