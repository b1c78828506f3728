// From a TraceSpec to the files of a trace directory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/trace_spec.hpp"
#include "daemon/trace/hold.hpp"

namespace netperfd::trace {

// What came of it, as the kernel made it.
struct Applied {
  std::string clock;
  std::uint64_t buffer_bytes = 0;
  std::uint32_t functions = 0;  // that are traced
  std::uint32_t filtered = 0;   // in the filter, those that `exclude` takes out again among them
  std::vector<std::string> missing_functions;  // names and globs that fit none
  bool graph_refused_in_instance = false;      // the one failure that another directory can mend
};

// All three leave what they did to the journal and to the instance's removal when they fail.

// Tracing off, clock, buffers, CPUs, and that new tasks of the workload are followed. `buffer_bytes` is of
// one CPU where the job does not say; 0: as they are.
[[nodiscard]] Status apply_ring(Hold& hold, const TraceSpec& spec, std::uint64_t buffer_bytes,
                                Applied& applied);

// Filters and triggers, and the events on. A filter that the kernel does not take is an invalid_argument with
// the event, the filter and the kernel's own words.
[[nodiscard]] Status apply_events(Hold& hold, const std::vector<EventSpec>& events);

// Filters, depth, and the tracer on. `proc` tells whether a module is loaded, and who is in the way.
[[nodiscard]] Status apply_function_graph(Hold& hold, const FunctionGraphSpec& spec, const std::string& proc,
                                          Applied& applied);

// "events/skb/kfree_skb"; invalid_argument where the name is none that the kernel could have.
[[nodiscard]] Result<std::string> event_directory(const std::string& name);

// Functions that a function list names now.
[[nodiscard]] Result<std::vector<std::string>> functions_in(const Hold& hold, const std::string& file);

[[nodiscard]] bool is_loaded(const std::string& proc, const std::string& module);

// The kernel's name of a module, which has no hyphens.
[[nodiscard]] std::string module_name(std::string name);

}  // namespace netperfd::trace
