// SPDX-License-Identifier: GPL-2.0-or-later
// The totals of a run: iperf3's final sums, checked against its intervals and its streams.
#pragma once

#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/workload/iperf3_document.hpp"
#include "daemon/workload/iperf3_intervals.hpp"

namespace netperfd::workload {

// Fills report.sums and report.streams and raises the flags for them.
void add_totals(const Iperf3Document& document, const TestSpec& asked, const IntervalTotals& intervals,
                WorkloadReport& report);

}  // namespace netperfd::workload
