// What function_graph's calls of one run come to. Times are whole nanoseconds of trace_clock_local, which is
// what the kernel measures a call with, whatever clock stamps its records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace netperfd {

// Counts of durations in log-linear buckets: below 32 ns one bucket a nanosecond, above it 32 equal buckets
// between a power of two and the next, so that a bucket is never wider than 1/32 of what it holds. Two of
// them are merged by adding counts. analysis/histogram.hpp has the arithmetic.
struct Histogram {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> buckets;  // (number, count), by number, none of them 0

  bool operator==(const Histogram&) const = default;
};

// One traced function. A call is a matched entry and exit. Its total time is the time between them less what
// interrupts took of it and less the time its task was off the CPU; its self time is that less the total time
// of the traced functions it called. What it called untraced is in its self time.
struct FunctionStats {
  std::string name;    // a token such as "p:3f9c21d0" where no symbol is known
  std::string module;  // empty: the kernel itself
  std::uint32_t duplicate =
      0;  // 0: the only one of this name and module; else which of them, 1 is the lowest

  std::uint64_t hits = 0;            // calls
  std::uint64_t total_ns = 0;        // over calls that are not inside another call of the same function
  std::uint64_t self_ns = 0;         // over all calls
  std::uint64_t recorded_ns = 0;     // durations as the kernel recorded them, added up: with inner calls of a
                                     // recursion, interrupts and, where its sleep-time option is on, sleep
  std::uint64_t interrupted_ns = 0;  // that traced functions of interrupts took; over the calls of total_ns
  std::uint64_t off_cpu_ns = 0;      // asleep or preempted, within callees too; over the calls of total_ns
  std::uint64_t callees = 0;         // traced calls that its calls made directly
  std::uint64_t interruptions = 0;   // traced calls that an interrupt began over its calls directly
  std::uint64_t roots = 0;           // calls that no traced function made
  std::uint64_t interrupt_roots = 0;     // of those: in an interrupt or softirq that came over other code
  std::uint64_t min_ns = 0, max_ns = 0;  // of one call's total time
  std::uint64_t p50_ns = 0, p90_ns = 0;  // the same, from the histogram
  // The same; absent below 1,000 and 10,000 calls, which are too few to tell them from the greatest.
  std::optional<std::uint64_t> p99_ns, p999_ns;
  Histogram histogram;                             // the same
  std::optional<std::uint64_t> corrected_self_ns;  // self time without the tracer's own cost; not below 0
  // By FunctionProfile::slice_ns from the release on: calls that returned in the slice, and their self time.
  // Trailing zeros are left out.
  std::vector<std::uint64_t> slice_hits, slice_self_ns;

  bool operator==(const FunctionStats&) const = default;
};

// Calls of one traced function by another. Calls that no traced function made are in no edge.
struct CallEdge {
  std::uint32_t caller = 0, callee = 0;  // indices into FunctionProfile::functions
  std::uint64_t hits = 0;
  std::uint64_t total_ns = 0;  // of the callee, also of inner calls of a recursion

  bool operator==(const CallEdge&) const = default;
};

// A path of calls from a root. A parent stands before its children.
struct CallNode {
  std::optional<std::uint32_t> parent;  // index into FunctionProfile::tree; absent: a root
  std::uint32_t function = 0;           // index into FunctionProfile::functions
  bool in_interrupt = false;            // a root that an interrupt or softirq began over other code
  std::uint64_t hits = 0, total_ns = 0, self_ns = 0;

  bool operator==(const CallNode&) const = default;
};

// What became of entries and exits that are no whole call, and what else a reader must know of. All are
// counts.
struct CallDamage {
  std::uint64_t open_at_start = 0;      // exits without an entry, from before the trace began
  std::uint64_t open_at_end = 0;        // entries whose exit had not come when it ended
  std::uint64_t unmatched_exits = 0;    // exits without an entry, later
  std::uint64_t unmatched_entries = 0;  // entries that others show never to have returned within the trace
  std::uint64_t over_losses = 0;  // calls during which records of their CPU were lost: callees may be missing
  std::uint64_t depth_overruns = 0;  // calls the kernel could not follow, its stack of returns being full
  std::uint64_t clipped = 0;         // times that came out negative by a little and were taken for 0
  std::uint64_t out_of_order = 0;    // records that came after later ones of their task
  std::uint64_t tree_overflow =
      0;  // calls whose path found no room in the tree: they are in none of its nodes

  bool operator==(const CallDamage&) const = default;
};

// What the tracer itself adds to a call, measured once a boot ; trace/calibration.cpp says how.
struct Calibration {
  double entry_ns = 0;      // within the call's own duration
  double callee_ns = 0;     // in the caller's self time, for each traced call it makes or is interrupted by
  std::uint64_t calls = 0;  // that it is the median of

  bool operator==(const Calibration&) const = default;
};

// A build of the kernel or of a module.
struct Build {
  std::string module;      // empty: the kernel
  std::string release;     // of the kernel: "6.12.117+deb13-amd64"
  std::string build_id;    // the GNU build-id in hexadecimal; empty where there is none
  std::string srcversion;  // of a module that has one

  bool operator==(const Build&) const = default;
};

struct FunctionProfile {
  std::vector<FunctionStats> functions;  // called ones, the largest self time first
  std::vector<CallEdge> edges;           // the largest total time first
  std::vector<CallNode> tree;            // depth first, siblings the largest total time first
  CallDamage damage;
  std::uint64_t slice_ns = 0;  // width of the time slices; 0 where there are none
  // False: the function tracer recorded the calls, which tells of no end. All times are 0 and mean nothing.
  bool timed = true;
  std::optional<bool> sleep_in_recorded;  // the kernel's sleep-time option: recorded_ns holds sleep
  bool off_cpu_known =
      true;  // false: sched_switch was not to be had, off_cpu_ns is 0 and sleep is in all times
  std::optional<std::uint32_t> depth;      // as asked: deeper calls are in their caller's self time
  std::optional<Calibration> calibration;  // absent: not corrected
  std::string not_calibrated;              // why not
  std::vector<Build> builds;               // the kernel and the modules of its functions

  bool operator==(const FunctionProfile&) const = default;
};

}  // namespace netperfd
