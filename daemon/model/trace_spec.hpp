// What a job watches in the kernel while its workload runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace netperfd {

// The functions that ftrace's function_graph tracer records. Exactly one of `module` and `functions` is
// given.
struct FunctionGraphSpec {
  std::string module;                  // every traceable function of this module
  std::vector<std::string> functions;  // names or globs, as set_ftrace_filter takes them
  std::vector<std::string> exclude;    // names or globs left out of either
  std::optional<std::uint32_t> depth;  // of nested calls that are recorded, 1 and up; absent: all
  // Names, left out as well: those that only one side of the job's design has. No text can ask for it.
  std::vector<std::string> left_out = {};

  bool operator==(const FunctionGraphSpec&) const = default;
};

struct EventSpec {
  std::string name;         // "skb:kfree_skb"
  std::string filter;       // in the kernel's own filter language; empty: every event
  bool stacktrace = false;  // the kernel stack with each of them

  bool operator==(const EventSpec&) const = default;
};

struct TraceSpec {
  std::optional<FunctionGraphSpec> function_graph;
  std::vector<EventSpec> events;
  bool workload_only = false;                   // only while a task of the workload is the current one
  std::vector<std::uint32_t> cpus;              // empty: all
  std::optional<std::uint64_t> buffer_bytes;    // of one CPU; absent: netperfd's choice
  std::optional<std::uint64_t> keep_raw_bytes;  // of raw sub-buffers to keep, all CPUs; absent: none
  bool optional = false;                        // measure without it where the kernel refuses

  bool operator==(const TraceSpec&) const = default;
};

}  // namespace netperfd
