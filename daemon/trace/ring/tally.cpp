// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/tally.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "daemon/trace/ring/event_fields.hpp"
#include "daemon/trace/ring/function_names.hpp"
#include "daemon/trace/ring/subbuffer_order.hpp"
#include "daemon/trace/ring/tally_calls.hpp"
#include "daemon/trace/ring/tally_drops.hpp"
#include "daemon/trace/ring/tally_events.hpp"
#include "daemon/trace/ring/tally_marks.hpp"
#include "daemon/trace/ring/tally_samples.hpp"
#include "daemon/trace/ring/tally_slices.hpp"
#include "daemon/trace/ring/tally_stacks.hpp"
#include "daemon/trace/ring/tally_times.hpp"
#include "daemon/trace/ring/task_names.hpp"

namespace netperfd::trace {
namespace {

constexpr std::size_t kMostMarks = 1'100;  // more than RingTrace lets a caller make
constexpr std::size_t kMostBusiest = 8;
struct Cpu {
  TraceCpu counted;
  StackOwners owners;
  bool lost_uncounted = false;
  // For the sub-buffer being read.
  std::optional<std::uint64_t> first;
  std::uint64_t last = 0;
  bool short_record = false;
};

struct TimedMark {
  std::uint64_t time = 0;
  MarkText mark;
};

// The start of each record, the same for all events of one kernel.
struct Common {
  std::uint16_t type = 0;
  std::uint8_t flags = 0;
  std::uint8_t preempt_count = 0;
  std::int32_t pid = 0;
};

const EventFormat* format_of(const std::vector<KnownEvent>& events, std::string_view name) {
  const auto found =
      std::find_if(events.begin(), events.end(), [&](const KnownEvent& event) { return event.name == name; });
  return found == events.end() ? nullptr : &found->format;
}

}  // namespace

struct Tally::State {
  explicit State(TallySettings given);

  void add(std::uint32_t number, std::vector<std::byte>&& subbuffer);
  // Called by SubbufferOrder.
  void turn_to(std::uint32_t number);
  void begin(const SubbufferWalk& subbuffer);
  void take(const RawRecord& record);
  void end(const SubbufferWalk& subbuffer);
  // Returns whether the record was readable.
  bool add_record(Cpu& cpu, const RawRecord& record);
  void add_event(Cpu& cpu, const RawRecord& record);
  void add_stack(Cpu& cpu, const Common& common, std::span<const std::byte> record);
  // Whether the line of trace_marker is netperfd's mark, which then does not count as an event.
  [[nodiscard]] bool add_mark(std::uint32_t cpu, const CountedEvent& event, const RawRecord& record);
  TraceProgress take_progress(double seconds);
  [[nodiscard]] std::vector<EventSample> samples_of(const Symbols& symbols, const std::string& task_names,
                                                    const TaskScreen& screen, std::uint64_t zero) const;
  [[nodiscard]] std::vector<StackCount> stack_counts(const Symbols& symbols) const;
  TraceRecord finish(const Symbols& symbols, const std::string& task_names,
                     const analysis::FunctionNamer& function, const TaskScreen& screen);

