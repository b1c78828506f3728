// The keys of the rows about functions: a part of client/fields.hpp, which says what each_field() is.
#pragma once

#include "client/function_views.hpp"
#include "client/row_of.hpp"

namespace netperfctl {

template <RowOf<ProfileView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("functions", row.functions);
  visit("edges", row.edges);
  visit("nodes", row.nodes);
  visit("hits", row.hits);
  visit("timed", row.timed);
  visit("self_ns", row.self_ns);
  visit("corrected_self_ns", row.corrected_self_ns);
  visit("slice_s", row.slice_s);
  visit("depth", row.depth);
  visit("sleep_in_recorded", row.sleep_in_recorded);
  visit("off_cpu_known", row.off_cpu_known);
  visit("calibration_entry_ns", row.calibration_entry_ns);
  visit("calibration_callee_ns", row.calibration_callee_ns);
  visit("calibration_calls", row.calibration_calls);
  visit("not_calibrated", row.not_calibrated);
  visit("goodput_bytes", row.goodput_bytes);
  visit("packets", row.packets);
  visit("packet_bytes", row.packet_bytes);
  visit("packet_device", row.packet_device);
  visit("packet_netns", row.packet_netns);
  visit("packet_direction", row.packet_direction);
  visit("open_at_start", row.open_at_start);
  visit("open_at_end", row.open_at_end);
  visit("unmatched_exits", row.unmatched_exits);
  visit("unmatched_entries", row.unmatched_entries);
  visit("over_losses", row.over_losses);
  visit("depth_overruns", row.depth_overruns);
  visit("clipped", row.clipped);
  visit("out_of_order", row.out_of_order);
  visit("tree_overflow", row.tree_overflow);
}

template <RowOf<BuildView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("module", row.module);
  visit("release", row.release);
  visit("build_id", row.build_id);
  visit("srcversion", row.srcversion);
}

template <RowOf<FunctionStatsView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("function", row.function);
  visit("module", row.module);
  visit("duplicate", row.duplicate);
  visit("hits", row.hits);
  visit("total_ns", row.total_ns);
  visit("self_ns", row.self_ns);
  visit("corrected_self_ns", row.corrected_self_ns);
  visit("recorded_ns", row.recorded_ns);
  visit("interrupted_ns", row.interrupted_ns);
  visit("off_cpu_ns", row.off_cpu_ns);
  visit("callees", row.callees);
  visit("interruptions", row.interruptions);
  visit("roots", row.roots);
  visit("interrupt_roots", row.interrupt_roots);
  visit("min_ns", row.min_ns);
  visit("p50_ns", row.p50_ns);
  visit("p90_ns", row.p90_ns);
  visit("p99_ns", row.p99_ns);
  visit("p999_ns", row.p999_ns);
  visit("max_ns", row.max_ns);
  visit("self_ns_per_call", row.self_ns_per_call);
  visit("self_ns_per_byte", row.self_ns_per_byte);
  visit("calls_per_packet", row.calls_per_packet);
}

template <RowOf<FunctionSlicesView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("function", row.function);
  visit("module", row.module);
  visit("duplicate", row.duplicate);
  visit("hits", row.hits);
  visit("self_ns", row.self_ns);
}

template <RowOf<FunctionSliceView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("function", row.function);
  visit("module", row.module);
  visit("duplicate", row.duplicate);
  visit("start_s", row.start_s);
  visit("seconds", row.seconds);
  visit("hits", row.hits);
  visit("self_ns", row.self_ns);
}

template <RowOf<CallEdgeView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("caller", row.caller);
  visit("caller_module", row.caller_module);
  visit("caller_duplicate", row.caller_duplicate);
  visit("callee", row.callee);
  visit("callee_module", row.callee_module);
  visit("callee_duplicate", row.callee_duplicate);
  visit("hits", row.hits);
  visit("total_ns", row.total_ns);
}

template <RowOf<CallNodeView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("depth", row.depth);
  visit("function", row.function);
  visit("module", row.module);
  visit("duplicate", row.duplicate);
  visit("in_interrupt", row.in_interrupt);
  visit("hits", row.hits);
  visit("total_ns", row.total_ns);
  visit("self_ns", row.self_ns);
}

template <RowOf<FunctionHitsView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("function", row.function);
  visit("hits", row.hits);
}

}  // namespace netperfctl
