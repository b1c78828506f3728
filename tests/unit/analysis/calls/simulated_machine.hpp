// SPDX-License-Identifier: GPL-2.0-or-later
// A machine that runs synthetic tasks on several CPUs and writes the records that function_graph would write.
// It also keeps the truth: each nanosecond is charged to its owner as it passes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "daemon/analysis/calls/graph_event.hpp"
#include "daemon/model/function_profile.hpp"

namespace netperfd::analysis {

struct MachineShape {
  std::uint64_t seed = 0;
  std::uint32_t cpus = 3;
  std::int32_t tasks = 6;
  std::uint32_t functions = 6;
  bool kernel_tells_times = true;
  bool sleep_in_recorded = true;
};

// The expected contents of a FunctionProfile of the same history.
struct Truth {
  struct Function {
    std::uint64_t hits = 0, total_ns = 0, self_ns = 0, recorded_ns = 0, interrupted_ns = 0, off_cpu_ns = 0;
    std::uint64_t callees = 0, interruptions = 0, roots = 0, interrupt_roots = 0;
    std::vector<std::uint64_t> totals;                           // one for each call
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ended;  // end on the trace clock, and self time
  };
  struct Node {
    std::uint64_t hits = 0, total_ns = 0, self_ns = 0;
  };
  std::map<std::uint64_t, Function> functions;                    // only those with calls
  std::map<std::pair<std::uint64_t, std::uint64_t>, Node> edges;  // by caller and callee
  std::map<std::string, Node> paths;  // by letters; "!" begins a path of an interrupt
  CallDamage damage;
  std::uint64_t release = 0;
};

class SimulatedMachine {
 public:
  explicit SimulatedMachine(const MachineShape& shape);

  // Lets one thing happen on one CPU.
  void step();
  void begin_trace();
  void release();
  // The oldest `most` records of a CPU that nobody has taken yet.
  [[nodiscard]] std::vector<GraphEvent> take(std::uint32_t cpu, std::size_t most);
  [[nodiscard]] std::size_t waiting(std::uint32_t cpu) const { return rings_[cpu].size(); }
  // Calls still open are counted as open at the end.
  [[nodiscard]] Truth truth() const;

 private:
  struct Call {
    std::uint64_t function = 0;
    std::uint64_t entered = 0;
    std::uint64_t total_ns = 0, self_ns = 0, interrupted_ns = 0, off_cpu_ns = 0, callees = 0;
    std::uint64_t interruptions = 0;
    std::uint16_t depth = 0;
    ContextRank context = ContextRank::task;
    bool traced = false;     // entered since the trace began
    bool root = false;       // considering only traced calls
    bool interrupt = false;  // considering only traced calls
    bool gone = false;       // its task ended inside it
  };
  struct Task {
    std::int32_t pid = 0;
    std::vector<Call> calls;
    bool running = false;
  };

  std::uint64_t random(std::uint64_t below) { return generator_() % below; }
  [[nodiscard]] GraphEvent event(GraphEventKind kind, const Task& task) const;
  void record(std::uint32_t cpu, const GraphEvent& event);
  void pass(std::uint64_t ns);
  static void charge(Task& task, std::uint64_t ns);
  void enter(std::uint32_t cpu, Task& task);
  void leave(std::uint32_t cpu, Task& task);
  void begin(std::uint32_t cpu, Task& task, const Call& call);
  void record_entry(std::uint32_t cpu, const Task& task, const Call& call);
  void interrupt_entry(std::uint32_t cpu, Task& task, const Call& call, ContextRank below);
  void interrupt(std::uint32_t cpu, Task& task, std::uint16_t depth, ContextRank over);
  [[nodiscard]] std::uint64_t end_call(std::uint32_t cpu, Task& task);
  void count(Task& task, const Call& call, std::uint64_t returned);
  void switch_away(std::uint32_t cpu, bool task_ends);
  void bury(Task& task);

  MachineShape shape_;
  std::mt19937_64 generator_;
  std::vector<Task> tasks_;           // the idle tasks first, one for each CPU
  std::vector<std::size_t> current_;  // the running task of each CPU
  std::vector<std::vector<GraphEvent>> rings_;
  Truth truth_;
  std::uint64_t now_ = 1'000;  // of trace_clock_local
  bool tracing_ = false;
};

}  // namespace netperfd::analysis
