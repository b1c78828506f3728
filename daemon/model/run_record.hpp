// SPDX-License-Identifier: GPL-2.0-or-later
// The stored, immutable outcome of a run. Unknown values are absent, never 0.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "daemon/model/counters.hpp"
#include "daemon/model/fingerprint.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/latency.hpp"
#include "daemon/model/named_figure.hpp"
#include "daemon/model/run_state.hpp"
#include "daemon/model/sample_profile.hpp"
#include "daemon/model/trace_record.hpp"
#include "dbus/rows/iperf3.hpp"

namespace netperfd {

using JobId = std::int64_t;
using RunId = std::int64_t;
using WallTime = std::chrono::sys_time<std::chrono::microseconds>;

using Totals = rows::Sum;
using Interval = rows::Interval;
using QualityFlag = rows::Flag;
// Flag of a traced run whose design has functions on one side only; the message names them.
inline constexpr std::string_view kFunctionsLeftOut = "functions-left-out";

struct Endpoint {
  std::string host;
  std::uint16_t port = 0;

  bool operator==(const Endpoint&) const = default;
};
template <>
inline constexpr auto rows::kFields<Endpoint> = std::tuple{rows::field("host", &netperfd::Endpoint::host),
                                                           rows::field("port", &netperfd::Endpoint::port)};
static_assert(rows::kDescribed<Endpoint>);

// The figures of iperf3's document for the whole test.
struct WorkloadReport {
  std::string version;  // "3.12"
  std::optional<Endpoint> client, server;
  std::optional<std::uint32_t> mss_bytes;
  std::string congestion;  // the sender's; empty if unknown
  // Percent of one CPU, as iperf3 measures its own process.
  std::optional<double> cpu_client_percent, cpu_server_percent;
  std::vector<Totals> sums;     // one for each direction
  std::vector<Totals> streams;  // one for each stream
  std::vector<Interval> intervals;

  bool operator==(const WorkloadReport&) const = default;
};
template <>
inline constexpr auto rows::kFields<WorkloadReport> =
    std::tuple{rows::field("version", &netperfd::WorkloadReport::version),
               rows::field("client", &netperfd::WorkloadReport::client),
               rows::field("server", &netperfd::WorkloadReport::server),
               rows::field("mss_bytes", &netperfd::WorkloadReport::mss_bytes),
               rows::field("congestion", &netperfd::WorkloadReport::congestion),
               rows::field("cpu_client_percent", &netperfd::WorkloadReport::cpu_client_percent),
               rows::field("cpu_server_percent", &netperfd::WorkloadReport::cpu_server_percent),
               rows::field("sums", &netperfd::WorkloadReport::sums),
               rows::field("streams", &netperfd::WorkloadReport::streams),
               rows::field("intervals", &netperfd::WorkloadReport::intervals)};
static_assert(rows::kDescribed<WorkloadReport>);

// Why no test began that may begin later: the server could not be had.
enum class ServerAbsence {
  none,    // it could, or the run failed for another reason
  busy,    // it has a test with somebody else
  absent,  // it did not take the connection
};

// What was read of iperf3's output.
struct ParsedReport {
  WorkloadReport report;           // if there is an error, as much as could be read
  std::vector<QualityFlag> flags;  // on what was read
  std::string error;  // empty exactly if this is a measurement; our words first, then iperf3's own
  ServerAbsence server = ServerAbsence::none;  // otherwise there is an error, and no byte was moved
  bool lacks_something = false;                // as in WorkloadResult

  bool operator==(const ParsedReport&) const = default;
};
template <>
inline constexpr auto rows::kFields<ParsedReport> =
    std::tuple{rows::field("report", &netperfd::ParsedReport::report),
               rows::field("flags", &netperfd::ParsedReport::flags),
               rows::field("error", &netperfd::ParsedReport::error),
               rows::field("server", &netperfd::ParsedReport::server),
               rows::field("lacks_something", &netperfd::ParsedReport::lacks_something)};
static_assert(rows::kDescribed<ParsedReport>);

// A file that an imported run came from.
struct SourceFile {
  std::string name;                  // without its directories: one printable line
  std::uint64_t size = 0;            // bytes
  std::optional<WallTime> modified;  // absent: unknown, as of what came through a pipe
  std::string sha256;                // 64 lowercase hexadecimal digits; empty: unknown

