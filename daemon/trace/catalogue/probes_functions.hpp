// SPDX-License-Identifier: GPL-2.0-or-later
// The doctor's probes of function tracing.
#pragma once

#include <string>
#include <vector>

#include "daemon/trace/catalogue/probe_site.hpp"

namespace netperfd::trace {

// Tries function_graph, function_graph_instance and function with a filter of one function: with all
// functions the kernel would patch its code for seconds. `busy` is a clause that names who is tracing: then
// nothing is tried, because patching code disturbs their measurement. Never touches the top instance.
[[nodiscard]] std::vector<Finding> probe_functions(ProbeSite& site, const std::string& busy);

}  // namespace netperfd::trace
