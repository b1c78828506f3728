// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/rows/wire_trace.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/bus/rows/row_maker.hpp"
#include "daemon/bus/rows/wire_text.hpp"
#include "dbus/rows/trace.hpp"

namespace netperfd::bus {
namespace {

// GetTrace has no pages. Its other parts have limits, so that at least this many bytes remain for the events.
// 64 events, each with 600 slices and a filter of 60 bytes, do not need more.
constexpr std::size_t kEventsBytes = std::size_t{312} * 1024;
constexpr std::size_t kTraceRowBytes = std::size_t{104} * 1024;
constexpr std::size_t kCpusBytes = std::size_t{192} * 1024;
constexpr std::size_t kMarksBytes = std::size_t{128} * 1024;
constexpr std::size_t kDropsBytes = std::size_t{256} * 1024;
// A job cannot name more.
constexpr std::size_t kOnlyCpusLimit = 1024;
static_assert(2 * kLongTextBytes + kListBytes + 2 * kShortTextBytes + 4 * kOnlyCpusLimit < kTraceRowBytes);
static_assert(kTraceRowBytes + kCpusBytes + kMarksBytes + kDropsBytes + kEventsBytes <= kRowsBudgetBytes);

// More than any kernel event has. As many at maximum length still fit into a message.
constexpr std::size_t kFieldsLimit = 256;

double seconds(std::int64_t nanoseconds) {
  return std::chrono::duration<double>(std::chrono::nanoseconds{nanoseconds}).count();
}

Row cpu_row(const TraceCpu& cpu) {
  rows::TraceCpu row;
  row.cpu = cpu.cpu;
  row.records = cpu.records;
  row.bytes = cpu.bytes;
  row.lost_events = cpu.lost_events;
  row.overrun = cpu.overrun;
  row.commit_overrun = cpu.commit_overrun;
  row.dropped_events = cpu.dropped_events;
  row.damaged = cpu.damaged;
  return to_wire(row);
}

Row drop_row(const DropCount& drop) {
  rows::Drop row;
  row.reason = if_any(drop.reason);
  row.location = if_any(drop.location);
  row.count = drop.count;
  return to_wire(row);
}

Row mark_row(const TraceMark& mark) {
  rows::Mark row;
  row.time_s = seconds(mark.time_ns);
  row.text = mark.text;
  row.user = mark.user;
  return to_wire(row);
}

rows::TraceEvent make_event(const EventCount& event) {
  rows::TraceEvent row;
  row.event = event.name;
  row.filter = if_any(event.filter);
  row.count = event.count;
  return row;
}

struct EventRows {
  Rows rows;
  std::uint64_t without_slices = 0;
};

// All events get their counts before any gets its slices, which take most of the room.
EventRows event_rows(const std::vector<EventCount>& events, std::size_t room_bytes) {
  const auto count_row = [](const EventCount& event) { return to_wire(make_event(event)); };
  EventRows made{.rows = fitting_rows(events, count_row, room_bytes, room_bytes), .without_slices = 0};
  for (std::size_t i = 0; i < made.rows.size(); ++i) {
    rows::TraceEvent row = make_event(events[i]);
    const std::size_t bytes_before = to_wire(row).bytes();
    row.slices = events[i].slices;
    Row wire = to_wire(row);
    const std::size_t bytes = wire.bytes() - bytes_before;
    if (bytes > room_bytes) {
      made.without_slices = made.rows.size() - i;
      break;
    }
    room_bytes -= bytes;
    made.rows[i] = std::move(wire);
  }
  return made;
}

rows::Trace make_trace(const TraceRecord& record) {
  rows::Trace row;
  row.skipped = if_any(record.skipped);
  if (!record.skipped.empty()) return row;
  std::uint64_t lost = 0;
  for (const TraceCpu& cpu : record.cpus) lost += lost_of(cpu);
  row.broken = if_any(record.broken);
  row.clock = if_any(record.clock);
  if (record.buffer_bytes > 0) row.buffer_bytes = record.buffer_bytes;
  if (record.functions > 0) row.functions = record.functions;
  row.missing_functions = record.missing_functions;
  row.workload_only = record.workload_only;
  if (!record.only_cpus.empty()) {
    std::vector<std::uint32_t> cpus = record.only_cpus;
    cpus.resize(std::min(cpus.size(), kOnlyCpusLimit));
    row.only_cpus = cpus;
  }
  if (record.slice_width.count() > 0) row.slice_s = seconds(record.slice_width.count());
  row.events = events_of(record);
  row.lost = lost;
  row.stacks_left_out = record.stacks_left_out;
  return row;
}

std::vector<rows::SampleField> fields_of(const EventSample& sample) {
  std::vector<rows::SampleField> fields;
  for (const EventField& field : sample.fields) {
    if (fields.size() == kFieldsLimit) {
      fields.push_back(
          {.name = kEllipsis, .value = std::uint64_t{sample.fields.size() - kFieldsLimit}, .text = {}});
      break;
    }
    fields.push_back({.name = field.name, .value = field.value, .text = if_any(field.text)});
  }
  return fields;
}

}  // namespace

WireTrace wire_trace(const TraceRecord& record) {
  rows::Trace trace = make_trace(record);
  WireTrace wire;
  if (record.skipped.empty()) {
    std::size_t room = kRowsBudgetBytes - kTraceRowBytes;
    wire.cpus = fitting_rows(record.cpus, cpu_row, kCpusBytes, room);
    wire.marks = fitting_rows(record.marks, mark_row, kMarksBytes, room);
    wire.drops = fitting_rows(record.drops, drop_row, kDropsBytes, room);
    EventRows events = event_rows(record.events, room);
    wire.events = std::move(events.rows);
    const auto left_out = [](std::uint64_t count) { return count > 0 ? std::optional{count} : std::nullopt; };
    trace.cpus_left_out = left_out(record.cpus.size() - wire.cpus.size());
    trace.marks_left_out = left_out(record.marks.size() - wire.marks.size());
    trace.drops_left_out = left_out(record.drops.size() - wire.drops.size());
    trace.events_left_out = left_out(record.events.size() - wire.events.size());
    trace.slices_left_out = left_out(events.without_slices);
  }
  wire.trace = to_wire(trace);
  return wire;
}

Row sample_row(const EventSample& sample) {
  rows::Sample row;
  row.event = sample.event;
  row.ordinal = sample.ordinal;
  row.time_s = seconds(sample.time_ns);
  row.cpu = sample.cpu;
  row.pid = sample.pid;
  row.task = if_any(sample.task);
  row.fields = fields_of(sample);
  return to_wire(row);
}

Row stack_row(const StackCount& stack) {
  rows::Stack row;
  row.event = stack.event;
  row.count = stack.count;
  row.frames = stack.frames;
  return to_wire(row);
}

std::map<std::string, std::uint64_t> progress_counts(
    const std::vector<std::pair<std::string, std::uint64_t>>& counts, std::size_t limit_bytes) {
  std::map<std::string, std::uint64_t> made;
  std::size_t bytes = 0;
  for (const auto& [text, count] : counts) {
    std::string name = wire_text(text, kShortTextBytes);
    bytes += round_up(text_bytes(name.size()), 8) + 8;
    if (bytes > limit_bytes) break;
    made[std::move(name)] += count;
  }
  return made;
}

}  // namespace netperfd::bus
