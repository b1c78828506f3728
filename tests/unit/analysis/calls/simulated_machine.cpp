// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/analysis/calls/simulated_machine.hpp"

#include <algorithm>

namespace netperfd::analysis {
namespace {

// The trace clock differs from the clock of calltime and rettime by this much.
constexpr std::uint64_t kClocksApart = 69'000'000;
constexpr std::size_t kDeepest = 12;

}  // namespace

SimulatedMachine::SimulatedMachine(const MachineShape& shape)
    : shape_(shape), generator_(shape.seed), current_(shape.cpus), rings_(shape.cpus) {
  for (std::uint32_t cpu = 0; cpu < shape.cpus; ++cpu) {
    tasks_.push_back({0, {}, true});
    current_[cpu] = cpu;
  }
  for (std::int32_t task = 0; task < shape.tasks; ++task) tasks_.push_back({100 + task, {}, false});
}

void SimulatedMachine::step() {
  pass(random(50) == 0 ? 1 + random(400'000) : 1 + random(500));
  const auto cpu = static_cast<std::uint32_t>(random(shape_.cpus));
  Task& task = tasks_[current_[cpu]];
  const bool open = !task.calls.empty() && !task.calls.back().gone;
  const bool in_task = !open || task.calls.back().context == ContextRank::task;
  const std::uint64_t chance = random(100);
  if (chance < 8 && in_task) {
    switch_away(cpu, chance == 0);
  } else if (open && (chance < 55 || task.calls.size() >= kDeepest)) {
    leave(cpu, task);
  } else {
    enter(cpu, task);
  }
}

void SimulatedMachine::begin_trace() {
  tracing_ = true;
  // The trace then begins with a record, as it does for a reader.
  record(0, event(GraphEventKind::task_switch, tasks_[current_[0]]));
  rings_[0].back().next_pid = rings_[0].back().pid;
}

void SimulatedMachine::release() {
  pass(1);
  const GraphEvent mark = event(GraphEventKind::release, tasks_[current_[0]]);
  truth_.release = mark.time;
  record(0, mark);
}

std::vector<GraphEvent> SimulatedMachine::take(std::uint32_t cpu, std::size_t most) {
  auto& ring = rings_[cpu];
  const auto end = ring.begin() + static_cast<std::ptrdiff_t>(std::min(most, ring.size()));
  std::vector<GraphEvent> taken(ring.begin(), end);
  ring.erase(ring.begin(), end);
  return taken;
}

Truth SimulatedMachine::truth() const {
  Truth truth = truth_;
  for (const Task& task : tasks_) {
    truth.damage.open_at_end += static_cast<std::uint64_t>(std::ranges::count_if(task.calls, &Call::traced));
  }
  return truth;
}

GraphEvent SimulatedMachine::event(GraphEventKind kind, const Task& task) const {
  GraphEvent event;
  event.kind = kind;
  event.time = now_ + kClocksApart;
  event.pid = task.pid;
  return event;
}

void SimulatedMachine::record(std::uint32_t cpu, const GraphEvent& event) {
  if (tracing_) rings_[cpu].push_back(event);
}

void SimulatedMachine::pass(std::uint64_t ns) {
  now_ += ns;
  for (Task& task : tasks_) charge(task, ns);
}

// Charges the calls whose code is really running: the innermost interrupt and the calls inside it.
void SimulatedMachine::charge(Task& task, std::uint64_t ns) {
  bool interrupted = false;
  for (auto call = task.calls.rbegin(); call != task.calls.rend(); ++call) {
    if (!task.running) {
      call->off_cpu_ns += ns;
    } else if (interrupted) {
      call->interrupted_ns += ns;
    } else {
      call->total_ns += ns;
      if (call == task.calls.rbegin()) call->self_ns += ns;
    }
    interrupted = interrupted || call->interrupt;
  }
}

void SimulatedMachine::begin(std::uint32_t cpu, Task& task, const Call& call) {
  task.calls.push_back(call);
  record_entry(cpu, task, call);
}

void SimulatedMachine::record_entry(std::uint32_t cpu, const Task& task, const Call& call) {
  GraphEvent entry = event(GraphEventKind::entry, task);
  entry.function = call.function;
  entry.depth = call.depth;
  entry.context = call.context;
  record(cpu, entry);
}

// The kernel takes the call's time, and then writes the entry: interrupts may come between.
void SimulatedMachine::interrupt_entry(std::uint32_t cpu, Task& task, const Call& call, ContextRank below) {
  const bool can_interrupt =
      call.traced && shape_.kernel_tells_times && call.context < ContextRank::nmi && call.context >= below;
  if (!can_interrupt) return;
  while (random(12) == 0) {
    pass(random(20));
    interrupt(cpu, task, static_cast<std::uint16_t>(call.depth + random(2)), call.context);
    pass(random(20));
  }
}

void SimulatedMachine::enter(std::uint32_t cpu, Task& task) {
  const bool is_new = !task.calls.empty() && task.calls.back().gone;
  if (is_new) bury(task);
  const Call* below = task.calls.empty() ? nullptr : &task.calls.back();
  const bool seen_below = below != nullptr && below->traced;
  const ContextRank rank = below != nullptr ? below->context : ContextRank::task;
  Call call;
  call.function = 'a' + random(shape_.functions);
  call.entered = now_;
  call.traced = tracing_;
  call.depth = 0;
  // Functions of another tracer are not seen, but count in the depth.
  if (below != nullptr)
    call.depth = static_cast<std::uint16_t>(below->depth + 1 + (random(6) == 0 ? random(3) : 0));
  call.context = rank;
  // The first call of a new task is its own: an interrupt there would look like one before the exit of a call
  // of the task that had its pid.
  if (random(8) == 0 && !is_new) call.context = static_cast<ContextRank>(random(4));
  // An interrupt's own code may run softirqs, but no task code.
  if (rank != ContextRank::task && call.context == ContextRank::task) call.context = ContextRank::softirq;
  call.interrupt = call.context > (seen_below ? rank : ContextRank::task);
  call.root = call.interrupt || !seen_below;
  task.calls.push_back(call);
  if (!is_new) interrupt_entry(cpu, task, call, seen_below ? rank : ContextRank::task);
  record_entry(cpu, task, call);
}

void SimulatedMachine::interrupt(std::uint32_t cpu, Task& task, std::uint16_t depth, ContextRank over) {
  Call call;
  call.function = 'a' + random(shape_.functions);
  call.entered = now_;
  call.depth = depth;
  const auto rank = static_cast<std::uint64_t>(over);
  call.context = static_cast<ContextRank>(rank + 1 + random(3 - rank));
  call.traced = call.root = call.interrupt = true;
  begin(cpu, task, call);
  pass(1 + random(500));
  leave(cpu, task);
}

// Older kernels take a call off their stack, then take the time of its return, and then write the record;
// newer ones take it off the stack last. Gives the time of the return.
std::uint64_t SimulatedMachine::end_call(std::uint32_t cpu, Task& task) {
  const Call call = task.calls.back();
  const bool can_interrupt = call.traced && shape_.kernel_tells_times && call.context < ContextRank::nmi;
  if (!can_interrupt || random(20) != 0) return now_;
  const bool newer = random(2) == 0;
  if (!newer && random(2) == 0) {
    interrupt(cpu, task, call.depth, call.context);
    return now_;
  }
  const std::uint64_t returned = now_;
  task.calls.pop_back();
  interrupt(cpu, task, static_cast<std::uint16_t>(call.depth + (newer ? 1 : 0)), call.context);
  task.calls.push_back(call);
  return returned;
}

void SimulatedMachine::leave(std::uint32_t cpu, Task& task) {
  const std::uint64_t returned = end_call(cpu, task);
  const Call call = task.calls.back();
  GraphEvent exit = event(GraphEventKind::exit, task);
  exit.function = call.function;
  exit.depth = call.depth;
  exit.context = call.context;
  if (shape_.kernel_tells_times) {
    exit.start = call.entered;
    exit.end = returned;
    // With the option sleep-time off, the kernel moves the start forward by the time asleep.
    if (!shape_.sleep_in_recorded) exit.start += call.off_cpu_ns;
  }
  record(cpu, exit);
  if (call.traced) {
    count(task, call, returned);
  } else if (tracing_) {
    ++truth_.damage.open_at_start;
  }
  task.calls.pop_back();
}

void SimulatedMachine::count(Task& task, const Call& call, std::uint64_t returned) {
  bool inner = false;
  std::string path;
  for (std::size_t at = task.calls.size(); at-- > 0;) {
    const Call& each = task.calls[at];
    path.insert(path.begin(), static_cast<char>(each.function));
    inner = inner || (at + 1 < task.calls.size() && each.function == call.function);
    if (!each.root) continue;
    if (each.interrupt) path.insert(path.begin(), '!');
    break;
  }
  Truth::Function& function = truth_.functions[call.function];
  ++function.hits;
  if (!inner) {
    function.total_ns += call.total_ns;
    function.interrupted_ns += call.interrupted_ns;
    function.off_cpu_ns += call.off_cpu_ns;
  }
  function.self_ns += call.self_ns;
  // Between two stamps all time passes, whatever the kernel's option.
  const bool with_sleep = shape_.sleep_in_recorded || !shape_.kernel_tells_times;
  function.recorded_ns += returned - call.entered - (with_sleep ? 0 : call.off_cpu_ns);
  function.callees += call.callees;
  function.interruptions += call.interruptions;
  if (call.root) ++function.roots;
  if (call.interrupt) ++function.interrupt_roots;
  function.totals.push_back(call.total_ns);
  function.ended.emplace_back(now_ + kClocksApart, call.self_ns);
  Truth::Node& node = truth_.paths[path];
  ++node.hits;
  node.total_ns += call.total_ns;
  node.self_ns += call.self_ns;
  if (call.interrupt && task.calls.size() > 1) ++task.calls[task.calls.size() - 2].interruptions;
  if (call.root) return;
  Call& caller = task.calls[task.calls.size() - 2];
  ++caller.callees;
  Truth::Node& edge = truth_.edges[{caller.function, call.function}];
  ++edge.hits;
  edge.total_ns += call.total_ns;
}

void SimulatedMachine::switch_away(std::uint32_t cpu, bool task_ends) {
  std::vector<std::size_t> ready{cpu};
  for (std::size_t task = shape_.cpus; task < tasks_.size(); ++task) {
    if (!tasks_[task].running) ready.push_back(task);
  }
  const std::size_t next = ready[random(ready.size())];
  Task& from = tasks_[current_[cpu]];
  if (next == current_[cpu]) return;
  if (task_ends && from.pid != 0) {
    for (Call& call : from.calls) call.gone = true;
    std::erase_if(from.calls, [](const Call& call) { return !call.traced; });
  }
  GraphEvent moment = event(GraphEventKind::task_switch, from);
  moment.next_pid = tasks_[next].pid;
  record(cpu, moment);
  from.running = false;
  tasks_[next].running = true;
  current_[cpu] = next;
}

// A new task gets the pid of one that ended within calls, and enters its first call.
void SimulatedMachine::bury(Task& task) {
  truth_.damage.unmatched_entries += task.calls.size();
  task.calls.clear();
}

}  // namespace netperfd::analysis
