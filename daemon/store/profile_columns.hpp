// The columns of a function profile's tables that profile_writer and profile_reader share. Each list is next
// to the members it stands for and in the same order.
#pragma once

#include <string_view>
#include <tuple>

#include "daemon/model/function_profile.hpp"

namespace netperfd::store {

// For function_profiles, without its calibration.
inline constexpr std::string_view kProfileColumns =
    "open_at_start, open_at_end, unmatched_exits, unmatched_entries, over_losses, depth_overruns, clipped, "
    "out_of_order, tree_overflow, slice_ns, timed, sleep_in_recorded, off_cpu_known, depth, not_calibrated";

template <class P>  // FunctionProfile or const FunctionProfile
[[nodiscard]] auto profile_members(P& p) {
  auto& d = p.damage;
  return std::tie(d.open_at_start, d.open_at_end, d.unmatched_exits, d.unmatched_entries, d.over_losses,
                  d.depth_overruns, d.clipped, d.out_of_order, d.tree_overflow, p.slice_ns, p.timed,
                  p.sleep_in_recorded, p.off_cpu_known, p.depth, p.not_calibrated);
}

inline constexpr std::string_view kCalibrationColumns =
    "calibration_entry_ns, calibration_callee_ns, calibration_calls";

// For functions, without their lists.
inline constexpr std::string_view kFunctionColumns =
    "name, module, duplicate, hits, total_ns, self_ns, recorded_ns, interrupted_ns, off_cpu_ns, callees, "
    "interruptions, roots, interrupt_roots, min_ns, max_ns, p50_ns, p90_ns, p99_ns, p999_ns, "
    "corrected_self_ns";

template <class F>  // FunctionStats or const FunctionStats
[[nodiscard]] auto function_members(F& f) {
  return std::tie(f.name, f.module, f.duplicate, f.hits, f.total_ns, f.self_ns, f.recorded_ns,
                  f.interrupted_ns, f.off_cpu_ns, f.callees, f.interruptions, f.roots, f.interrupt_roots,
                  f.min_ns, f.max_ns, f.p50_ns, f.p90_ns, f.p99_ns, f.p999_ns, f.corrected_self_ns);
}

inline constexpr std::string_view kEdgeColumns = "caller, callee, hits, total_ns";

template <class E>  // CallEdge or const CallEdge
[[nodiscard]] auto edge_members(E& e) {
  return std::tie(e.caller, e.callee, e.hits, e.total_ns);
}

inline constexpr std::string_view kNodeColumns = "parent, function, in_interrupt, hits, total_ns, self_ns";

template <class N>  // CallNode or const CallNode
[[nodiscard]] auto node_members(N& n) {
  return std::tie(n.parent, n.function, n.in_interrupt, n.hits, n.total_ns, n.self_ns);
}

inline constexpr std::string_view kBuildColumns = "module, release, build_id, srcversion";

template <class B>  // Build or const Build
[[nodiscard]] auto build_members(B& b) {
  return std::tie(b.module, b.release, b.build_id, b.srcversion);
}

}  // namespace netperfd::store
