// SPDX-License-Identifier: GPL-2.0-or-later
// Checks iperf3's output and turns it into a report.
//
// Success is judged by the document alone: iperf3 3.12 exits with 0 after nearly every failure, and from 3.19
// also after SIGTERM. A measurement is a document that parses, has no `error`, has final sums for every
// requested direction, and whose intervals cover the requested time (or whose sums have the requested bytes).
//
// Each figure is taken from the side that counted it: throughput from the receiver's bytes, retransmits from
// the sender, UDP loss from the receiver. Figures that the far side never sent are absent. Every sum is also
// computed from the intervals and from the streams; if they disagree, a quality flag gives both figures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/workload/iperf3/document.hpp"

namespace netperfd::workload {

// `client_stdout` is a -J document or --json-stream lines; `client_stderr` may contain iperf3's complaints
// about its options. Besides iperf3's sums, the totals of a direction have the largest congestion window, the
// smallest and largest round-trip time, and the mean of the streams' means. A repeated interval is left out.
// Any bytes are safe; time and memory are linear in their number.
[[nodiscard]] ParsedReport parse_iperf3_report(std::string_view client_stdout, std::string_view client_stderr,
                                               const TestSpec& asked);

// The same for a document that a user brought: `asked` is what the document itself tells of its options. A
// protocol that it does not tell is not named, and final sums do without intervals.
[[nodiscard]] ParsedReport parse_foreign_document(const Iperf3Document& document, std::string_view bytes,
                                                  const TestSpec& asked);

// The sums of one line of --json-stream output, one for each direction; empty for any other line.
[[nodiscard]] std::vector<Interval> parse_live_intervals(std::string_view line, const TestSpec& asked);

}  // namespace netperfd::workload
