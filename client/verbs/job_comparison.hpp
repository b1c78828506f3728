// SPDX-License-Identifier: GPL-2.0-or-later
// The comparison of the sides of one job, with their names.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "client/bus/daemon.hpp"

namespace netperfctl {

using ComparedSides = std::variant<CompareView, SweepView>;

// Requires `request.job`; sets its `a` and `b` to the equivalent selections. `command` repeats the
// comparison. Of a sweep all points, unless `request.point` names one.
[[nodiscard]] Outcome<ComparedSides> compare_job(Daemon& daemon, CompareRequest request, std::string command);
// The same of a job that is no sweep, or of one point; Exit::usage for all points of a sweep.
[[nodiscard]] Outcome<CompareView> compare_sides(Daemon& daemon, CompareRequest request, std::string command);

// The newest job with a design, ignoring pilots and self-tests; not_found if there is none.
[[nodiscard]] Outcome<std::uint64_t> newest_design(Daemon& daemon);

}  // namespace netperfctl
