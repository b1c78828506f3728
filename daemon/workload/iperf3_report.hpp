// What iperf3 printed, judged and turned into a report.
//
// Success is read from the document alone: iperf3 3.12 ends with 0 after nearly every failure, and from 3.19
// also after SIGTERM. A measurement is a document that parses, has no `error`, has sums at its end for every
// direction that was asked, and whose intervals cover the asked time (or whose sums have the asked bytes).
//
// Of each figure the side that counted it is believed: the receiver's bytes are the throughput, the sender's
// retransmits are the retransmits, UDP loss comes from the receiver. What the far side never told is absent.
// Every sum is also computed from the intervals and from the streams; where they disagree a quality flag has
// both figures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::workload {

struct ParsedReport {
  Iperf3Report report;  // with an error: what could still be read
  std::string error;    // empty exactly where it is a measurement; ours first, then iperf3's own words
};

// `client_stdout` is a -J document or --json-stream lines, `client_stderr` may hold iperf3's words about its
// options. Totals of a direction have, beside iperf3's sums, the largest congestion window, the smallest and
// largest round-trip time and the mean of the streams' means. A repeated interval is left out of the report.
// Bytes of any content are safe; time and memory are linear in their number.
[[nodiscard]] ParsedReport parse_iperf3_report(std::string_view client_stdout, std::string_view client_stderr,
                                               const Iperf3Spec& asked);

// The sums, one a direction, of one line of --json-stream output; nothing for any other line.
[[nodiscard]] std::vector<Interval> parse_live_intervals(std::string_view line, const Iperf3Spec& asked);

}  // namespace netperfd::workload
