// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/rows/trace_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace netperfctl {

bool is_call_event(std::string_view event) {
  return event.starts_with("ftrace:funcgraph_") || event.starts_with("ftrace:fgraph_");
}

const TraceEventView* calls_of(std::span<const TraceEventView> events) {
  const auto found = std::ranges::find(events, "ftrace:funcgraph_exit", &TraceEventView::event);
  return found == events.end() ? nullptr : &*found;
}

std::string shown_value(const SampleFieldView& field) {
  if (field.text) return *field.text;
  return std::visit([](const auto& value) { return fmt::format("{}", value); }, field.value);
}

std::vector<SliceView> slices_of(const TraceDetails& trace) {
  std::vector<SliceView> rows;
  const double width = trace.trace.slice_s.value_or(0);
  for (const TraceEventView& event : trace.events) {
    std::uint64_t index = 0;
    for (const std::uint64_t count : event.slices.value_or(std::vector<std::uint64_t>{})) {
      const double start = width * static_cast<double>(index++);
      if (count > 0)
        rows.push_back({.event = event.event, .start_s = start, .seconds = width, .count = count});
    }
  }
  std::ranges::stable_sort(rows, {}, &SliceView::start_s);
  return rows;
}

std::vector<FunctionSliceView> slices_of(const ProfileDetails& details) {
  std::vector<FunctionSliceView> rows;
  const double width = details.profile.slice_s.value_or(0);
  for (const FunctionSlicesView& function : details.slices) {
    const std::vector<std::uint64_t> hits = function.hits.value_or(std::vector<std::uint64_t>{});
    const std::vector<std::uint64_t> self_ns = function.self_ns.value_or(std::vector<std::uint64_t>{});
    for (std::size_t i = 0; i < hits.size(); ++i) {
      if (hits[i] == 0) continue;
      FunctionSliceView& row = rows.emplace_back();
      row.function = function.function;
      row.module = function.module;
      row.duplicate = function.duplicate;
      row.start_s = width * static_cast<double>(i);
      row.seconds = width;
      row.hits = hits[i];
      // Zeros at its end are left out, where it is known at all.
      if (function.self_ns) row.self_ns = i < self_ns.size() ? self_ns[i] : 0;
    }
  }
  std::ranges::stable_sort(rows, {}, &FunctionSliceView::start_s);
  return rows;
}

std::uint64_t lost_of(const TraceCpuView& cpu) {
  return std::max(cpu.lost_events.value_or(0), cpu.overrun.value_or(0)) + cpu.commit_overrun.value_or(0) +
         cpu.dropped_events.value_or(0);
}

}  // namespace netperfctl
