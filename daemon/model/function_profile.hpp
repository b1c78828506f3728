// SPDX-License-Identifier: GPL-2.0-or-later
// The function_graph calls of one run, summed up. Times are whole nanoseconds of trace_clock_local, with
// which the kernel measures calls, whatever clock stamps its records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dbus/rows/field.hpp"

namespace netperfd {

// Counts of durations in log-linear buckets: below 32 ns one bucket per nanosecond, above that 32 equal
// buckets between two powers of two, so that a bucket is never wider than 1/32 of its values. Two histograms
// are merged by adding counts. analysis/calls/histogram.hpp has the arithmetic.
struct Histogram {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> buckets;  // (number, count), by number; no count is 0

  bool operator==(const Histogram&) const = default;
};
template <>
inline constexpr auto rows::kFields<Histogram> =
    std::tuple{rows::field("buckets", &netperfd::Histogram::buckets)};
static_assert(rows::kDescribed<Histogram>);

// One traced function. A call is a matched entry and exit. Its total time is the time between them, less the
// time taken by interrupts and less the time that its task was off the CPU. Its self time is the total time
// less the total time of the traced functions that it called; untraced callees count as its own.
struct FunctionStats {
  std::string name;             // a token such as "p:3f9c21d0" if the symbol is unknown
  std::string module;           // empty: the kernel itself
  std::uint32_t duplicate = 0;  // 0: the only one of this name and module; otherwise its number among them, 1
                                // for the lowest address

  std::uint64_t hits = 0;             // calls
  std::uint64_t callees = 0;          // traced calls made directly by its calls
  std::uint64_t interruptions = 0;    // traced calls of interrupts that preempted its calls directly
  std::uint64_t roots = 0;            // calls not made by a traced function
  std::uint64_t interrupt_roots = 0;  // those of them in an interrupt or softirq that preempted other code

  // Times, all absent if the profile is not timed.
  std::optional<std::uint64_t> total_ns;  // over calls that are not inside another call of the same function
  std::optional<std::uint64_t> self_ns;   // over all calls
  // Sum of the durations as the kernel recorded them: includes recursive inner calls, interrupts and, if its
  // sleep-time option is on, sleep.
  std::optional<std::uint64_t> recorded_ns;
  std::optional<std::uint64_t> interrupted_ns;  // taken by traced functions of interrupts, of total_ns' calls
  std::optional<std::uint64_t> off_cpu_ns;  // asleep or preempted, also within callees, of total_ns' calls
  std::optional<std::uint64_t> min_ns, max_ns;  // of one call's total time
  // Of one call's total time, from the histogram; absent if there are too few calls (model/percentile.hpp).
  std::optional<std::uint64_t> p50_ns, p90_ns, p99_ns, p999_ns;
  Histogram histogram;                             // of one call's total time
  std::optional<std::uint64_t> corrected_self_ns;  // self time without the tracer's own cost; at least 0
  // For each slice of FunctionProfile::slice_ns from the release on: calls that returned in the slice, and
  // their self time. Trailing zeros are left out.
  std::vector<std::uint64_t> slice_hits, slice_self_ns;

  bool operator==(const FunctionStats&) const = default;
};
template <>
inline constexpr auto rows::kFields<FunctionStats> =
    std::tuple{rows::field("name", &netperfd::FunctionStats::name),
               rows::field("module", &netperfd::FunctionStats::module),
               rows::field("duplicate", &netperfd::FunctionStats::duplicate),
               rows::field("hits", &netperfd::FunctionStats::hits),
               rows::field("total_ns", &netperfd::FunctionStats::total_ns),
               rows::field("self_ns", &netperfd::FunctionStats::self_ns),
               rows::field("recorded_ns", &netperfd::FunctionStats::recorded_ns),
               rows::field("interrupted_ns", &netperfd::FunctionStats::interrupted_ns),
               rows::field("off_cpu_ns", &netperfd::FunctionStats::off_cpu_ns),
               rows::field("callees", &netperfd::FunctionStats::callees),
               rows::field("interruptions", &netperfd::FunctionStats::interruptions),
               rows::field("roots", &netperfd::FunctionStats::roots),
               rows::field("interrupt_roots", &netperfd::FunctionStats::interrupt_roots),
               rows::field("min_ns", &netperfd::FunctionStats::min_ns),
               rows::field("max_ns", &netperfd::FunctionStats::max_ns),
               rows::field("p50_ns", &netperfd::FunctionStats::p50_ns),
               rows::field("p90_ns", &netperfd::FunctionStats::p90_ns),
               rows::field("p99_ns", &netperfd::FunctionStats::p99_ns),
               rows::field("p999_ns", &netperfd::FunctionStats::p999_ns),
               rows::field("histogram", &netperfd::FunctionStats::histogram),
               rows::field("corrected_self_ns", &netperfd::FunctionStats::corrected_self_ns),
               rows::field("slice_hits", &netperfd::FunctionStats::slice_hits),
               rows::field("slice_self_ns", &netperfd::FunctionStats::slice_self_ns)};
static_assert(rows::kDescribed<FunctionStats>);

// Calls of one traced function by another. Calls not made by a traced function have no edge.
struct CallEdge {
  std::uint32_t caller = 0, callee = 0;  // indices into FunctionProfile::functions
  std::uint64_t hits = 0;
  std::uint64_t total_ns = 0;  // of the callee, including inner calls of a recursion

