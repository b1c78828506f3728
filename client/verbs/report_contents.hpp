// SPDX-License-Identifier: GPL-2.0-or-later
// Asks the daemon for what a report shows.
#pragma once

#include "client/bus/daemon.hpp"
#include "client/report/report.hpp"
#include "client/verbs/comparison_request.hpp"

namespace netperfctl {

// Of two sides, a job, a run or several, as the words of `sides` say. Report::again is the comparison.
[[nodiscard]] Outcome<report::Report> report_contents(Daemon& daemon, const ComparisonArguments& sides);

}  // namespace netperfctl
