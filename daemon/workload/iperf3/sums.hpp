// SPDX-License-Identifier: GPL-2.0-or-later
// The totals of a run: iperf3's final sums, checked against its intervals and its streams.
#pragma once

#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/workload/iperf3/document.hpp"
#include "daemon/workload/iperf3/intervals.hpp"

namespace netperfd::workload {

// Fills the sums and the streams and raises the flags for them.
void add_totals(const Iperf3Document& document, const TestSpec& asked, const IntervalTotals& intervals,
                ParsedReport& parsed);

}  // namespace netperfd::workload
