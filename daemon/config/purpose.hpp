// SPDX-License-Identifier: GPL-2.0-or-later
// Turns a job into a pilot or a self-test.
#pragma once

#include <cstdint>
#include <optional>

#include "daemon/core/ports/scenario_source.hpp"
#include "daemon/model/job_spec.hpp"

namespace netperfd::config {

// Changes `spec` according to `options.purpose`. `spec` must have passed check() and have a workload that
// ends by itself; afterwards it still passes check(). `spec.text` stays as it was read.
//
// A pilot has only plain runs: it drops the trace and the design's plain arm, or the whole design if it has
// no variants. A self-test uses the scenario's side A for both sides, commands included. Both use the
// purpose's name as their label. A pilot, and a self-test of a scenario without variants, have default
// numbers of runs, since the scenario's `repeat` was not meant for them. Values from the options take
// precedence.
void apply_purpose(JobSpec& spec, const core::JobOptions& options);

// As many blocks as an interval takes, for a job whose sides the options add to a text without sides: its
// `repeat` was meant for runs. Absent: the text has its sides, there are none, or the options say how many.
[[nodiscard]] std::optional<std::uint32_t> blocks_of_new_sides(const JobSpec& spec,
                                                               const core::JobOptions& options);

}  // namespace netperfd::config
