// SPDX-License-Identifier: GPL-2.0-or-later
// Writes a TraceSpec into the files of a trace directory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/trace_spec.hpp"
#include "daemon/trace/tracefs/hold.hpp"

namespace netperfd::trace {

// The settings as the kernel accepted them.
struct Applied {
  std::string clock;
  std::uint64_t buffer_bytes = 0;
  std::uint32_t functions = 0;                 // number of traced ones
  std::uint32_t filtered = 0;                  // in the filter, including those that `exclude` removes again
  std::vector<std::string> missing_functions;  // names and globs that match none
  bool graph_refused_in_instance = false;      // the only failure that another directory can solve
};

// If one of these three functions fails, the journal and the removal of the instance undo its changes.

// Turns tracing off and sets clock, buffers, CPUs, and the tracing of the workload's new tasks.
// `buffer_bytes` is the size for one CPU if the job gives none; 0: leave the buffers unchanged.
[[nodiscard]] Status apply_ring(Hold& hold, const TraceSpec& spec, std::uint64_t buffer_bytes,
                                Applied& applied);

// Sets filters and triggers, and enables the events. A filter that the kernel rejects is an invalid_argument
// with the event, the filter and the kernel's own words.
[[nodiscard]] Status apply_events(Hold& hold, const std::vector<EventSpec>& events);

// Sets filters and depth, and turns the tracer on. `proc` shows whether a module is loaded, and which process
// is in the way.
[[nodiscard]] Status apply_function_graph(Hold& hold, const FunctionGraphSpec& spec, const std::string& proc,
                                          Applied& applied);

// "events/skb/kfree_skb"; invalid_argument if the kernel could not have an event of this name.
[[nodiscard]] Result<std::string> event_directory(const std::string& name);

// The functions that a function list currently contains.
[[nodiscard]] Result<std::vector<std::string>> functions_in(const Hold& hold, const std::string& file);

[[nodiscard]] bool is_loaded(const std::string& proc, const std::string& module);

// The kernel's name of a module, in which hyphens become underscores.
[[nodiscard]] std::string module_name(std::string name);

}  // namespace netperfd::trace
