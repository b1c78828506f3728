// SPDX-License-Identifier: GPL-2.0-or-later
// Which interrupts came between a call's time and its entry, or between its return and its exit.
#include <algorithm>
#include <span>
#include <utility>

#include "daemon/analysis/calls/call_pairing.hpp"

namespace netperfd::analysis {
namespace {

using Gap = std::span<const Interruption>;

constexpr std::size_t kMostInGap = 64;
constexpr std::size_t kMostUndecided = 1'024;     // of one task
constexpr std::uint64_t kStampTolerance = 2'000;  // two stamps, each cut off after a microsecond

bool is_of_text(const GraphEvent& event) {
  return event.start == kOnlyDuration || event.start == kDurationAndStamp;
}

struct Chosen {
  std::uint32_t number = 0;
  std::uint64_t ns = 0;
};

// The latest interrupts that began at `begin` or later and took no more than `most_ns`. The bound holds
// unless the clocks of two CPUs differ.
Chosen since(Gap gap, std::uint64_t begin, std::uint64_t most_ns) {
  Chosen chosen;
  for (; !gap.empty(); gap = gap.first(gap.size() - 1)) {
    const Interruption& last = gap.back();
    if (last.start < begin || last.taken_ns > most_ns - chosen.ns) break;
    chosen.ns += last.taken_ns;
    ++chosen.number;
  }
  return chosen;
}

// The latest interrupts that together took about `wanted_ns`; none if it is not nearly so much.
Chosen nearest(Gap gap, std::uint64_t wanted_ns) {
  const auto distance = [&](std::uint64_t ns) { return ns > wanted_ns ? ns - wanted_ns : wanted_ns - ns; };
  Chosen sum, best;
  for (; !gap.empty(); gap = gap.first(gap.size() - 1)) {
    sum.ns += gap.back().taken_ns;
    ++sum.number;
    if (distance(sum.ns) < distance(best.ns)) best = sum;
  }
  return distance(best.ns) <= best.ns / 4 + kStampTolerance ? best : Chosen{};
}

// As few of the latest interrupts as together took `wanted_ns` or more; all of them if they took less.
Chosen at_least(Gap gap, std::uint64_t wanted_ns) {
  Chosen sum;
  for (; !gap.empty() && sum.ns < wanted_ns; gap = gap.first(gap.size() - 1)) {
    sum.ns += gap.back().taken_ns;
    ++sum.number;
  }
  return sum;
}

// The latest interrupts that were deeper than the call after them can be, up to `most_ns`.
Chosen deeper(Gap gap, std::uint16_t depth, std::uint64_t most_ns) {
  Chosen sum;
  for (; !gap.empty() && gap.back().depth > depth; gap = gap.first(gap.size() - 1)) {
    if (gap.back().taken_ns > most_ns - sum.ns) break;
    sum.ns += gap.back().taken_ns;
    ++sum.number;
  }
  return sum;
}

std::vector<std::uint64_t> sums_of(Gap gap, std::uint64_t most_ns) {
  std::vector<std::uint64_t> sums;
  std::uint64_t sum = 0;
  for (; !gap.empty() && gap.back().taken_ns <= most_ns - sum; gap = gap.first(gap.size() - 1)) {
    sum += gap.back().taken_ns;
    sums.push_back(sum);
  }
  return sums;
}

}  // namespace

std::size_t CallPairing::gaps_below(const Task& task) {
  return task.frames.empty() ? 0 : task.frames.back().gap_end;
}

std::uint64_t CallPairing::tolerance_of(const GraphEvent& event, std::uint64_t raw_ns) {
  constexpr std::uint64_t kCutOff = 1'000'000;  // seven digits
  return is_of_text(event) ? raw_ns / kCutOff + 1 : 0;
}

// An idle task may be interrupted for as long as the trace lasts.
void CallPairing::add_gap(Task& task, const Interruption& interruption) {
  const std::size_t begin = gaps_below(task);
  if (task.gaps.size() - begin >= kMostInGap) {
    const auto first = task.gaps.begin() + static_cast<std::ptrdiff_t>(begin);
    task.gaps.erase(first, first + kMostInGap / 2);
  }
  task.gaps.push_back(interruption);
}

CallPairing::Edges CallPairing::edges_of(Task& task, const GraphEvent& event, std::uint64_t raw_ns,
                                         std::uint64_t slept_ns) {
  Edges edges;
  // Between two stamps, the records are all there is.
  if (event.start == 0 || event.end == 0) return edges;
  if (is_of_text(event)) {
    find_by_duration(task, event, raw_ns, slept_ns, edges);
    return edges;
  }
  if (task.gaps.empty()) return edges;
  const std::vector<Frame>& frames = task.frames;
  const Frame& frame = frames.back();
  const Gap gaps(task.gaps);
  const std::size_t begin = frames.size() > 1 ? frames[frames.size() - 2].gap_end : 0;
  // Without sleep-time, the kernel moves the call's time by what it slept.
  const std::uint64_t slept_off = sleep_in_recorded_ ? 0 : task.off_cpu_ns - frame.off_cpu_ns;
  const Chosen before = since(gaps.subspan(begin, frame.gap_end - begin),
                              event.start - std::min(event.start, slept_off), raw_ns);
  const Chosen after =
      since(gaps.subspan(frame.gap_end), event.end, task.interrupted_ns - frame.interrupted_ns);
  edges.before_ns = before.ns;
  edges.before = before.number;
  edges.after_ns = after.ns;
  edges.after = after.number;
  return edges;
}

void CallPairing::find_by_duration(Task& task, const GraphEvent& event, std::uint64_t raw_ns,
                                   std::uint64_t slept_ns, Edges& edges) {
  const std::vector<Frame>& frames = task.frames;
  const Frame& frame = frames.back();
  const Gap gaps(task.gaps);
  const std::size_t begin = frames.size() > 1 ? frames[frames.size() - 2].gap_end : 0;
  const Gap before = gaps.subspan(begin, frame.gap_end - begin), after = gaps.subspan(frame.gap_end);
  Chosen early, late;
  // A line with entry and exit has the stamp of its entry alone.
  const bool stamped = event.start == kDurationAndStamp && event.time > frame.entered;
  if (stamped) {
    const std::uint64_t elapsed = event.time - frame.entered;
    if (elapsed > raw_ns) {
      late = nearest(after, elapsed - raw_ns);
    } else {
      early = nearest(before, raw_ns - elapsed);
    }
  }
  const std::uint64_t most_ns = raw_ns + tolerance_of(event, raw_ns);
  const auto within = [&] {
    return task.interrupted_ns - frame.interrupted_ns - late.ns + early.ns + slept_ns + frame.callees_ns;
  };
  if (within() > most_ns) early = {};
  if (within() > most_ns) (void)take_from_undecided(task, within() - most_ns);
  if (within() > most_ns && late.number == 0) late = at_least(after, within() - most_ns);
  const std::uint64_t rest_ns = raw_ns - std::min(raw_ns, within());
  if (early.number == 0 && !stamped) early = deeper(before, frame.depth, rest_ns);
  edges.before_ns = early.ns;
  edges.before = early.number;
  edges.after_ns = late.ns;
  edges.after = late.number;
  if (early.number == 0 && !stamped && !frame.interrupt) edges.sums = sums_of(before, rest_ns);
}

// False if nothing that follows can decide.
bool CallPairing::put_off(Task& task, const Frame& frame, const GraphEvent& event, const EndedFrame& ended,
                          const Edges& edges) {
  const bool awaits_next = event.start == kDurationAndStamp;
  if (task.frames.empty() && !awaits_next) return false;
  if (task.undecided.size() >= kMostUndecided) {
    account(task.undecided.front().ended);
    task.undecided.erase(task.undecided.begin());
    --undecided_;
  }
  Undecided& call = task.undecided.emplace_back();
  call.ended = ended;
  call.entered = frame.entered;
  call.sums = edges.sums;
  call.level = task.frames.size();
  call.awaits_next = awaits_next;
  ++undecided_;
  return true;
}

void CallPairing::bound_by_next(Task& task, std::uint64_t time) {
  Undecided& call = task.undecided.back();
  call.awaits_next = false;
  const std::uint64_t room_ns = time - std::min(time, call.entered) + kStampTolerance;
  const std::uint64_t raw_ns = call.ended.call.raw_ns;
  const auto fits = std::ranges::find_if(call.sums, [&](std::uint64_t ns) { return raw_ns - ns <= room_ns; });
  const bool early = raw_ns > room_ns && fits != call.sums.end();
  if (early) move_into(task, call, static_cast<std::size_t>(fits - call.sums.begin()) + 1);
  if (!early && call.level > 0) return;
  account(call.ended);
  task.undecided.pop_back();
  --undecided_;
}

// Counts the last `interrupts` before the call's entry as within it.
void CallPairing::move_into(Task& task, Undecided& call, std::size_t interrupts) {
  const std::uint64_t ns = call.sums[interrupts - 1];
  const auto number = static_cast<std::uint32_t>(interrupts);
  EndedCall& ended = call.ended.call;
  ended.total_ns -= ns;
  ended.self_ns -= ns;
  ended.interrupted_ns += ns;
  ended.interruptions += number;
  if (call.level == 0) return;
  Frame& caller = task.frames[call.level - 1];
  caller.callees_ns -= ns;
  caller.interruptions -= number;
}

// The innermost call is too short for what happened within it, by `missing_ns`: interrupts that seemed to
// come before one of its callees came within it. Gives how much that was.
std::uint64_t CallPairing::take_from_undecided(Task& task, std::uint64_t missing_ns) {
  const std::size_t level = task.frames.size();
  std::uint64_t taken_ns = 0;
  while (taken_ns < missing_ns) {
    const std::uint64_t wanted_ns = missing_ns - taken_ns;
    std::pair<Undecided*, std::size_t> best{nullptr, 0};
    std::uint64_t best_ns = 0;
    for (auto call = task.undecided.rbegin(); call != task.undecided.rend() && call->level == level; ++call) {
      for (std::size_t i = 0; i < call->sums.size(); ++i) {
        const std::uint64_t ns = call->sums[i];
        const bool enough = best_ns >= wanted_ns;
        if (enough ? ns >= wanted_ns && ns < best_ns : ns > best_ns) {
          best = {&*call, i + 1};
          best_ns = ns;
        }
      }
    }
    if (best.first == nullptr) break;
    move_into(task, *best.first, best.second);
    best.first->sums.clear();
    taken_ns += best_ns;
  }
  return taken_ns;
}

void CallPairing::commit_above(Task& task, std::size_t level) {
  while (!task.undecided.empty() && task.undecided.back().level > level) {
    account(task.undecided.back().ended);
    task.undecided.pop_back();
    --undecided_;
  }
}

void CallPairing::settle() {
  if (undecided_ == 0) return;
  for (Task& task : tasks_.all()) {
    for (const Undecided& call : task.undecided) account(call.ended);
    task.undecided.clear();
  }
  undecided_ = 0;
}

}  // namespace netperfd::analysis
