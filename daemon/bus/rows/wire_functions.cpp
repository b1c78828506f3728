// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/rows/wire_functions.hpp"

#include <chrono>
#include <string>
#include <vector>

#include "daemon/analysis/calls/histogram.hpp"
#include "daemon/analysis/calls/profile_factors.hpp"
#include "daemon/bus/rows/row_maker.hpp"
#include "daemon/bus/rows/wire_text.hpp"
#include "daemon/model/percentile.hpp"
#include "dbus/rows/functions.hpp"

namespace netperfd::bus {
namespace {

// Bytes for GetFunctionProfile's row: one long text, some short ones and three dozen numbers.
constexpr std::size_t kProfileRowBytes = std::size_t{64} * 1024;
static_assert(kLongTextBytes + 4 * kShortTextBytes < kProfileRowBytes / 2);

std::optional<std::uint32_t> duplicate_of(std::uint32_t number) {
  return number > 0 ? std::optional{number} : std::nullopt;
}

// The three values that identify a function.
template <class Row, class Function>  // FunctionStats or core::FunctionName
void put_identity(Row& row, const Function& function) {
  row.function = function.name;
  row.module = if_any(function.module);
  row.duplicate = duplicate_of(function.duplicate);
}

void put_calibration(rows::Profile& row, const FunctionProfile& profile) {
  if (profile.calibration) {
    row.calibration_entry_ns = profile.calibration->entry_ns;
    row.calibration_callee_ns = profile.calibration->callee_ns;
    row.calibration_calls = profile.calibration->calls;
  }
  row.not_calibrated = if_any(profile.not_calibrated);
}

void put_traffic(rows::Profile& row, const TrafficCount& traffic) {
  row.goodput_bytes = traffic.goodput_bytes;
  if (!traffic.packets) return;
  const PacketCount& counted = *traffic.packets;
  row.packets = counted.packets;
  row.packet_bytes = counted.bytes;
  row.packet_device = counted.device;
  row.packet_netns = if_any(counted.netns);
  row.packet_direction = counted.sent ? "tx" : "rx";
}

void put_damage(rows::Profile& row, const CallDamage& damage) {
  row.open_at_start = damage.open_at_start;
  row.open_at_end = damage.open_at_end;
  row.unmatched_exits = damage.unmatched_exits;
  row.unmatched_entries = damage.unmatched_entries;
  row.over_losses = damage.over_losses;
  row.depth_overruns = damage.depth_overruns;
  row.clipped = damage.clipped;
  row.out_of_order = damage.out_of_order;
  row.tree_overflow = damage.tree_overflow;
}

void put_times(rows::FunctionStats& row, const FunctionStats& function) {
  row.total_ns = function.total_ns;
  row.self_ns = function.self_ns;
  row.corrected_self_ns = function.corrected_self_ns;
  row.recorded_ns = function.recorded_ns;
  row.interrupted_ns = function.interrupted_ns;
  row.off_cpu_ns = function.off_cpu_ns;
  row.min_ns = function.min_ns;
  row.max_ns = function.max_ns;
  row.p50_ns = if_enough(function.p50_ns, function.hits, 0.5);
  row.p90_ns = if_enough(function.p90_ns, function.hits, 0.9);
  row.p99_ns = if_enough(function.p99_ns, function.hits, 0.99);
  row.p999_ns = if_enough(function.p999_ns, function.hits, 0.999);
  if (function.histogram.buckets.empty()) return;
  row.bucket_ns.emplace();
  row.bucket_calls.emplace();
  for (const auto& [bucket, calls] : function.histogram.buckets) {
    row.bucket_ns->push_back(analysis::bucket_begin(bucket));
    row.bucket_calls->push_back(calls);
  }
}

rows::Profile make_profile(const core::ProfileSummary& summary, const TrafficCount& traffic) {
  const FunctionProfile& profile = summary.profile;
  rows::Profile row;
  row.functions = summary.functions;
  row.edges = summary.edges;
  row.nodes = summary.nodes;
  row.hits = summary.hits;
  row.timed = profile.timed;
  if (profile.timed) {
    row.self_ns = summary.self_ns;
    row.corrected_self_ns = summary.corrected_self_ns;
    row.sleep_in_recorded = profile.sleep_in_recorded;
    row.off_cpu_known = profile.off_cpu_known;
  }
  if (profile.slice_ns > 0) {
    const std::chrono::duration<double, std::nano> width{static_cast<double>(profile.slice_ns)};
    row.slice_s = std::chrono::duration<double>(width).count();
  }
  row.depth = profile.depth;
  put_calibration(row, profile);
  put_traffic(row, traffic);
  put_damage(row, profile.damage);
  return row;
}

}  // namespace

Row build_row(const Build& build) {
  rows::Build row;
  row.module = if_any(build.module);
  row.release = if_any(build.release);
  row.build_id = if_any(build.build_id);
  row.srcversion = if_any(build.srcversion);
  return to_wire(row);
}

WireProfile wire_profile(const core::ProfileSummary& summary, const TrafficCount& traffic) {
  const std::vector<Build>& all = summary.profile.builds;
  rows::Profile row = make_profile(summary, traffic);
  WireProfile wire;
  std::size_t room = kRowsBudgetBytes - kProfileRowBytes;
  wire.builds = fitting_rows(all, build_row, room, room);
  if (wire.builds.size() < all.size()) {
    row.builds_left_out = std::uint64_t{all.size() - wire.builds.size()};
  }
  wire.profile = to_wire(row);
  return wire;
}

Row function_profile_row(const FunctionStats& function, const TrafficCount& traffic) {
  rows::FunctionStats row;
  put_identity(row, function);
  row.hits = function.hits;
  row.callees = function.callees;
  row.interruptions = function.interruptions;
  row.roots = function.roots;
  row.interrupt_roots = function.interrupt_roots;
  put_times(row, function);
  const analysis::ProfileFactors factors = analysis::profile_factors(function, traffic);
  row.calls_per_packet = factors.calls_per_packet;
  row.self_ns_per_byte = factors.self_ns_per_byte;
  row.self_ns_per_call = factors.self_ns_per_call;
  return to_wire(row);
}

Row function_slices_row(const FunctionStats& function) {
  rows::FunctionSlices row;
  put_identity(row, function);
  row.hits = function.slice_hits;
  if (function.self_ns) row.self_ns = function.slice_self_ns;
  return to_wire(row);
}

Row call_edge_row(const core::NamedEdge& edge) {
  rows::CallEdge row;
  row.caller = edge.caller.name;
  row.caller_module = if_any(edge.caller.module);
  row.caller_duplicate = duplicate_of(edge.caller.duplicate);
  row.callee = edge.callee.name;
  row.callee_module = if_any(edge.callee.module);
  row.callee_duplicate = duplicate_of(edge.callee.duplicate);
  row.hits = edge.edge.hits;
  row.total_ns = edge.edge.total_ns;
  return to_wire(row);
}

Row call_node_row(const core::NamedNode& node) {
  rows::CallNode row;
  row.depth = node.depth;
  put_identity(row, node.function);
  row.in_interrupt = node.node.in_interrupt;
  row.hits = node.node.hits;
  row.total_ns = node.node.total_ns;
  row.self_ns = node.node.self_ns;
  return to_wire(row);
}

}  // namespace netperfd::bus
