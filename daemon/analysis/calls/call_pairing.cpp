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
      tasks_(settings.tasks),
      returns_(std::make_unique<CallReturns>(settings.functions, settings.tasks)) {}

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
    if (undecided_ > 0 && tasks_.full()) settle();
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
  if (!task.undecided.empty() && task.undecided.back().awaits_next) bound_by_next(task, event.time);
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
  if (returns_) returns_.reset();
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
  frame.gap_end = static_cast<std::uint32_t>(task.gaps.size());
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
  if (returns_) returns_->add(task.key, event);
  count_unmatched(task, event);
}

void CallPairing::close(Task& task, const GraphEvent& event) {
  const Frame& frame = task.frames.back();
  const bool timed = is_timed(event);
  const bool possible = !timed || is_possible(event);
  const std::uint64_t slept_so_far = task.off_cpu_ns - frame.off_cpu_ns;
  // Without durations, all time passes between the two stamps.
  const std::uint64_t slept_ns = sleep_in_recorded_ || !timed ? slept_so_far : 0;
  EndedFrame ended;
  ended.slept_ns = slept_ns;
  ended.time = event.time;
  ended.function = frame.function;
  ended.node = frame.node;
  ended.root = frame.root;
  ended.interrupt = frame.interrupt;
  ended.call.inner = frame.inner;
  ended.call.timed = possible;
  ended.call.callees = frame.callees;
  ended.call.off_cpu_ns = slept_so_far;
  if (timed) {
    ended.call.raw_ns = possible ? event.end - event.start : 0;
  } else {
    ended.call.raw_ns = less(event.time, frame.entered);
  }
  if (frame.over_loss) ++damage_.over_losses;

  const std::uint64_t raw_ns = ended.call.raw_ns;
  const Edges edges = possible ? edges_of(task, event, raw_ns, slept_ns) : Edges{};
  const std::uint64_t within_ns = task.interrupted_ns - frame.interrupted_ns;
  ended.call.interrupted_ns = within_ns + edges.before_ns - edges.after_ns;
  ended.call.interruptions = frame.interruptions + edges.before - edges.after;
  if (possible) {
    take_off(ended.call, slept_ns, task.frames.back().callees_ns, tolerance_of(event, raw_ns));
  }
  if (!frame.root) ended.caller = (task.frames.end() - 2)->function;
  const Frame closed = frame;
  task.frames.pop_back();
  end_frame(task, closed, edges, ended, timed ? event.start : 0);
  commit_above(task, task.frames.size());
  if (edges.sums.empty() || !put_off(task, closed, event, ended, edges)) account(ended);
}

// A text cuts its durations off, so a call may seem shorter by `tolerance` than what happened within it.
void CallPairing::take_off(EndedCall& call, std::uint64_t slept_ns, std::uint64_t callees_ns,
                           std::uint64_t tolerance) {
  const std::uint64_t off_ns = call.interrupted_ns + slept_ns;
  const std::uint64_t within_ns = off_ns + callees_ns;
  if (call.raw_ns < within_ns && within_ns - call.raw_ns > tolerance) ++damage_.clipped;
  call.total_ns = call.raw_ns - std::min(call.raw_ns, off_ns);
  call.self_ns = call.total_ns - std::min(call.total_ns, callees_ns);
}

// What the call's caller, or the task that it interrupted, learns of it.
void CallPairing::end_frame(Task& task, const Frame& frame, const Edges& edges, const EndedFrame& ended,
                            std::uint64_t start) {
  const EndedCall& call = ended.call;
  Frame* const below = task.frames.empty() ? nullptr : &task.frames.back();
  if (below != nullptr) below->interruptions += edges.after - edges.before;
  if (!frame.interrupt) {
    task.gaps.resize(gaps_below(task));
    if (frame.root || below == nullptr) return;
    below->callees_ns += call.timed ? call.total_ns : frame.callees_ns;
    ++below->callees;
    return;
  }
  const std::uint64_t before_ns = frame.interrupted_ns - edges.before_ns;
  if (call.timed) {
    const std::uint64_t own_ns = call.raw_ns - std::min(call.raw_ns, ended.slept_ns);
    task.interrupted_ns = std::max(task.interrupted_ns, before_ns + own_ns + edges.after_ns);
  } else {
    task.interrupted_ns += frame.callees_ns;
  }
  // What came after this one's return came over `below`, too.
  const std::vector<Interruption> later(task.gaps.end() - edges.after, task.gaps.end());
  task.gaps.resize(frame.gap_end - edges.before);
  add_gap(task, {start, task.interrupted_ns - before_ns - edges.after_ns, frame.depth});
  for (const Interruption& each : later) add_gap(task, each);
  if (below != nullptr) ++below->interruptions;
}

void CallPairing::account(const EndedFrame& ended) {
  const EndedCall& call = ended.call;
  FunctionCount& function = functions_[ended.function];
  function.add(call);
  if (released_ && ended.time >= release_) {
    functions_.add_to_slice(function, ended.time - release_, call.self_ns);
  }
  if (ended.node != CallTree::kNone) {
    CallTree::Node& node = tree_[ended.node];
    ++node.hits;
    if (call.timed) ++node.timed;
    node.total_ns += call.total_ns;
    node.self_ns += call.self_ns;
  } else {
    ++damage_.tree_overflow;
    if (!ended.root) tree_.add_edge(ended.caller, ended.function, call.total_ns);
  }
  if (ended.root) ++function.roots;
  if (ended.interrupt) ++function.interrupt_roots;
}

// The call's own time is unknown, but its callees' time is still subtracted from the calls around it.
void CallPairing::drop(Task& task) {
  const Frame frame = task.frames.back();
  task.frames.pop_back();
  ++damage_.unmatched_entries;
  commit_above(task, task.frames.size());
  task.gaps.resize(frame.interrupt ? frame.gap_end : gaps_below(task));
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
  returns_.reset();
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
