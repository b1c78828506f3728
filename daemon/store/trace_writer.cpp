// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/trace_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/store/profile_writer.hpp"
#include "daemon/store/rows.hpp"

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
  auto insert = connection.prepare(
      insert_into("traces", fmt::format("run, {}, events, lost", columns_of<TraceRecord>())));
  if (!insert) return std::unexpected(insert.error());
  std::uint64_t lost = 0;
  for (const TraceCpu& cpu : cpus) lost = kept(lost + kept(lost_of(cpu)));
  return insert->bind(run, members_of(record), kept(events_of(record)), lost).run();
}

Status insert_cpus(Connection& connection, RunId run, const std::vector<TraceCpu>& cpus) {
  auto insert = connection.prepare(insert_into("trace_cpus", fmt::format("run, {}", columns_of<TraceCpu>())));
  if (!insert) return std::unexpected(insert.error());
  for (const TraceCpu& cpu : cpus) {
    if (auto done = insert->bind(run, members_of(cpu)).run(); !done) return done;
  }
  return {};
}

Status insert_events(Connection& connection, RunId run, const std::vector<EventCount>& events) {
  auto event = connection.prepare(
      insert_into("trace_events", fmt::format("run, position, {}", columns_of<EventCount>())));
  if (!event) return std::unexpected(event.error());
  auto slice = connection.prepare(insert_into("trace_slices", "run, event_position, slice, count"));
  if (!slice) return std::unexpected(slice.error());
  for (std::size_t position = 0; position < events.size(); ++position) {
    const EventCount& row = events[position];
    if (auto done = event->bind(run, position, members_of(row)).run(); !done) return done;
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
  auto insert = connection.prepare(
      insert_into("trace_samples", fmt::format("run, position, {}", columns_of<EventSample>())));
  if (!insert) return std::unexpected(insert.error());
  auto field = connection.prepare(
      insert_into("trace_sample_fields", "run, sample, position, name, value, is_unsigned, text"));
  if (!field) return std::unexpected(field.error());
  for (std::size_t position = 0; position < samples.size(); ++position) {
    const EventSample& sample = samples[position];
    if (auto done = insert->bind(run, position, members_of(sample)).run(); !done) return done;
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

}  // namespace

Status write_trace(Connection& connection, RunId run, const TraceRecord& record) {
  const std::vector<TraceCpu> cpus = kept(record.cpus);
  auto done = insert_trace(connection, run, record, cpus);
  if (done) done = write_all(connection, "trace_missing_functions", "name", run, record.missing_functions);
  if (done) done = write_all(connection, "trace_only_cpus", "cpu", run, record.only_cpus);
  if (done) done = insert_cpus(connection, run, cpus);
  if (done) done = insert_events(connection, run, record.events);
  if (done) done = insert_samples(connection, run, record.samples);
  if (done) {
    const auto members = [](const StackCount& stack) {
      return std::tuple_cat(members_of(stack), std::tuple{fmt::format("{}", fmt::join(stack.frames, "\n"))});
    };
    done = write_all(connection, "trace_stacks", columns_of<StackCount>() + ", frames", run, record.stacks,
                     members);
  }
  if (done) done = write_all(connection, "trace_drops", run, record.drops);
  if (done) done = write_all(connection, "trace_marks", run, record.marks);
  if (!done) return done;
  if (!record.profile) return {};
  return write_profile(connection, run, *record.profile);
}

}  // namespace netperfd::store
