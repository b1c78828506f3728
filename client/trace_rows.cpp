#include "client/trace_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace netperfctl {

std::string shown_value(const SampleFieldView& field) {
  if (!field.text.empty()) return field.text;
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

std::uint64_t lost_of(const TraceCpuView& cpu) {
  return std::max(cpu.lost_events.value_or(0), cpu.overrun.value_or(0)) + cpu.commit_overrun.value_or(0) +
         cpu.dropped_events.value_or(0);
}

}  // namespace netperfctl
