// What a job becomes that is asked for as a pilot or a self-test.
#pragma once

#include "daemon/core/ports.hpp"
#include "daemon/model/job_spec.hpp"

namespace netperfd::config {

// Changes `spec`, which passed check() and has a workload that ends by itself, to what `options.purpose`
// makes of it; it passes check() still. `spec.text` stays what was read.
//
// A pilot has plain runs only: the trace is left out, and of the design its plain arm and, without variants,
// all of it. A self-test has the scenario's side A as both of its sides, commands included. Both have the
// purpose's word for a label, and a pilot and a self-test of a scenario without variants have numbers of runs
// of their own, since its `repeat` was not meant for them. What the options give stands.
void apply_purpose(JobSpec& spec, const core::JobOptions& options);

}  // namespace netperfd::config