  TallySettings settings;
  EventTable events;
  std::map<std::uint32_t, Cpu> cpus;
  Cpu* current = nullptr;  // the CPU whose records are being read
  TimeSlices slices;
  SampleKeeper samples;
  StackTable stacks;
  DropTable drops;
  std::optional<CallTally> calls;
  std::optional<SubbufferOrder> order;  // if calls are paired
  std::vector<TimedMark> marks;
  CoveredTime covered;
  std::uint64_t told_until = 0;  // already reported in a progress
  std::uint64_t told_lost = 0;
};

Tally::State::State(TallySettings given)
    : settings(std::move(given)),
      events(settings.events, settings.hidden),
      slices(settings.slices),
      samples(settings.samples_first, settings.samples_last),
      stacks(settings.stacks, format_of(settings.events, "ftrace:kernel_stack")),
      drops(settings.drops, format_of(settings.events, "skb:kfree_skb")) {
  if (!settings.graph) return;
  calls.emplace(*settings.graph, settings.calls);
  order.emplace(settings.layout, settings.most_held_bytes);
}

// Only calls need an order over all CPUs.
void Tally::State::add(std::uint32_t number, std::vector<std::byte>&& subbuffer) {
  turn_to(number);
  current->counted.bytes += subbuffer.size();
  if (order) {
    order->add(number, std::move(subbuffer));
    return;
  }
  SubbufferWalk walk(subbuffer, settings.layout);
  begin(walk);
  RawRecord record;
  while (walk.next(record)) take(record);
  end(walk);
}

void Tally::State::turn_to(std::uint32_t number) {
  if (current != nullptr && current->counted.cpu == number) return;
  samples.end_run();
  current = &cpus[number];
  current->counted.cpu = number;
}

void Tally::State::begin(const SubbufferWalk& subbuffer) {
  current->first.reset();
  current->short_record = false;
  if (subbuffer.lost_events() == 0 && !subbuffer.lost_unknown()) return;
  current->counted.lost_events += std::max<std::uint64_t>(subbuffer.lost_events(), 1);
  if (subbuffer.lost_unknown()) current->lost_uncounted = true;
  current->owners.forget();
  if (calls) calls->lost(current->counted.cpu, subbuffer.begin_time());
}

void Tally::State::take(const RawRecord& record) {
  if (!current->first) current->first = record.time;
  current->last = record.time;
  if (!add_record(*current, record)) current->short_record = true;
}

void Tally::State::end(const SubbufferWalk& subbuffer) {
  if (current->first) covered.add(*current->first, current->last);
  const bool damaged = !subbuffer.damage().empty();  // undecodable bytes count as lost
  if (current->short_record || damaged) ++current->counted.damaged;
  if (damaged) current->owners.forget();
  if (damaged && calls)
    calls->lost(current->counted.cpu, current->first ? current->last : subbuffer.begin_time());
  samples.end_run();
}

// In a function trace most records are calls, which need no further handling.
bool Tally::State::add_record(Cpu& cpu, const RawRecord& record) {
  if (record.data.size() < sizeof(Common)) return false;
  std::uint16_t type = 0;
  std::memcpy(&type, record.data.data(), sizeof type);
  if (calls && calls->knows(type)) {
    if (!calls->add(cpu.counted.cpu, record)) return false;
    const auto number = events.number_of(type);
    CountedEvent& event = events.at(number);
    if (event.hidden || event.role == Role::call) {
      ++cpu.counted.records;
      ++event.count;
      if (!event.hidden) slices.add(number, record.time);
      return true;
    }
  }
  add_event(cpu, record);
  return true;
}

void Tally::State::add_event(Cpu& cpu, const RawRecord& record) {
  Common common;
  std::memcpy(&common, record.data.data(), sizeof common);
  const auto number = events.number_of(common.type);
  CountedEvent& event = events.at(number);
  ++cpu.counted.records;
  if (event.role == Role::print && add_mark(cpu.counted.cpu, event, record)) return;
  ++event.count;
  slices.add(number, record.time);
  if (event.role == Role::user_stack) return;
  if (event.role == Role::kernel_stack) {
    add_stack(cpu, common, record.data);
    return;
  }
  cpu.owners.event({GraphFormat::context_of(common.flags), common.pid}, number);
  if (event.role == Role::unknown) return;
  samples.add(number, {record.time, cpu.counted.cpu, cpu.counted.records}, record.data);
  if (event.role == Role::drop) drops.add(record.data);
}

void Tally::State::add_stack(Cpu& cpu, const Common& common, std::span<const std::byte> record) {
  stacks.add(cpu.owners.take({GraphFormat::context_of(common.flags), common.pid}).value_or(EventTable::kNone),
             record);
}

bool Tally::State::add_mark(std::uint32_t cpu, const CountedEvent& event, const RawRecord& record) {
  // The format has the text as an array of length 0: it extends to the end of the record.
  const auto* text = event.format->field("buf");
  if (text == nullptr || text->offset >= record.data.size()) return false;
  const auto bytes = record.data.subspan(text->offset);
  const auto* chars = reinterpret_cast<const char*>(bytes.data());
  auto mark = read_mark({chars, ::strnlen(chars, bytes.size())});
  if (!mark) return false;
  const bool is_release = !mark->user && mark->text == kReleaseMark && !slices.released();
  if (is_release) {
    slices.release(record.time);
    if (calls) calls->release(cpu, record.time);
  }
  if (is_release || marks.size() < kMostMarks) marks.push_back({record.time, *std::move(mark)});
  return true;
}

TraceProgress Tally::State::take_progress(double seconds) {
  TraceProgress progress;
  const std::uint64_t since = std::max(std::exchange(told_until, covered.newest()), covered.oldest());
  progress.seconds = order ? static_cast<double>(covered.newest() - since) / 1e9 : seconds;
  progress.events = events.take_counts();
  std::uint64_t lost = 0;
  for (const auto& [number, cpu] : cpus) lost += cpu.counted.lost_events;
  progress.lost = lost - std::exchange(told_lost, lost);
  if (calls && settings.function) progress.functions = calls->take_busiest(settings.function, kMostBusiest);
  return progress;
}

std::vector<EventSample> Tally::State::samples_of(const Symbols& symbols, const std::string& task_names,
                                                  const TaskScreen& screen, std::uint64_t zero) const {
  struct Found {
    std::uint32_t event;
    KeptRecord record;
  };
  std::vector<Found> found;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    for (const auto& record : samples.kept(i, events.at(i).count)) found.push_back({i, record});
  }
  std::sort(found.begin(), found.end(),
            [](const Found& left, const Found& right) { return left.record.place < right.record.place; });

