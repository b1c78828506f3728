// The doctor's probes of function tracing.
#pragma once

#include <string>
#include <vector>

#include "daemon/trace/probe_site.hpp"

namespace netperfd::trace {

// function_graph, function_graph_instance and function. They are tried with a filter of one function: with
// all of them the kernel would patch its code for seconds. `busy` is who is tracing, a clause: then nothing
// is tried, because patching code disturbs what is being measured. Never touches the top instance.
[[nodiscard]] std::vector<Finding> probe_functions(ProbeSite& site, const std::string& busy);

}  // namespace netperfd::trace