  bool operator==(const CallEdge&) const = default;
};
template <>
inline constexpr auto rows::kFields<CallEdge> = std::tuple{
    rows::field("caller", &netperfd::CallEdge::caller), rows::field("callee", &netperfd::CallEdge::callee),
    rows::field("hits", &netperfd::CallEdge::hits), rows::field("total_ns", &netperfd::CallEdge::total_ns)};
static_assert(rows::kDescribed<CallEdge>);

// A path of calls from a root. A parent precedes its children.
struct CallNode {
  std::optional<std::uint32_t> parent;  // index into FunctionProfile::tree; absent: a root
  std::uint32_t function = 0;           // index into FunctionProfile::functions
  bool in_interrupt = false;            // a root begun by an interrupt or softirq that preempted other code
  std::uint64_t hits = 0;
  std::optional<std::uint64_t> total_ns, self_ns;  // absent if the profile is not timed

  bool operator==(const CallNode&) const = default;
};
template <>
inline constexpr auto rows::kFields<CallNode> =
    std::tuple{rows::field("parent", &netperfd::CallNode::parent),
               rows::field("function", &netperfd::CallNode::function),
               rows::field("in_interrupt", &netperfd::CallNode::in_interrupt),
               rows::field("hits", &netperfd::CallNode::hits),
               rows::field("total_ns", &netperfd::CallNode::total_ns),
               rows::field("self_ns", &netperfd::CallNode::self_ns)};
static_assert(rows::kDescribed<CallNode>);

// Counts of entries and exits that are no whole call, and of other defects that a reader must know.
struct CallDamage {
  std::uint64_t open_at_start = 0;      // exits without an entry, from before the trace began
  std::uint64_t open_at_end = 0;        // entries without an exit when the trace ended
  std::uint64_t unmatched_exits = 0;    // later exits without an entry
  std::uint64_t unmatched_entries = 0;  // entries that never returned, as other records prove
  std::uint64_t over_losses = 0;  // calls during which records of their CPU were lost: callees may be missing
  std::uint64_t depth_overruns = 0;  // calls not followed because the kernel's return stack was full
  std::uint64_t clipped = 0;         // slightly negative times that were set to 0
  std::uint64_t out_of_order = 0;    // records that came after later ones of the same task
  std::uint64_t tree_overflow =
      0;  // calls whose path found no room in the tree: they are in none of its nodes

  bool operator==(const CallDamage&) const = default;
};
template <>
inline constexpr auto rows::kFields<CallDamage> =
    std::tuple{rows::field("open_at_start", &netperfd::CallDamage::open_at_start),
               rows::field("open_at_end", &netperfd::CallDamage::open_at_end),
               rows::field("unmatched_exits", &netperfd::CallDamage::unmatched_exits),
               rows::field("unmatched_entries", &netperfd::CallDamage::unmatched_entries),
               rows::field("over_losses", &netperfd::CallDamage::over_losses),
               rows::field("depth_overruns", &netperfd::CallDamage::depth_overruns),
               rows::field("clipped", &netperfd::CallDamage::clipped),
               rows::field("out_of_order", &netperfd::CallDamage::out_of_order),
               rows::field("tree_overflow", &netperfd::CallDamage::tree_overflow)};
static_assert(rows::kDescribed<CallDamage>);

// The tracer's own cost per call, measured right before the run (see trace/calibration.cpp).
struct Calibration {
  double entry_ns = 0;      // contained in the call's own duration
  double callee_ns = 0;     // contained in the caller's self time, for each traced call it makes or is
                            // interrupted by
  std::uint64_t calls = 0;  // number of calls whose median it is
  // Standard errors of the two costs, from the spread of the measurement's rounds. Absent: unknown.
  std::optional<double> entry_error_ns = std::nullopt, callee_error_ns = std::nullopt;

