// SPDX-License-Identifier: GPL-2.0-or-later
// Checks a file's content before the daemon accepts it from the reading process, which the file may have
// compromised.
#pragma once

#include <cstddef>

#include "daemon/base/error.hpp"
#include "daemon/model/imported_file.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/latency.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::reading {

// Limits of lists. A correct reader stays within them through its own limits on functions, stacks and slices.
inline constexpr std::size_t kMostCpus = 16'384;
inline constexpr std::size_t kMostEvents = 70'000;
inline constexpr std::size_t kMostSamples = 50'000;  // of each name 32
inline constexpr std::size_t kMostFields = 256;
inline constexpr std::size_t kMostStacks = 4'000;
inline constexpr std::size_t kMostFrames = 1'000;
inline constexpr std::size_t kMostDrops = 4'000;
inline constexpr std::size_t kMostMarks = 2'000;
inline constexpr std::size_t kMostFunctions = 20'001;  // "others" are the last
inline constexpr std::size_t kMostEdges = 100'000;
inline constexpr std::size_t kMostNodes = 10'000;
inline constexpr std::size_t kMostBuckets = 4'096;
inline constexpr std::size_t kMostBuilds = 1'000;
inline constexpr std::size_t kMostSums = 2;
inline constexpr std::size_t kMostStreams = 2'048;
// More do not fit into the 64 MiB that a run keeps of iperf3's output.
inline constexpr std::size_t kMostLiveIntervals = 300'000;
inline constexpr std::size_t kMostProbes = 8;  // of a job, as check() in model/job_spec.hpp has it
inline constexpr std::size_t kMostPhases = kMostProbes * kLatencyPhases.size();
inline constexpr std::size_t kMostSpans = kMostPhases * kLatencySpans.size();
inline constexpr std::size_t kMostLatencyIntervals = 200'000;
inline constexpr std::size_t kMostFlags = 1'000;
inline constexpr std::size_t kMostTables = 200;  // of a bundle
inline constexpr std::size_t kMostColumns = 200;
inline constexpr std::size_t kLongestText = 65'536;
// A longer file is not kept as it is.
inline constexpr std::size_t kMostRawBytes = std::size_t{32} << 20;
// Limit of all lists and texts together, in memory.
inline constexpr std::size_t kMostDecodedBytes = (std::size_t{64} << 20) + kMostRawBytes;

// Checks only the texts: printable and not long. The fuzzers require this of every record that the readers of
// daemon/trace make.
[[nodiscard]] Status check_texts(const TraceRecord& record);

// Texts are printable and not long, counts fit a signed number, figures are finite. In a trace, indices are
// valid, parents precede their children, and CPUs, events, functions and edges occur once. In an iperf3
// document, a sum and an interval have one direction, and no time is before 1970 or beyond the year 9999. A
// file holds one of the three, and a digest is one in its form. invalid_argument with the violation.
[[nodiscard]] Status check_file(const ImportedFile& file);

// The most intervals that iperf3 reports of this test, with a margin.
[[nodiscard]] std::size_t most_intervals(const TestSpec& asked);
// The same for what was read of the output of netperfd's own iperf3, whose lists have their limits too.
[[nodiscard]] Status check_report(const ParsedReport& report, std::size_t most_intervals);

// The same for the prober's output: phases and spans are known words, each once for a probe.
[[nodiscard]] Status check_latency(const ParsedLatency& latency);

}  // namespace netperfd::reading
