// SPDX-License-Identifier: GPL-2.0-or-later
// Function profiles. Figures ending in _ns are nanoseconds; docs/functions.md defines total and self time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "dbus/rows/field.hpp"

namespace netperfd::rows {

// The summary of a profile (GetFunctionProfile).
struct Profile {
  std::optional<std::uint64_t> functions;        // number of functions called
  std::optional<std::uint64_t> builds_left_out;  // rows that did not fit into the message
  std::optional<std::uint64_t> edges, nodes;     // pairs of caller and callee; paths of calls
  std::optional<std::uint64_t> hits;             // calls
  std::optional<bool> timed;  // false: from the function tracer, which records no end; no times
  std::optional<std::uint64_t> self_ns, corrected_self_ns;  // over all functions
  std::optional<double> slice_s;
  std::optional<std::uint32_t> depth;  // as requested; absent: all levels
  std::optional<bool> sleep_in_recorded, off_cpu_known;
  // The tracer's own cost: within a call, and per call in its caller.
  std::optional<double> calibration_entry_ns, calibration_callee_ns;
  std::optional<std::uint64_t> calibration_calls;
  std::optional<std::string> not_calibrated;  // why not
  std::optional<std::uint64_t> goodput_bytes, packets, packet_bytes;
  std::optional<std::string> packet_device, packet_netns, packet_direction;  // tx or rx of that device
  // Counts of incomplete calls.
  std::optional<std::uint64_t> open_at_start, open_at_end, unmatched_exits, unmatched_entries, over_losses,
      depth_overruns, clipped, out_of_order, tree_overflow;
};
template <>
inline constexpr auto kFields<Profile> =
    std::tuple{field("functions", &Profile::functions),
               field("edges", &Profile::edges),
               field("nodes", &Profile::nodes),
               field("hits", &Profile::hits),
               field("timed", &Profile::timed),
               field("self_ns", &Profile::self_ns),
               field("corrected_self_ns", &Profile::corrected_self_ns),
               field("slice_s", &Profile::slice_s),
               field("depth", &Profile::depth),
               field("sleep_in_recorded", &Profile::sleep_in_recorded),
               field("off_cpu_known", &Profile::off_cpu_known),
               field("calibration_entry_ns", &Profile::calibration_entry_ns),
               field("calibration_callee_ns", &Profile::calibration_callee_ns),
               field("calibration_calls", &Profile::calibration_calls),
               long_text("not_calibrated", &Profile::not_calibrated),
               field("goodput_bytes", &Profile::goodput_bytes),
               field("packets", &Profile::packets),
               field("packet_bytes", &Profile::packet_bytes),
               field("packet_device", &Profile::packet_device),
               field("packet_netns", &Profile::packet_netns),
               field("packet_direction", &Profile::packet_direction),
               field("open_at_start", &Profile::open_at_start),
               field("open_at_end", &Profile::open_at_end),
               field("unmatched_exits", &Profile::unmatched_exits),
               field("unmatched_entries", &Profile::unmatched_entries),
               field("over_losses", &Profile::over_losses),
               field("depth_overruns", &Profile::depth_overruns),
               field("clipped", &Profile::clipped),
               field("out_of_order", &Profile::out_of_order),
               field("tree_overflow", &Profile::tree_overflow),
               field("builds_left_out", &Profile::builds_left_out)};
static_assert(kDescribed<Profile>);

struct Build {
  std::optional<std::string> module;  // absent: the kernel
  std::optional<std::string> release, build_id, srcversion;
};
template <>
inline constexpr auto kFields<Build> =
    std::tuple{field("module", &Build::module), field("release", &Build::release),
               field("build_id", &Build::build_id), field("srcversion", &Build::srcversion)};
static_assert(kDescribed<Build>);

struct FunctionStats {
  std::string function;
  std::optional<std::string> module;       // absent: the kernel itself
  std::optional<std::uint32_t> duplicate;  // number among the functions of that name, from 1
  std::optional<std::uint64_t> hits, total_ns, self_ns, corrected_self_ns, recorded_ns, interrupted_ns,
      off_cpu_ns;
  std::optional<std::uint64_t> callees, interruptions, roots, interrupt_roots;
  std::optional<std::uint64_t> min_ns, p50_ns, p90_ns, p99_ns, p999_ns, max_ns;  // of one call's total time
  // Its histogram: where each bucket with calls begins, ascending, and its calls.
  std::optional<std::vector<std::uint64_t>> bucket_ns, bucket_calls;
  // From the self time, corrected if the correction is known.
  std::optional<double> self_ns_per_call, self_ns_per_byte, calls_per_packet;
};
template <>
inline constexpr auto kFields<FunctionStats> =
    std::tuple{field("function", &FunctionStats::function),
               field("module", &FunctionStats::module),
               field("duplicate", &FunctionStats::duplicate),
               field("hits", &FunctionStats::hits),
               field("total_ns", &FunctionStats::total_ns),
               field("self_ns", &FunctionStats::self_ns),
               field("corrected_self_ns", &FunctionStats::corrected_self_ns),
               field("recorded_ns", &FunctionStats::recorded_ns),
               field("interrupted_ns", &FunctionStats::interrupted_ns),
               field("off_cpu_ns", &FunctionStats::off_cpu_ns),
               field("callees", &FunctionStats::callees),
               field("interruptions", &FunctionStats::interruptions),
               field("roots", &FunctionStats::roots),
               field("interrupt_roots", &FunctionStats::interrupt_roots),
               field("min_ns", &FunctionStats::min_ns),
               field("p50_ns", &FunctionStats::p50_ns),
               field("p90_ns", &FunctionStats::p90_ns),
               field("p99_ns", &FunctionStats::p99_ns),
               field("p999_ns", &FunctionStats::p999_ns),
               field("max_ns", &FunctionStats::max_ns),
               field("bucket_ns", &FunctionStats::bucket_ns),
               field("bucket_calls", &FunctionStats::bucket_calls),
               field("self_ns_per_call", &FunctionStats::self_ns_per_call),
               field("self_ns_per_byte", &FunctionStats::self_ns_per_byte),
               field("calls_per_packet", &FunctionStats::calls_per_packet)};
static_assert(kDescribed<FunctionStats>);

// For each slice: the calls that returned in it, and their self time. Trailing zeros are left out.
struct FunctionSlices {
  std::string function;
  std::optional<std::string> module;
  std::optional<std::uint32_t> duplicate;
  std::optional<std::vector<std::uint64_t>> hits, self_ns;
};
template <>
inline constexpr auto kFields<FunctionSlices> =
    std::tuple{field("function", &FunctionSlices::function), field("module", &FunctionSlices::module),
               field("duplicate", &FunctionSlices::duplicate), field("hits", &FunctionSlices::hits),
               field("self_ns", &FunctionSlices::self_ns)};
static_assert(kDescribed<FunctionSlices>);

struct CallEdge {
  std::string caller;
  std::optional<std::string> caller_module;
  std::optional<std::uint32_t> caller_duplicate;
  std::string callee;
  std::optional<std::string> callee_module;
  std::optional<std::uint32_t> callee_duplicate;
  std::optional<std::uint64_t> hits, total_ns;  // of the callee
};
template <>
inline constexpr auto kFields<CallEdge> = std::tuple{field("caller", &CallEdge::caller),
                                                     field("caller_module", &CallEdge::caller_module),
                                                     field("caller_duplicate", &CallEdge::caller_duplicate),
                                                     field("callee", &CallEdge::callee),
                                                     field("callee_module", &CallEdge::callee_module),
                                                     field("callee_duplicate", &CallEdge::callee_duplicate),
                                                     field("hits", &CallEdge::hits),
                                                     field("total_ns", &CallEdge::total_ns)};
static_assert(kDescribed<CallEdge>);

// A path of calls; the rows stand depth first.
struct CallNode {
  std::uint32_t depth = 0;  // 0: a root
  std::string function;
  std::optional<std::string> module;
  std::optional<std::uint32_t> duplicate;
  std::optional<bool> in_interrupt;  // a root that an interrupt or softirq began over other code
  std::optional<std::uint64_t> hits, total_ns, self_ns;
};
template <>
inline constexpr auto kFields<CallNode> = std::tuple{field("depth", &CallNode::depth),
                                                     field("function", &CallNode::function),
                                                     field("module", &CallNode::module),
                                                     field("duplicate", &CallNode::duplicate),
                                                     field("in_interrupt", &CallNode::in_interrupt),
                                                     field("hits", &CallNode::hits),
                                                     field("total_ns", &CallNode::total_ns),
                                                     field("self_ns", &CallNode::self_ns)};
static_assert(kDescribed<CallNode>);

}  // namespace netperfd::rows
