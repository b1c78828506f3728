// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/trace_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <variant>

#include "daemon/store/digests.hpp"
#include "daemon/store/paging.hpp"
#include "daemon/store/rows.hpp"

namespace netperfd::store {
namespace {

// A sample has a dozen fields and a stack as many lines, so a page has a few hundred kilobytes.
constexpr std::uint32_t kMaxSamples = 500;
constexpr std::uint32_t kMaxStacks = 500;

const DigestParts kTraceParts{"traces",          "trace_missing_functions",
                              "trace_only_cpus", "trace_cpus",
                              "trace_events",    "trace_slices",
                              "trace_drops",     "trace_marks"};

constexpr char kSampleCursor = 's';
constexpr char kStackCursor = 'k';

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

EventField field_of(RowReader& row) {
  EventField field;
  Value value;
  bool is_unsigned = false;
  row.read(field.name, value, is_unsigned, field.text);
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    if (is_unsigned) {
      field.value = static_cast<std::uint64_t>(*number);
    } else {
      field.value = *number;
    }
    return field;
  }
  auto& text = std::get<std::string>(value);
  if (is_unsigned) {
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    field.value = number;
  } else {
    field.value = std::move(text);
  }
  return field;
}

}  // namespace

Status TraceReader::expect_trace(RunId run) {
  auto select = connection_.prepare(
      "SELECT traces.run IS NOT NULL FROM runs LEFT JOIN traces ON traces.run = runs.id WHERE runs.id = ?");
  if (!select) return std::unexpected(select.error());
  auto found = select->bind(run).step();
  if (!found) return std::unexpected(found.error());
  if (!*found) return fail(ErrorKind::not_found, fmt::format("run {}: no such run", run));
  bool traced = false;
  if (auto read = select->read(traced); !read) return read;
  if (traced) return {};
  if (auto intact = expect_intact(connection_, of_run(run), {"traces"}); !intact) return intact;
  return fail(ErrorKind::not_found, fmt::format("run {}: it has no trace", run));
}

Result<TraceRecord> TraceReader::trace(RunId run) {
  if (auto known = expect_trace(run); !known) return std::unexpected(known.error());
  auto select =
      connection_.prepare(fmt::format("SELECT {} FROM traces WHERE run = ?", columns_of<TraceRecord>()));
  if (!select) return std::unexpected(select.error());
  TraceRecord record;
  auto done = for_each_row(select->bind(run), [&](RowReader& row) { row.read(members_of(record)); });
  if (done) done = read_counts(run, record);
  if (done) done = read_slices(run, record);
  if (!done) return std::unexpected(done.error());
  return if_intact(connection_, of_run(run), kTraceParts, Result<TraceRecord>{std::move(record)});
}

Status TraceReader::read_counts(RunId run, TraceRecord& record) {
  auto done = read_all(connection_, "trace_missing_functions", "name", "position", run,
                       record.missing_functions, [](std::string& name) { return std::tie(name); });
  if (done) {
    done = read_all(connection_, "trace_only_cpus", "cpu", "position", run, record.only_cpus,
                    [](std::uint32_t& cpu) { return std::tie(cpu); });
  }
  if (done) done = read_all(connection_, "trace_cpus", "cpu", run, record.cpus);
  if (done) done = read_all(connection_, "trace_events", "position", run, record.events);
  if (done) done = read_all(connection_, "trace_drops", "position", run, record.drops);
  if (done) done = read_all(connection_, "trace_marks", "position", run, record.marks);
  return done;
}

Status TraceReader::read_slices(RunId run, TraceRecord& record) {
  auto select = connection_.prepare(
      "SELECT event_position, slice, count FROM trace_slices WHERE run = ? ORDER BY event_position, slice");
  if (!select) return std::unexpected(select.error());
  return for_each_row(select->bind(run), [&](RowReader& row) {
    std::size_t event = 0;
    std::size_t slice = 0;
    std::uint64_t count = 0;
    row.read(event, slice, count);
    // They are array indices: a wrong one must not cause a huge allocation.
    if (event >= record.events.size() || slice >= kMostSlices) return;
    auto& slices = record.events[event].slices;
    slices.resize(slice + 1);  // slices come in order
    slices[slice] = count;
  });
}

Result<core::Page<EventSample>> TraceReader::samples(RunId run, const std::string& event,
                                                     const std::string& cursor, std::uint32_t limit) {
  auto after = parse_cursor(cursor, kSampleCursor, -1);
  if (!after) return std::unexpected(after.error());
  if (auto known = expect_trace(run); !known) return std::unexpected(known.error());
  auto select = connection_.prepare(fmt::format(
      "SELECT position, {} FROM trace_samples WHERE run = ? AND position > ? AND ?3 IN ('', event) "
      "ORDER BY position LIMIT ?",
      columns_of<EventSample>()));
  if (!select) return std::unexpected(select.error());
  auto fields = connection_.prepare(
      "SELECT name, value, is_unsigned, text FROM trace_sample_fields WHERE run = ? AND sample = ? "
      "ORDER BY position");
  if (!fields) return std::unexpected(fields.error());

  const std::uint32_t size = page_size(limit, kMaxSamples);
  select->bind(run, *after, event, size + 1);
  Positions positions{.first = *after + 1, .last = *after};
  auto page =
      read_page<EventSample>(*select, kSampleCursor, size, [&](EventSample& sample) -> Result<std::int64_t> {
        std::int64_t position = 0;
        if (auto read = select->read(position, members_of(sample)); !read)
          return std::unexpected(read.error());
        auto done = for_each_row(fields->bind(run, position),
                                 [&](RowReader& row) { sample.fields.push_back(field_of(row)); });
        if (!done) return std::unexpected(done.error());
        return add_position(connection_, run, positions, position);
      });
  select->rewind();
  if (page && page->next.empty()) positions.last = Positions{}.last;
  return if_intact(connection_, of_run(run), {"trace_samples", "trace_sample_fields"}, std::move(page),
                   positions);
}

Result<core::Page<StackCount>> TraceReader::stacks(RunId run, const std::string& cursor,
                                                   std::uint32_t limit) {
  auto after = parse_cursor(cursor, kStackCursor, -1);
  if (!after) return std::unexpected(after.error());
  if (auto known = expect_trace(run); !known) return std::unexpected(known.error());
  auto select =
      connection_.prepare(fmt::format("SELECT position, {}, frames FROM trace_stacks WHERE run = ? AND "
                                      "position > ? ORDER BY position LIMIT ?",
                                      columns_of<StackCount>()));
  if (!select) return std::unexpected(select.error());

  const std::uint32_t size = page_size(limit, kMaxStacks);
  select->bind(run, *after, size + 1);
  Positions positions{.first = *after + 1, .last = *after};
  auto page =
      read_page<StackCount>(*select, kStackCursor, size, [&](StackCount& stack) -> Result<std::int64_t> {
        std::int64_t position = 0;
        std::string frames;
        if (auto read = select->read(position, members_of(stack), frames); !read)
          return std::unexpected(read.error());
        stack.frames = split_lines(frames);
        return add_position(connection_, run, positions, position);
      });
  select->rewind();
  if (page && page->next.empty()) positions.last = Positions{}.last;
  return if_intact(connection_, of_run(run), {"trace_stacks"}, std::move(page), positions);
}

}  // namespace netperfd::store
