#include "daemon/bus/wire_trace.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/bus/row_maker.hpp"
#include "daemon/bus/wire_text.hpp"

namespace netperfd::bus {
namespace {

// GetTrace has no pages. What else it holds has its limits, so that the events, which take all the room that
// is left, have at least this much: 64 of them, each with 600 slices and a filter of 60 bytes, do not need
// more.
constexpr std::size_t kEventsBytes = std::size_t{312} * 1024;
constexpr std::size_t kTraceRowBytes = std::size_t{104} * 1024;
constexpr std::size_t kCpusBytes = std::size_t{192} * 1024;
constexpr std::size_t kMarksBytes = std::size_t{128} * 1024;
constexpr std::size_t kDropsBytes = std::size_t{256} * 1024;
// A job cannot name more than that many.
constexpr std::size_t kOnlyCpusLimit = 1024;
static_assert(2 * kLongTextBytes + kListBytes + 2 * kShortTextBytes + 4 * kOnlyCpusLimit < kTraceRowBytes);
static_assert(kTraceRowBytes + kCpusBytes + kMarksBytes + kDropsBytes + kEventsBytes <= kRowsBudgetBytes);

// More than any event of a kernel has; all of them at their longest still fit into a message.
constexpr std::size_t kFieldsLimit = 256;

double seconds(std::int64_t nanoseconds) {
  return std::chrono::duration<double>(std::chrono::nanoseconds{nanoseconds}).count();
}

WireRow cpu_row(const TraceCpu& cpu) {
  RowMaker row;
  row.put("cpu", cpu.cpu);
  row.put("records", cpu.records);
  row.put("bytes", cpu.bytes);
  row.put("lost_events", cpu.lost_events);
  row.put("overrun", cpu.overrun);
  row.put("commit_overrun", cpu.commit_overrun);
  row.put("dropped_events", cpu.dropped_events);
  row.put("damaged", cpu.damaged);
  return row.take();
}

WireRow drop_row(const DropCount& drop) {
  RowMaker row;
  row.put_if_any("reason", drop.reason);
  row.put_if_any("location", drop.location);
  row.put("count", drop.count);
  return row.take();
}

WireRow mark_row(const TraceMark& mark) {
  RowMaker row;
  row.put("time_s", seconds(mark.time_ns));
  row.put("text", mark.text);
  row.put("user", mark.user);
  return row.take();
}

RowMaker make_event(const EventCount& event) {
  RowMaker row;
  row.put("event", event.name);
  row.put_if_any("filter", event.filter);
  row.put("count", event.count);
  return row;
}

struct EventRows {
  dbus::Rows rows;
  std::uint64_t without_slices = 0;
};

// Every event has its count before the first one has its slices, which are what takes the room.
EventRows event_rows(const std::vector<EventCount>& events, std::size_t room_bytes) {
  const auto count_row = [](const EventCount& event) { return make_event(event).take(); };
  EventRows made{.rows = fitting_rows(events, count_row, room_bytes, room_bytes), .without_slices = 0};
  for (std::size_t i = 0; i < made.rows.size(); ++i) {
    RowMaker row = make_event(events[i]);
    const std::size_t bytes_before = row.bytes();
    row.put("slices", events[i].slices);
    const std::size_t bytes = row.bytes() - bytes_before;
    if (bytes > room_bytes) {
      made.without_slices = made.rows.size() - i;
      break;
    }
    room_bytes -= bytes;
    made.rows[i] = row.take().row;
  }
  return made;
}

RowMaker make_trace(const TraceRecord& record) {
  RowMaker row;
  row.put_if_any("skipped", record.skipped, kLongTextBytes);
  if (!record.skipped.empty()) return row;
  std::uint64_t lost = 0;
  for (const TraceCpu& cpu : record.cpus) lost += lost_of(cpu);
  row.put_if_any("broken", record.broken, kLongTextBytes);
  row.put_if_any("clock", record.clock);
  if (record.buffer_bytes > 0) row.put("buffer_bytes", record.buffer_bytes);
  if (record.functions > 0) row.put("functions", record.functions);
  row.put("missing_functions", record.missing_functions);
  row.put("workload_only", record.workload_only);
  if (!record.only_cpus.empty()) {
    std::vector<std::uint32_t> cpus = record.only_cpus;
    cpus.resize(std::min(cpus.size(), kOnlyCpusLimit));
    row.put("only_cpus", cpus);
  }
  if (record.slice_width.count() > 0) row.put("slice_s", seconds(record.slice_width.count()));
  row.put("events", events_of(record));
  row.put("lost", lost);
  row.put("stacks_left_out", record.stacks_left_out);
  return row;
}

WireRow field_row(const EventField& field) {
  RowMaker row;
  row.put("name", field.name);
  std::visit([&row](const auto& value) { row.put("value", value); }, field.value);
  row.put_if_any("text", field.text);
  return row.take();
}

void put_fields(RowMaker& row, const std::vector<EventField>& fields) {
  dbus::Rows made;
  std::size_t bytes = 0;
  const auto add = [&](WireRow field) {
    bytes += field.bytes;
    made.push_back(std::move(field.row));
  };
  for (const EventField& field : fields) {
    if (made.size() == kFieldsLimit) {
      add(field_row({.name = kEllipsis, .value = std::uint64_t{fields.size() - kFieldsLimit}, .text = {}}));
      break;
    }
    add(field_row(field));
  }
  row.put_list("fields", made, std::string_view{"aa{sv}"}.size(), bytes);
}

}  // namespace

WireTrace wire_trace(const TraceRecord& record) {
  RowMaker trace = make_trace(record);
  WireTrace wire;
  if (record.skipped.empty()) {
    std::size_t room = kRowsBudgetBytes - kTraceRowBytes;
    wire.cpus = fitting_rows(record.cpus, cpu_row, kCpusBytes, room);
    wire.marks = fitting_rows(record.marks, mark_row, kMarksBytes, room);
    wire.drops = fitting_rows(record.drops, drop_row, kDropsBytes, room);
    EventRows events = event_rows(record.events, room);
    wire.events = std::move(events.rows);
    const auto put_left_out = [&](const char* key, std::uint64_t count) {
      if (count > 0) trace.put(key, count);
    };
    put_left_out("cpus_left_out", record.cpus.size() - wire.cpus.size());
    put_left_out("marks_left_out", record.marks.size() - wire.marks.size());
    put_left_out("drops_left_out", record.drops.size() - wire.drops.size());
    put_left_out("events_left_out", record.events.size() - wire.events.size());
    put_left_out("slices_left_out", events.without_slices);
  }
  wire.trace = trace.take().row;
  return wire;
}

WireRow sample_row(const EventSample& sample) {
  RowMaker row;
  row.put("event", sample.event);
  row.put("ordinal", sample.ordinal);
  row.put("time_s", seconds(sample.time_ns));
  row.put("cpu", sample.cpu);
  row.put("pid", sample.pid);
  row.put_if_any("task", sample.task);
  put_fields(row, sample.fields);
  return row.take();
}

WireRow stack_row(const StackCount& stack) {
  RowMaker row;
  row.put("event", stack.event);
  row.put("count", stack.count);
  row.put("frames", stack.frames);
  return row.take();
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
