#include "daemon/bus/wire_functions.hpp"

#include <chrono>
#include <string>
#include <vector>

#include "daemon/analysis/profile_factors.hpp"
#include "daemon/bus/row_maker.hpp"
#include "daemon/bus/wire_text.hpp"

namespace netperfd::bus {
namespace {

// For GetFunctionProfile's row, which has one long text, some short ones and three dozen numbers.
constexpr std::size_t kProfileRowBytes = std::size_t{64} * 1024;
static_assert(kLongTextBytes + 4 * kShortTextBytes < kProfileRowBytes / 2);

// The three keys that tell a function from all others.
struct IdentityKeys {
  const char* name;
  const char* module;
  const char* duplicate;
};
constexpr IdentityKeys kFunctionKeys{"function", "module", "duplicate"};

template <class Function>  // FunctionStats or core::FunctionName
void put_identity(RowMaker& row, const Function& function, const IdentityKeys& keys = kFunctionKeys) {
  row.put(keys.name, function.name);
  row.put_if_any(keys.module, function.module);
  if (function.duplicate > 0) row.put(keys.duplicate, function.duplicate);
}

void put_calibration(RowMaker& row, const FunctionProfile& profile) {
  if (profile.calibration) {
    row.put("calibration_entry_ns", profile.calibration->entry_ns);
    row.put("calibration_callee_ns", profile.calibration->callee_ns);
    row.put("calibration_calls", profile.calibration->calls);
  }
  row.put_if_any("not_calibrated", profile.not_calibrated, kLongTextBytes);
}

void put_traffic(RowMaker& row, const Traffic& traffic) {
  row.put("goodput_bytes", traffic.goodput_bytes);
  if (!traffic.packets) return;
  const PacketCount& counted = *traffic.packets;
  row.put("packets", counted.packets);
  row.put("packet_bytes", counted.bytes);
  row.put("packet_device", counted.device);
  row.put_if_any("packet_netns", counted.netns);
  row.put("packet_direction", std::string_view{counted.sent ? "tx" : "rx"});
}

void put_damage(RowMaker& row, const CallDamage& damage) {
  row.put("open_at_start", damage.open_at_start);
  row.put("open_at_end", damage.open_at_end);
  row.put("unmatched_exits", damage.unmatched_exits);
  row.put("unmatched_entries", damage.unmatched_entries);
  row.put("over_losses", damage.over_losses);
  row.put("depth_overruns", damage.depth_overruns);
  row.put("clipped", damage.clipped);
  row.put("out_of_order", damage.out_of_order);
  row.put("tree_overflow", damage.tree_overflow);
}

void put_times(RowMaker& row, const FunctionStats& function) {
  row.put("total_ns", function.total_ns);
  row.put("self_ns", function.self_ns);
  row.put("corrected_self_ns", function.corrected_self_ns);
  row.put("recorded_ns", function.recorded_ns);
  row.put("interrupted_ns", function.interrupted_ns);
  row.put("off_cpu_ns", function.off_cpu_ns);
  row.put("min_ns", function.min_ns);
  row.put("max_ns", function.max_ns);
  row.put("p50_ns", function.p50_ns);
  row.put("p90_ns", function.p90_ns);
  row.put("p99_ns", function.p99_ns);
  row.put("p999_ns", function.p999_ns);
}

RowMaker make_profile(const core::ProfileSummary& summary, const Traffic& traffic) {
  const FunctionProfile& profile = summary.profile;
  RowMaker row;
  row.put("functions", summary.functions);
  row.put("edges", summary.edges);
  row.put("nodes", summary.nodes);
  row.put("hits", summary.hits);
  row.put("timed", profile.timed);
  if (profile.timed) {
    row.put("self_ns", summary.self_ns);
    row.put("corrected_self_ns", summary.corrected_self_ns);
    row.put("sleep_in_recorded", profile.sleep_in_recorded);
    row.put("off_cpu_known", profile.off_cpu_known);
  }
  if (profile.slice_ns > 0) {
    const std::chrono::duration<double, std::nano> width{static_cast<double>(profile.slice_ns)};
    row.put("slice_s", std::chrono::duration<double>(width).count());
  }
  row.put("depth", profile.depth);
  put_calibration(row, profile);
  put_traffic(row, traffic);
  put_damage(row, profile.damage);
  return row;
}

WireRow build_row(const Build& build) {
  RowMaker row;
  row.put_if_any("module", build.module);
  row.put_if_any("release", build.release);
  row.put_if_any("build_id", build.build_id);
  row.put_if_any("srcversion", build.srcversion);
  return row.take();
}

}  // namespace

WireProfile wire_profile(const core::ProfileSummary& summary, const Traffic& traffic) {
  const std::vector<Build>& all = summary.profile.builds;
  RowMaker row = make_profile(summary, traffic);
  WireProfile wire;
  std::size_t room = kRowsBudgetBytes - kProfileRowBytes;
  wire.builds = fitting_rows(all, build_row, room, room);
  if (wire.builds.size() < all.size()) {
    row.put("builds_left_out", std::uint64_t{all.size() - wire.builds.size()});
  }
  wire.profile = row.take().row;
  return wire;
}

WireRow function_profile_row(const FunctionStats& function, const Traffic& traffic, bool timed) {
  RowMaker row;
  put_identity(row, function);
  row.put("hits", function.hits);
  row.put("callees", function.callees);
  row.put("interruptions", function.interruptions);
  row.put("roots", function.roots);
  row.put("interrupt_roots", function.interrupt_roots);
  const analysis::ProfileFactors factors = analysis::profile_factors(function, traffic);
  row.put("calls_per_packet", factors.calls_per_packet);
  if (!timed) return row.take();
  put_times(row, function);
  row.put("self_ns_per_byte", factors.self_ns_per_byte);
  row.put("self_ns_per_call", factors.self_ns_per_call);
  return row.take();
}

WireRow function_slices_row(const FunctionStats& function, bool timed) {
  RowMaker row;
  put_identity(row, function);
  row.put("hits", function.slice_hits);
  if (timed) row.put("self_ns", function.slice_self_ns);
  return row.take();
}

WireRow call_edge_row(const core::NamedEdge& edge) {
  RowMaker row;
  put_identity(row, edge.caller, {"caller", "caller_module", "caller_duplicate"});
  put_identity(row, edge.callee, {"callee", "callee_module", "callee_duplicate"});
  row.put("hits", edge.edge.hits);
  row.put("total_ns", edge.edge.total_ns);
  return row.take();
}

WireRow call_node_row(const core::NamedNode& node, bool timed) {
  RowMaker row;
  row.put("depth", node.depth);
  put_identity(row, node.function);
  row.put("in_interrupt", node.node.in_interrupt);
  row.put("hits", node.node.hits);
  if (!timed) return row.take();
  row.put("total_ns", node.node.total_ns);
  row.put("self_ns", node.node.self_ns);
  return row.take();
}

}  // namespace netperfd::bus