  bool operator==(const SourceFile&) const = default;
};
template <>
inline constexpr auto rows::kFields<SourceFile> = std::tuple{
    rows::field("name", &netperfd::SourceFile::name), rows::field("size", &netperfd::SourceFile::size),
    rows::field("modified_us", &netperfd::SourceFile::modified),
    rows::field("sha256", &netperfd::SourceFile::sha256)};
static_assert(rows::kDescribed<SourceFile>);

// Of a command of a design that failed: the end of what it wrote.
inline constexpr const char* kCommandOutput = "command.output";

// Unmodified output of a process.
struct Document {
  std::string name;  // "client.stdout", "client.stderr", "server.stdout", "server.stderr", kCommandOutput,
                     // kFileDocument and a name
  std::string bytes;
};

// CPU time and peak memory of the client process, from wait4.
struct ResourceUsage {
  std::chrono::microseconds user{0};
  std::chrono::microseconds system{0};
};

// How the workload ended, successfully or not.
struct WorkloadResult {
  std::string error;                           // empty: a measurement; otherwise our own words, then iperf3's
  ServerAbsence server = ServerAbsence::none;  // as in ParsedReport
  WorkloadReport report;                       // if there is an error, as much as could be read
  std::vector<QualityFlag> flags;              // on what was read; a RunRecord owns them
  std::vector<Document> documents;
  std::optional<ResourceUsage> client_usage;
  std::optional<ResourceUsage> server_usage;  // of a server that netperfd ran; it is not stored
  std::optional<ResourceUsage> probes_usage;  // of the prober and its server beside iperf3; it is not stored
  std::optional<LatencyReport> latency;       // absent: the job has no probes, or nothing could be read
  std::vector<NamedFigure> figures;           // of its own; a RunRecord owns them
  bool lacks_something = false;               // with an error: something that a further run would lack too
};

// Packets counted by one device of the client's network namespace between the release and the end of the run.
struct PacketCount {
  std::string device;         // the one used by the route to the server
  std::string netns;          // empty: the host's namespace
  bool sent = true;           // true: its tx counters; false: rx, for a test in which the client receives
  std::uint64_t packets = 0;  // socket buffers: one that is segmented later counts once
  std::uint64_t bytes = 0;

  bool operator==(const PacketCount&) const = default;
};

// The divisors of a function profile's figures. Unlike iperf3's sums they include the omitted part, as the
// trace does.
struct TrafficCount {
  std::optional<std::uint64_t> goodput_bytes;  // received, over all directions and streams
  std::optional<PacketCount> packets;          // absent: unknown

  bool operator==(const TrafficCount&) const = default;
};

struct RunRecord {
  RunId id = 0;
  RunState state = RunState::failed;  // one of the final states
  std::string error;                  // empty exactly if state is finished
  std::optional<WallTime> started;    // the moment of the client's release
  std::optional<WallTime> ended;      // the moment when the client was found to have ended
  WorkloadResult workload;            // without flags and figures
  std::vector<QualityFlag> flags;     // of its workload, its trace, its host and its import
  std::optional<TraceRecord> trace;   // absent if the job asked for none
  TrafficCount traffic;
  std::optional<Fingerprint> fingerprint;  // absent: the workload was never prepared
  std::optional<Counters> counters;        // absent: the client was never released, or none were read
  std::vector<SourceFile> files;           // of an imported run; the first is the document import.1
  std::optional<SampleProfile> samples;    // absent: the job asked for none, or the run was traced
  std::vector<NamedFigure> figures;        // that the workload or the scenario brings; each name once
};

}  // namespace netperfd
