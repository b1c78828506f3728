// SPDX-License-Identifier: GPL-2.0-or-later
// The noise of the host, as far as it needs the results of the workload, and the flags that follow from it.
#pragma once

#include <optional>

#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::core {

// From these values on a run is flagged. docs/quality-flags.md has them too, with what idle hosts reach.
inline constexpr double kLeastForeignLoad = 0.05;     // share of the time of the workload's CPUs
inline constexpr double kLeastForeignLoadS = 0.05;    // and seconds, since processes are known to 10 ms
inline constexpr double kLeastSteal = 0.01;           // share of the time of the workload's CPUs
inline constexpr double kLeastStealS = 0.03;          // and seconds: three ticks
inline constexpr double kLeastThrottled = 0.01;       // share of the window
inline constexpr double kLeastForeignTraffic = 0.05;  // share of the device's bytes
inline constexpr double kLeastForeignBytes = 100'000;
inline constexpr double kLeastMemoryStall = 0.01;  // share of the window
inline constexpr double kLeastSentShare = 0.95;    // of the rate that was asked
inline constexpr double kMostIntervalError = 0.1;  // of an interval's rate, as a share of the one asked

// The least and most that a sender's whole intervals reached, in bits per second.
struct RateRange {
  double lowest = 0, highest = 0;
};

// How the sender kept the rate that the job asks for.
struct RateKept {
  double asked = 0, sent = 0;      // bits per second, over all streams
  std::optional<RateRange> range;  // of the intervals; absent: there is none of the sender's
  double block = 0;                // bits of one write of each stream, the grain of a rate
  bool missed = false;
};
// Of the direction that fell farthest behind. Absent if the job asks for no rate, or none is known.
[[nodiscard]] std::optional<RateKept> rate_kept(const JobSpec& spec, const WorkloadReport& report);

// The most bytes that the workload itself can have caused at the client's device. Headers, acknowledgements
// and retransmissions are counted generously, so the excess is a lower bound of other traffic.
struct OwnBytes {
  double sent = 0, received = 0;
};
[[nodiscard]] std::optional<OwnBytes> own_bytes(const JobSpec& spec, const RunRecord& record);

// Adds figures of daemon/model/noise.hpp to the counters of the record, and its flags to those of the report.
// Does nothing without counters, or for imported files. If netperfd makes no traffic,
// its processes and bytes are not known, so other load and traffic is none that can be flagged.
void add_noise(const JobSpec& spec, RunRecord& record);

}  // namespace netperfd::core
