// The facts of the group trace: what a job asked to be traced, and what came of it.
#pragma once

#include <optional>

#include "daemon/model/fingerprint.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/trace_record.hpp"

namespace netperfd::core {

// Adds them to `fingerprint`, whose facts stay in order. A run without a trace has one, `tracer`, which is
// "none". Functions are those that were asked for, not those that this kernel has of them: another build has
// others, and that is a fact of its module.
void add_trace_facts(const JobSpec& spec, const std::optional<TraceRecord>& record, Fingerprint& fingerprint);

}  // namespace netperfd::core
