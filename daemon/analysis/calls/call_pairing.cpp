// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/calls/call_pairing.hpp"

#include <algorithm>

namespace netperfd::analysis {
namespace {

// No kernel's return stack is full at a depth below this: the smallest holds 50 calls.
constexpr std::uint16_t kNeverFull = 16;

void mark_over_loss(Task& task) {
  for (Frame& frame : task.frames) frame.over_loss = true;
}

}  // namespace

CallPairing::CallPairing(const CallSettings& settings)
    : sleep_in_recorded_(settings.sleep_in_recorded.value_or(true)),
      off_cpu_known_(settings.off_cpu_known),
      functions_(settings.functions, settings.slices),
      tree_(settings.tree_nodes),
      tasks_(settings.tasks) {}

void CallPairing::add(std::uint32_t number, const GraphEvent& event) {
  if (number >= cpus_.size()) cpus_.resize(std::size_t{number} + 1);
  if (!begun_) {
    begun_ = true;
    first_time_ = event.time;
  }
  Cpu& cpu = cpus_[number];
  switch (event.kind) {
    case GraphEventKind::entry:
      enter(task_of(number, cpu, event), event);
      break;
    case GraphEventKind::exit:
      leave(task_of(number, cpu, event), event);
      break;
    case GraphEventKind::hit:
      hit(event);
      break;
    case GraphEventKind::task_switch:
      switch_tasks(number, cpu, event);
      break;
    case GraphEventKind::lost:
      lose(number, cpu, event.time);
      break;
    case GraphEventKind::release:
      if (!released_) release_ = event.time;
      released_ = true;
      break;
  }
}

CallDamage CallPairing::damage() const {
  CallDamage damage = damage_;
  damage.open_at_end = tasks_.open_calls();
  return damage;
}

Task& CallPairing::task_of(std::uint32_t number, Cpu& cpu, const GraphEvent& event) {
  if (cpu.pid != event.pid || cpu.task == TaskTable::kNone) {
    const std::uint64_t key = TaskTable::key_of(event.pid, number);
    bool moved = false;
    const std::uint32_t index = tasks_.find_or_make(key, moved);
    if (moved) {
      for (Cpu& each : cpus_) each.task = TaskTable::kNone;
    }
    cpu.pid = event.pid;
    cpu.task = index;
  }
  Task& task = tasks_[cpu.task];
  if (cpu.after_loss) {
    cpu.after_loss = false;
    mark_over_loss(task);
  }
  if (task.out && lost_ && last_loss_ >= task.out_since) come_back(task, event.time);
  take_stamp(task, event.time);
  return task;
}

// Records of one task may come in the wrong order if it moved to a CPU whose ring was read before. The order
// between different tasks does not matter.
void CallPairing::take_stamp(Task& task, std::uint64_t time) {
  if (time < task.last) {
    ++damage_.out_of_order;
  } else {
    task.last = time;
  }
}

bool CallPairing::comes_before_exit(const Frame& frame, const GraphEvent& event) {
  return frame.depth == event.depth && event.context > frame.context;
}

void CallPairing::enter(Task& task, const GraphEvent& event) {
  std::vector<Frame>& frames = task.frames;
  while (!frames.empty() && frames.back().depth >= event.depth && !comes_before_exit(frames.back(), event)) {
    drop(task);
  }
  if (event.depth < task.outermost) task.outermost = event.depth;

  const bool alone = frames.empty();
  const bool interrupt = event.context > (alone ? ContextRank::task : frames.back().context);
  std::uint32_t parent = CallTree::kRoots;
  if (interrupt) {
    parent = CallTree::kInterruptRoots;
  } else if (!alone) {
    parent = frames.back().node;
  }

  const bool root = alone || interrupt;
  const Place place = find_place(parent, event.function, frames, root);
  Frame& frame = frames.emplace_back();
  frame.address = event.function;
  frame.entered = event.time;
  frame.interrupted_ns = task.interrupted_ns;
  frame.off_cpu_ns = task.off_cpu_ns;
  frame.function = place.function;
  frame.node = place.node;
  frame.depth = event.depth;
  frame.context = event.context;
  frame.root = root;
  frame.interrupt = interrupt;
  frame.inner = place.inner;
}

CallPairing::Place CallPairing::find_place(std::uint32_t parent, std::uint64_t address,
                                           const std::vector<Frame>& frames, bool root) {
  const std::uint32_t node = tree_.find(parent, address);
  if (node == CallTree::kNone) return make_place(parent, address, frames, root);
  return {node, tree_[node].function, tree_[node].inner};
}

// For a new path, a function without room of its own, or a path without room in the tree.
CallPairing::Place CallPairing::make_place(std::uint32_t parent, std::uint64_t address,
                                           const std::vector<Frame>& frames, bool root) {
  Place place;
  place.function = functions_.find_or_make(address);
  const std::uint64_t counted_as = functions_[place.function].address;
  if (counted_as != address) place.node = tree_.find(parent, counted_as);
  if (place.node == CallTree::kNone) place.node = tree_.make(parent, counted_as, place.function);
  if (place.node != CallTree::kNone) {
    place.inner = tree_[place.node].inner;
  } else if (!root) {
    for (auto frame = frames.rbegin(); frame != frames.rend() && !place.inner; ++frame) {
      place.inner = frame->function == place.function;
      if (frame->root) break;
    }
  }
  return place;
}

void CallPairing::leave(Task& task, const GraphEvent& event) {
  std::vector<Frame>& frames = task.frames;
  count_overrun(task, event);
  while (!frames.empty() && frames.back().depth > event.depth) drop(task);
  while (!frames.empty() && frames.back().depth == event.depth) {
    if (frames.back().address == event.function) {
      close(task, event);
      return;
    }
    drop(task);
  }
  count_unmatched(task, event);
}

void CallPairing::close(Task& task, const GraphEvent& event) {
  const Frame& frame = task.frames.back();
  const bool timed = event.start != 0 && event.end != 0;
  EndedCall call;
  call.raw_ns = timed ? less(event.end, event.start) : less(event.time, frame.entered);
  const std::uint64_t after_ns = timed ? interrupts_after(task, event.end) : 0;
  call.interrupted_ns = task.interrupted_ns - frame.interrupted_ns - after_ns;
  call.off_cpu_ns = task.off_cpu_ns - frame.off_cpu_ns;
  call.callees = frame.callees;
  call.interruptions = frame.interruptions;
  call.inner = frame.inner;
  // Without durations, all time passes between the two stamps.
  const std::uint64_t slept_ns = sleep_in_recorded_ || !timed ? call.off_cpu_ns : 0;
  call.total_ns = less(call.raw_ns, call.interrupted_ns + slept_ns);
  call.self_ns = less(call.total_ns, frame.callees_ns);
  if (frame.over_loss) ++damage_.over_losses;

  FunctionCount& function = functions_[frame.function];
  function.add(call);
  if (released_ && event.time >= release_) {
    functions_.add_to_slice(function, event.time - release_, call.self_ns);
  }
  if (frame.node != CallTree::kNone) {
    CallTree::Node& node = tree_[frame.node];
    ++node.hits;
    node.total_ns += call.total_ns;
    node.self_ns += call.self_ns;
  } else {
    ++damage_.tree_overflow;
    if (!frame.root) add_to_edge(task.frames, call.total_ns);
  }

  if (frame.root) {
    ++function.roots;
    if (frame.interrupt) {
      ++function.interrupt_roots;
      const std::uint64_t own_ns = call.raw_ns - std::min(call.raw_ns, slept_ns);
      task.interrupted_ns = std::max(task.interrupted_ns, frame.interrupted_ns + own_ns + after_ns);
      end_interrupt(task, timed ? event.start : 0, task.interrupted_ns - frame.interrupted_ns - after_ns);
    }
  } else {
    Frame& caller = *(task.frames.end() - 2);
    caller.callees_ns += call.total_ns;
    ++caller.callees;
  }
  task.frames.pop_back();
}

void CallPairing::end_interrupt(Task& task, std::uint64_t start, std::uint64_t taken_ns) {
  const std::size_t over = task.frames.size() - 1;
  task.latest.at(task.next_interruption++ % task.latest.size()) = {start, taken_ns, over};
  if (over > 0) ++task.frames[over - 1].interruptions;
}

std::uint64_t CallPairing::interrupts_after(Task& task, std::uint64_t end) {
  const std::size_t over = task.frames.size();
  Frame& frame = task.frames.back();
  const std::uint64_t most_ns = task.interrupted_ns - frame.interrupted_ns;
  std::uint64_t after_ns = 0;
  for (Interruption& interruption : task.latest) {
    // The bounds hold unless the clocks of two CPUs differ.
    const bool fits = frame.interruptions > 0 && interruption.taken_ns <= most_ns - after_ns;
    if (interruption.over != over || interruption.start < end || !fits) continue;
    after_ns += interruption.taken_ns;
    interruption.over = over - 1;
    --frame.interruptions;
    if (over > 1) ++task.frames[over - 2].interruptions;
  }
  return after_ns;
}

void CallPairing::add_to_edge(const std::vector<Frame>& frames, std::uint64_t total_ns) {
  tree_.add_edge((frames.end() - 2)->function, frames.back().function, total_ns);
}

// The call's own time is unknown, but its callees' time is still subtracted from the calls around it.
void CallPairing::drop(Task& task) {
  const Frame frame = task.frames.back();
  task.frames.pop_back();
  ++damage_.unmatched_entries;
  if (frame.interrupt) {
    task.interrupted_ns += frame.callees_ns;
  } else if (!frame.root) {
    task.frames.back().callees_ns += frame.callees_ns;
  }
}

void CallPairing::count_unmatched(Task& task, const GraphEvent& event) {
  bool from_before = !lost_ && event.depth < task.outermost;
  if (event.start != 0 && event.end > event.start) {
    const std::uint64_t duration = event.end - event.start;
    from_before = from_before || event.time < first_time_ || event.time - first_time_ < duration;
  }
  ++(from_before ? damage_.open_at_start : damage_.unmatched_exits);
  if (event.depth < task.outermost) task.outermost = event.depth;
}

// The kernel never resets a task's count. The count in the first exit may date from before the trace. It does
// so if that exit is too far out for calls to have been left out just before it.
void CallPairing::count_overrun(Task& task, const GraphEvent& event) {
  if (event.overrun == task.overrun) {
    task.overrun_known = true;
    return;
  }
  if (event.overrun > task.overrun && (task.overrun_known || event.depth >= kNeverFull)) {
    damage_.depth_overruns += event.overrun - task.overrun;
  }
  task.overrun = event.overrun;
  task.overrun_known = true;
}

void CallPairing::hit(const GraphEvent& event) {
  const bool interrupt = event.context > ContextRank::task;
  const std::uint32_t parent = interrupt ? CallTree::kInterruptRoots : CallTree::kRoots;
  const Place place = find_place(parent, event.function, {}, true);
  FunctionCount& function = functions_[place.function];
  ++function.hits;
  ++function.roots;
  if (interrupt) ++function.interrupt_roots;
  if (released_ && event.time >= release_) functions_.add_to_slice(function, event.time - release_, 0);
  if (place.node != CallTree::kNone) {
    ++tree_[place.node].hits;
  } else {
    ++damage_.tree_overflow;
  }
}

void CallPairing::switch_tasks(std::uint32_t number, Cpu& cpu, const GraphEvent& event) {
  const std::uint32_t previous = tasks_.find(TaskTable::key_of(event.pid, number));
  if (previous != TaskTable::kNone) {
    Task& task = tasks_[previous];
    if (cpu.after_loss) mark_over_loss(task);
    if (task.out) come_back(task, event.time);
    take_stamp(task, event.time);
    task.out = true;
    task.out_since = event.time;
  }
  cpu.after_loss = false;
  cpu.pid = event.next_pid;
  cpu.task = tasks_.find(TaskTable::key_of(event.next_pid, number));
  if (cpu.task != TaskTable::kNone && tasks_[cpu.task].out) come_back(tasks_[cpu.task], event.time);
}

void CallPairing::come_back(Task& task, std::uint64_t time) {
  task.out = false;
  if (off_cpu_known_) task.off_cpu_ns += time - std::min(time, task.out_since);
}

void CallPairing::lose(std::uint32_t number, Cpu& cpu, std::uint64_t time) {
  lost_ = true;
  last_loss_ = std::max(last_loss_, time);
  cpu.after_loss = true;
  for (const std::int32_t pid : {cpu.pid.value_or(0), 0}) {
    const std::uint32_t index = tasks_.find(TaskTable::key_of(pid, number));
    if (index != TaskTable::kNone) mark_over_loss(tasks_[index]);
  }
}

std::uint64_t CallPairing::less(std::uint64_t value, std::uint64_t by) {
  if (value >= by) return value - by;
  ++damage_.clipped;
  return 0;
}

}  // namespace netperfd::analysis
