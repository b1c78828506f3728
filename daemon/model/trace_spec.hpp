// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel events and functions that a job records while its workload runs.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace netperfd {

// The functions that ftrace's function_graph tracer records. Exactly one of `module` and `functions` is
// given.
struct FunctionGraphSpec {
  std::string module;                  // every traceable function of this module
  std::vector<std::string> functions;  // names or globs, in the syntax of set_ftrace_filter
  std::vector<std::string> exclude;    // names or globs to leave out
  std::optional<std::uint32_t> depth;  // of nested calls to record, at least 1; absent: all
  std::vector<std::string> only = {};  // names to keep of either, with all their clones; empty: all
  // Names to leave out because only one side of the job's design has them. No job text can set it.
  std::vector<std::string> left_out = {};
  // Functions to leave out with all their clones because of TraceSpec::budget. No job text can set it.
  std::vector<std::string> over_budget = {};
  std::string not_counted = {};  // why the budget could not be applied; empty: it was, or there is none

  bool operator==(const FunctionGraphSpec&) const = default;
};

// "hsr_get_node" of "hsr_get_node.isra.0": the compiler's clones of a function have such suffixes, and two
// builds may have different ones.
[[nodiscard]] inline std::string_view source_name(std::string_view name) {
  const auto dot = name.find('.');
  return dot == 0 ? name : name.substr(0, dot);
}

struct EventSpec {
  std::string name;         // "skb:kfree_skb"
  std::string filter;       // in the kernel's own filter language; empty: every event
  bool stacktrace = false;  // record the kernel stack with each event

  bool operator==(const EventSpec&) const = default;
};

struct TraceSpec {
  std::optional<FunctionGraphSpec> function_graph;
  std::vector<EventSpec> events;
  bool workload_only = false;                   // only while a task of the workload is the current one
  std::vector<std::uint32_t> cpus;              // empty: all
  std::optional<std::uint64_t> buffer_bytes;    // for each CPU; absent: netperfd's default
  std::optional<std::uint64_t> keep_raw_bytes;  // of raw sub-buffers to keep, over all CPUs; absent: none
  bool optional = false;                        // measure without a trace if the kernel refuses it
  // The largest share of the CPU time of a traced run that tracing functions may take, above 0 and up to 1.
  // Absent: all functions are traced.
  std::optional<double> budget = std::nullopt;
  // The text that has the trace can be changed by others than root. No job text can set it.
  bool of_others = false;
  // The user who reads the record, from whom tasks of others are hidden; absent: root, who sees all. Set for
  // each run, from the job's owner.
  std::optional<uid_t> viewer = std::nullopt;

  bool operator==(const TraceSpec&) const = default;
};

}  // namespace netperfd