  bool operator==(const Calibration&) const = default;
};
template <>
inline constexpr auto rows::kFields<Calibration> =
    std::tuple{rows::field("entry_ns", &netperfd::Calibration::entry_ns),
               rows::field("callee_ns", &netperfd::Calibration::callee_ns),
               rows::field("calls", &netperfd::Calibration::calls),
               rows::field("entry_error_ns", &netperfd::Calibration::entry_error_ns),
               rows::field("callee_error_ns", &netperfd::Calibration::callee_error_ns)};
static_assert(rows::kDescribed<Calibration>);

// A build of the kernel or of a module.
struct Build {
  std::string module;      // empty: the kernel
  std::string release;     // of the kernel: "6.12.117+deb13-amd64"
  std::string build_id;    // the GNU build-id in hexadecimal; empty if there is none
  std::string srcversion;  // if the module has one

  bool operator==(const Build&) const = default;
};
template <>
inline constexpr auto rows::kFields<Build> = std::tuple{
    rows::field("module", &netperfd::Build::module), rows::field("release", &netperfd::Build::release),
    rows::field("build_id", &netperfd::Build::build_id),
    rows::field("srcversion", &netperfd::Build::srcversion)};
static_assert(rows::kDescribed<Build>);

struct FunctionProfile {
  std::vector<FunctionStats> functions;  // only called ones, the largest self time first
  std::vector<CallEdge> edges;           // the largest total time first
  std::vector<CallNode> tree;            // depth first, siblings the largest total time first
  CallDamage damage;
  std::uint64_t slice_ns = 0;  // width of the time slices; 0 if there are none
  // False: the function tracer recorded the calls, which does not record their end. There are no times.
  bool timed = true;
  std::optional<bool> sleep_in_recorded;  // the kernel's sleep-time option: recorded_ns includes sleep
  bool off_cpu_known =
      true;  // false: sched_switch was not available, off_cpu_ns is 0 and all times include sleep
  std::optional<std::uint32_t> depth;      // as in the job: deeper calls are in their callers' self times
  std::optional<Calibration> calibration;  // absent: not corrected
  std::string not_calibrated;              // the reason if there is no calibration
  // Share of the run's CPU time that tracing its calls took, 0 to 1; absent: not known.
  std::optional<double> tracer_share = std::nullopt;
  std::vector<Build> builds;  // the kernel and the modules of its functions

  bool operator==(const FunctionProfile&) const = default;
};
template <>
inline constexpr auto rows::kFields<FunctionProfile> =
    std::tuple{rows::field("functions", &netperfd::FunctionProfile::functions),
               rows::field("edges", &netperfd::FunctionProfile::edges),
               rows::field("tree", &netperfd::FunctionProfile::tree),
               rows::field("damage", &netperfd::FunctionProfile::damage),
               rows::field("slice_ns", &netperfd::FunctionProfile::slice_ns),
               rows::field("timed", &netperfd::FunctionProfile::timed),
               rows::field("sleep_in_recorded", &netperfd::FunctionProfile::sleep_in_recorded),
               rows::field("off_cpu_known", &netperfd::FunctionProfile::off_cpu_known),
               rows::field("depth", &netperfd::FunctionProfile::depth),
               rows::field("calibration", &netperfd::FunctionProfile::calibration),
               rows::field("not_calibrated", &netperfd::FunctionProfile::not_calibrated),
               rows::field("tracer_share", &netperfd::FunctionProfile::tracer_share),
               rows::field("builds", &netperfd::FunctionProfile::builds)};
static_assert(rows::kDescribed<FunctionProfile>);

}  // namespace netperfd
