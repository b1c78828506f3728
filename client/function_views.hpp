// What function_graph's calls of a run come to, as plain data like the rest of client/views.hpp. Figures
// ending in _ns are nanoseconds of time taken; docs/netperfctl.md says what total and self time are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace netperfctl {

// What is said of a whole profile (GetFunctionProfile).
struct ProfileView {
  std::optional<std::uint64_t> functions;     // how many were called
  std::optional<std::uint64_t> edges, nodes;  // pairs of caller and callee; paths of calls
  std::optional<std::uint64_t> hits;          // calls
  std::optional<bool> timed;  // false: the function tracer's, which tells of no end; no time is known
  std::optional<std::uint64_t> self_ns, corrected_self_ns;  // over all functions
  std::optional<double> slice_s;
  std::optional<std::uint32_t> depth;  // as asked; absent: all levels
  std::optional<bool> sleep_in_recorded, off_cpu_known;
  // The tracer's own cost: within a call, and in its caller for each.
  std::optional<double> calibration_entry_ns, calibration_callee_ns;
  std::optional<std::uint64_t> calibration_calls;
  std::optional<std::string> not_calibrated;  // why not
  std::optional<std::uint64_t> goodput_bytes, packets, packet_bytes;
  std::optional<std::string> packet_device, packet_netns, packet_direction;  // tx or rx of that device
  // Counts of what is no whole call.
  std::optional<std::uint64_t> open_at_start, open_at_end, unmatched_exits, unmatched_entries, over_losses,
      depth_overruns, clipped, out_of_order, tree_overflow;
};

struct BuildView {
  std::optional<std::string> module;  // absent: the kernel
  std::optional<std::string> release, build_id, srcversion;
};

struct FunctionStatsView {
  std::string function;
  std::optional<std::string> module;       // absent: the kernel itself
  std::optional<std::uint32_t> duplicate;  // which of several of that name, from 1
  std::optional<std::uint64_t> hits, total_ns, self_ns, corrected_self_ns, recorded_ns, interrupted_ns,
      off_cpu_ns;
  std::optional<std::uint64_t> callees, interruptions, roots, interrupt_roots;
  std::optional<std::uint64_t> min_ns, p50_ns, p90_ns, p99_ns, p999_ns, max_ns;  // of one call's total time
  // Of the self time, corrected where that is known.
  std::optional<double> self_ns_per_call, self_ns_per_byte, calls_per_packet;
};

// Calls that returned in a slice and their self time, in each slice; trailing zeros are left out.
struct FunctionSlicesView {
  std::string function;
  std::optional<std::string> module;
  std::optional<std::uint32_t> duplicate;
  std::optional<std::vector<std::uint64_t>> hits, self_ns;
};

// One function in one time slice; made here of FunctionSlicesView.
struct FunctionSliceView {
  std::string function;
  std::optional<std::string> module;
  std::optional<std::uint32_t> duplicate;
  double start_s = 0, seconds = 0;
  std::uint64_t hits = 0;
  std::optional<std::uint64_t> self_ns;
};

struct CallEdgeView {
  std::string caller;
  std::optional<std::string> caller_module;
  std::optional<std::uint32_t> caller_duplicate;
  std::string callee;
  std::optional<std::string> callee_module;
  std::optional<std::uint32_t> callee_duplicate;
  std::optional<std::uint64_t> hits, total_ns;  // of the callee
};

// A path of calls; the rows stand depth first.
struct CallNodeView {
  std::uint32_t depth = 0;  // 0: a root
  std::string function;
  std::optional<std::string> module;
  std::optional<std::uint32_t> duplicate;
  std::optional<bool> in_interrupt;  // a root that an interrupt or softirq began over other code
  std::optional<std::uint64_t> hits, total_ns, self_ns;
};

// Calls of one of the busiest functions since the trace last said so.
struct FunctionHitsView {
  std::string function;
  std::uint64_t hits = 0;
};

struct ProfileDetails {
  ProfileView profile;
  std::vector<BuildView> builds;
  std::vector<FunctionStatsView> functions;  // all, the largest self time first
  std::vector<FunctionSlicesView> slices;    // in the same order; this and the next two where listed
  std::vector<CallEdgeView> edges;           // the largest total time first
  std::vector<CallNodeView> tree;
};

// What the caller of `show` asked to see in full of the functions.
struct FunctionLists {
  bool functions = false, tree = false, callers = false;
};

}  // namespace netperfctl
