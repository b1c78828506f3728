// SPDX-License-Identifier: GPL-2.0-or-later
// How long the test took, where the final sums, the intervals, the streams and the request contradict each
// other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/workload/iperf3/document.hpp"
#include "daemon/workload/iperf3/intervals.hpp"

namespace netperfd::workload {

// What else tells the length of a direction, in seconds; absent where it is not told.
struct TimeWitnesses {
  std::optional<double> intervals, asked, streams;
  double omitted = 0;  // some versions add it
};

// Whether somebody has taken intervals out: those that are there have less of the bytes and of the time, by
// the same factor.
[[nodiscard]] bool are_shortened(const CountedPart& intervals, std::uint64_t bytes, double seconds);

// The streams' is their median, and without any that of the sender's sum. Shortened intervals tell nothing.
[[nodiscard]] TimeWitnesses time_witnesses(const Iperf3Document& document, const TestSpec& asked,
                                           const CountedPart& counted, Direction direction);

// Whether there is a time to judge: without bytes, the writer's own may be anything, and that of a far side
// is 0 if it was never learnt.
[[nodiscard]] bool has_time(const Figures& figures, bool far);

struct JudgedTime {
  std::optional<double> seconds;
  std::string contradiction;  // what the sum says and what was used; empty if there is none
};

// The value that two of the sum, the intervals and the request support, with the streams where one or both of
// those are missing; absent if no two agree, and where the far side's time is 0, by which iperf3 says that it
// never learnt it. A far side may go on for a while until its queues are empty.
[[nodiscard]] JudgedTime judge_time(double seconds, bool far, const TimeWitnesses& witnesses);

// iperf3's rate, if it follows from the bytes and the time that stand beside it, else the one that does.
[[nodiscard]] std::optional<double> rate_of(const Figures& figures);

// Whether iperf3's rate and time are those of so many bytes.
[[nodiscard]] bool told_by_rate(const Figures& figures, std::uint64_t bytes);

}  // namespace netperfd::workload