  const auto tasks = parse_task_names(task_names);
  std::set<std::int32_t> pids;
  std::vector<EventSample> result;
  for (const auto& [event, record] : found) {
    Common common;
    std::memcpy(&common, record.data.data(), sizeof common);
    const auto task = tasks.find(common.pid);
    EventSample sample{events.at(event).name,
                       record.ordinal,
                       static_cast<std::int64_t>(record.place.time - zero),
                       record.place.cpu,
                       common.pid,
                       task == tasks.end() ? "" : task->second,
                       decode_fields(*events.at(event).format, record.data, symbols)};
    TaskScreen::add_tasks(common.pid, sample.fields, pids);
    result.push_back(std::move(sample));
  }
  screen.expect(pids);
  for (EventSample& sample : result) {
    const std::int32_t pid = sample.pid;
    sample.pid = screen.number(pid);
    if (screen.hides(pid)) sample.task = kOtherTask;
    screen.apply(sample.event, pid, sample.fields);
  }
  return result;
}

std::vector<StackCount> Tally::State::stack_counts(const Symbols& symbols) const {
  std::vector<StackCount> result;
  for (const auto& stack : stacks.stacks()) {
    StackCount count{
        stack.kind == EventTable::kNone ? "unknown" : events.at(stack.kind).name, {}, stack.count};
    for (const auto frame : stack.frames) {
      if (count.frames.empty() && is_tracers_own(symbols.function(frame))) continue;
      count.frames.push_back(symbols.code(frame));
    }
    result.push_back(std::move(count));
  }
  std::sort(result.begin(), result.end(), [](const StackCount& left, const StackCount& right) {
    return std::tie(left.event, right.count, left.frames) < std::tie(right.event, left.count, right.frames);
  });
  return result;
}

TraceRecord Tally::State::finish(const Symbols& symbols, const std::string& task_names,
                                 const analysis::FunctionNamer& function, const TaskScreen& screen) {
  if (order) (void)order->finish(*this, [] { return true; });
  const auto zero = slices.released().value_or(covered.oldest());
  const auto cut = slices.cut(zero);
  TraceRecord record;
  record.slice_width = cut.width;
  for (const auto& [number, cpu] : cpus) record.cpus.push_back(cpu.counted);
  record.events = events.counts(cut.rows);
  record.samples = samples_of(symbols, task_names, screen, zero);
  record.stacks = stack_counts(symbols);
  record.stacks_left_out = stacks.left_out();
  record.drops = drops.drops(symbols);
  if (calls && function) record.profile = calls->finish(function);
  if (calls && !function) {
    const FunctionNames names(symbols);
    record.profile = calls->finish([&](std::uint64_t address) { return names.name_of(address); });
  }
  for (const auto& [time, mark] : marks) {
    record.marks.push_back({static_cast<std::int64_t>(time - zero), mark.text, mark.user});
  }
  std::sort(record.marks.begin(), record.marks.end(), [](const TraceMark& left, const TraceMark& right) {
    return std::tie(left.time_ns, left.text, left.user) < std::tie(right.time_ns, right.text, right.user);
  });
  return record;
}

Tally::Tally(TallySettings settings) : state_(std::make_unique<State>(std::move(settings))) {}
Tally::Tally(Tally&&) noexcept = default;
Tally& Tally::operator=(Tally&&) noexcept = default;
Tally::~Tally() = default;

void Tally::add(std::uint32_t cpu, std::vector<std::byte>&& subbuffer) {
  state_->add(cpu, std::move(subbuffer));
}

TraceProgress Tally::take_progress(double seconds) {
  return state_->take_progress(seconds);
}

void Tally::end_turn(std::span<const std::uint32_t> behind, const Question& may_go_on) {
  if (state_->order) state_->order->end_turn(behind, *state_, may_go_on);
}

void Tally::decode(const Question& may_go_on) {
  if (state_->order) state_->order->go_on(*state_, may_go_on);
}

std::size_t Tally::held_bytes() const {
  return state_->order ? state_->order->held_bytes() : 0;
}

bool Tally::end(const Question& may_go_on) {
  return !state_->order || state_->order->finish(*state_, may_go_on);
}

TraceRecord Tally::finish(const Symbols& symbols, const std::string& task_names,
                          const analysis::FunctionNamer& function, const TaskScreen& tasks) {
  return state_->finish(symbols, task_names, function, tasks);
}

std::set<std::uint32_t> Tally::uncounted_losses() const {
  std::set<std::uint32_t> found;
  for (const auto& [number, cpu] : state_->cpus) {
    if (cpu.lost_uncounted) found.insert(number);
  }
  return found;
}

}  // namespace netperfd::trace
