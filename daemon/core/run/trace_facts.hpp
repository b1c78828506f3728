// SPDX-License-Identifier: GPL-2.0-or-later
// The facts of the group trace: the trace that a job asked for, and its outcome.
#pragma once

#include <optional>

#include "daemon/model/fingerprint.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/trace_record.hpp"

namespace netperfd::core {

// Adds them to `fingerprint`, whose facts stay in order. A run without a trace has one fact, `tracer`, with
// the value "none". Functions are those that the job asked for, not those that this kernel has of them:
// another build has others, which is a fact of its module.
void add_trace_facts(const JobSpec& spec, const std::optional<TraceRecord>& record, Fingerprint& fingerprint);

}  // namespace netperfd::core
