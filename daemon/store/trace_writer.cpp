#include "daemon/store/trace_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/store/columns.hpp"
#include "daemon/store/profile_writer.hpp"
#include "daemon/store/trace_columns.hpp"

namespace netperfd::store {
namespace {

// The kernel's counts come from its own files. A wrong one, such as one that went below 0, must not cost the
// run its record: a value that does not fit into an INTEGER is stored as the largest one that does.
std::uint64_t kept(std::uint64_t count) {
  return std::min<std::uint64_t>(count, std::numeric_limits<std::int64_t>::max());
}

TraceCpu kept(TraceCpu cpu) {
  for (auto* count : {&cpu.records, &cpu.bytes, &cpu.lost_events, &cpu.overrun, &cpu.commit_overrun,
                      &cpu.dropped_events, &cpu.damaged}) {
    *count = kept(*count);
  }
  return cpu;
}

// One row for each CPU, by number. If a record has a CPU twice, the two are parts of the same ring's contents
// and are added up: refusing them would cost the run its whole record.
std::vector<TraceCpu> kept(const std::vector<TraceCpu>& cpus) {
  std::map<std::uint32_t, TraceCpu> rows;
  for (const TraceCpu& cpu : cpus) {
    const TraceCpu part = kept(cpu);
    TraceCpu& row = rows[cpu.cpu];
    row.cpu = cpu.cpu;
    row.records += part.records;
    row.bytes += part.bytes;
    row.lost_events += part.lost_events;
    row.overrun += part.overrun;
    row.commit_overrun += part.commit_overrun;
    row.dropped_events += part.dropped_events;
    row.damaged += part.damaged;
    row = kept(row);
  }
  std::vector<TraceCpu> result;
  result.reserve(rows.size());
  for (const auto& [number, row] : rows) result.push_back(row);
  return result;
}

Status insert_trace(Connection& connection, RunId run, const TraceRecord& record,
                    const std::vector<TraceCpu>& cpus) {
  auto insert =
      connection.prepare(insert_into("traces", fmt::format("run, {}, events, lost", kTraceColumns)));
  if (!insert) return std::unexpected(insert.error());
  std::uint64_t lost = 0;
  for (const TraceCpu& cpu : cpus) lost = kept(lost + kept(lost_of(cpu)));
  return insert->bind(run, trace_members(record), kept(events_of(record)), lost).run();
}

Status insert_missing_functions(Connection& connection, RunId run, const std::vector<std::string>& names) {
  auto insert = connection.prepare(insert_into("trace_missing_functions", "run, position, name"));
  if (!insert) return std::unexpected(insert.error());
  std::size_t position = 0;
  for (const auto& name : names) {
    if (auto done = insert->bind(run, position++, name).run(); !done) return done;
  }
  return {};
}

Status insert_only_cpus(Connection& connection, RunId run, const std::vector<std::uint32_t>& cpus) {
  auto insert = connection.prepare(insert_into("trace_only_cpus", "run, position, cpu"));
  if (!insert) return std::unexpected(insert.error());
  std::size_t position = 0;
  for (const std::uint32_t cpu : cpus) {
    if (auto done = insert->bind(run, position++, cpu).run(); !done) return done;
  }
  return {};
}

Status insert_cpus(Connection& connection, RunId run, const std::vector<TraceCpu>& cpus) {
  auto insert = connection.prepare(insert_into("trace_cpus", fmt::format("run, {}", kTraceCpuColumns)));
  if (!insert) return std::unexpected(insert.error());
  for (const TraceCpu& cpu : cpus) {
    if (auto done = insert->bind(run, trace_cpu_members(cpu)).run(); !done) return done;
  }
  return {};
}

Status insert_events(Connection& connection, RunId run, const std::vector<EventCount>& events) {
  auto event =
      connection.prepare(insert_into("trace_events", fmt::format("run, position, {}", kEventColumns)));
  if (!event) return std::unexpected(event.error());
  auto slice = connection.prepare(insert_into("trace_slices", "run, event_position, slice, count"));
  if (!slice) return std::unexpected(slice.error());
  for (std::size_t position = 0; position < events.size(); ++position) {
    const EventCount& row = events[position];
    if (auto done = event->bind(run, position, event_members(row)).run(); !done) return done;
    for (std::size_t i = 0; i < row.slices.size(); ++i) {
      if (row.slices[i] == 0) continue;
      if (auto done = slice->bind(run, position, i, row.slices[i]).run(); !done) return done;
    }
  }
  return {};
}

struct StoredField {
  Value value;
  bool is_unsigned = false;
};

StoredField stored(std::int64_t value) {
  return {value, false};
}

StoredField stored(std::uint64_t value) {
  if (std::in_range<std::int64_t>(value)) return {static_cast<std::int64_t>(value), true};
  return {std::to_string(value), true};
}

StoredField stored(const std::string& value) {
  return {value, false};
}

Status insert_samples(Connection& connection, RunId run, const std::vector<EventSample>& samples) {
  auto insert =
      connection.prepare(insert_into("trace_samples", fmt::format("run, position, {}", kSampleColumns)));
  if (!insert) return std::unexpected(insert.error());
  auto field = connection.prepare(
      insert_into("trace_sample_fields", "run, sample, position, name, value, is_unsigned, text"));
  if (!field) return std::unexpected(field.error());
  for (std::size_t position = 0; position < samples.size(); ++position) {
    const EventSample& sample = samples[position];
    if (auto done = insert->bind(run, position, sample_members(sample)).run(); !done) return done;
    for (std::size_t i = 0; i < sample.fields.size(); ++i) {
      const EventField& each = sample.fields[i];
      const auto kept_as = std::visit([](const auto& value) { return stored(value); }, each.value);
      auto done =
          field->bind(run, position, i, each.name, kept_as.value, kept_as.is_unsigned, each.text).run();
      if (!done) return done;
    }
  }
  return {};
}

Status insert_stacks(Connection& connection, RunId run, const std::vector<StackCount>& stacks) {
  auto insert = connection.prepare(insert_into("trace_stacks", "run, position, event, count, frames"));
  if (!insert) return std::unexpected(insert.error());
  std::size_t position = 0;
  for (const StackCount& stack : stacks) {
    auto done = insert
                    ->bind(run, position++, stack.event, stack.count,
                           fmt::format("{}", fmt::join(stack.frames, "\n")))
                    .run();
    if (!done) return done;
  }
  return {};
}

Status insert_drops(Connection& connection, RunId run, const std::vector<DropCount>& drops) {
  auto insert =
      connection.prepare(insert_into("trace_drops", fmt::format("run, position, {}", kDropColumns)));
  if (!insert) return std::unexpected(insert.error());
  std::size_t position = 0;
  for (const DropCount& drop : drops) {
    if (auto done = insert->bind(run, position++, drop_members(drop)).run(); !done) return done;
  }
  return {};
}

Status insert_marks(Connection& connection, RunId run, const std::vector<TraceMark>& marks) {
  auto insert =
      connection.prepare(insert_into("trace_marks", fmt::format("run, position, {}", kMarkColumns)));
  if (!insert) return std::unexpected(insert.error());
  std::size_t position = 0;
  for (const TraceMark& mark : marks) {
    if (auto done = insert->bind(run, position++, mark_members(mark)).run(); !done) return done;
  }
  return {};
}

}  // namespace

Status write_trace(Connection& connection, RunId run, const TraceRecord& record) {
  const std::vector<TraceCpu> cpus = kept(record.cpus);
  if (auto done = insert_trace(connection, run, record, cpus); !done) return done;
  if (auto done = insert_missing_functions(connection, run, record.missing_functions); !done) return done;
  if (auto done = insert_only_cpus(connection, run, record.only_cpus); !done) return done;
  if (auto done = insert_cpus(connection, run, cpus); !done) return done;
  if (auto done = insert_events(connection, run, record.events); !done) return done;
  if (auto done = insert_samples(connection, run, record.samples); !done) return done;
  if (auto done = insert_stacks(connection, run, record.stacks); !done) return done;
  if (auto done = insert_drops(connection, run, record.drops); !done) return done;
  if (auto done = insert_marks(connection, run, record.marks); !done) return done;
  if (!record.profile) return {};
  return write_profile(connection, run, *record.profile);
}

}  // namespace netperfd::store
