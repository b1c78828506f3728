// The stored, immutable outcome of a run. What nobody learnt is absent, never 0.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/model/counters.hpp"
#include "daemon/model/fingerprint.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_state.hpp"
#include "daemon/model/trace_record.hpp"
#include "dbus/rows/iperf3.hpp"

namespace netperfd {

using JobId = std::int64_t;
using RunId = std::int64_t;
using WallTime = std::chrono::sys_time<std::chrono::microseconds>;

using Totals = rows::Sum;
using Interval = rows::Interval;
using QualityFlag = rows::Flag;
// Of a traced run whose design has functions on one side only; the message names them.
inline constexpr std::string_view kFunctionsLeftOut = "functions-left-out";

struct Endpoint {
  std::string host;
  std::uint16_t port = 0;

  bool operator==(const Endpoint&) const = default;
};

// What iperf3's document says of the test as a whole.
struct Iperf3Report {
  std::string version;  // "3.12"
  std::optional<Endpoint> client, server;
  std::optional<std::uint32_t> mss_bytes;
  std::string congestion;  // the sender's, empty where unknown
  // Of one CPU, as iperf3 counts its own process.
  std::optional<double> cpu_client_percent, cpu_server_percent;
  std::vector<Totals> sums;     // one a direction
  std::vector<Totals> streams;  // one a stream
  std::vector<Interval> intervals;
  std::vector<QualityFlag> flags;

  bool operator==(const Iperf3Report&) const = default;
};

// Bytes kept as they came.
struct Document {
  std::string name;  // "client.stdout", "client.stderr", "server.stdout", "server.stderr"
  std::string bytes;
};

// CPU time and peak memory of the client process, from wait4.
struct ResourceUsage {
  std::chrono::microseconds user{0};
  std::chrono::microseconds system{0};
};

// How the workload ended, whatever the way.
struct WorkloadResult {
  std::string error;    // empty: a measurement. Otherwise ours, then iperf3's own words.
  Iperf3Report report;  // with an error: what could still be read of it
  std::vector<Document> documents;
  std::optional<ResourceUsage> client_usage;
};

// What one device of the client's network namespace counted between the release and the end of the run.
struct PacketCount {
  std::string device;         // the one that the route to the server leaves by
  std::string netns;          // empty: the host's own
  bool sent = true;           // its tx counters; false: rx, for a test in which the client receives
  std::uint64_t packets = 0;  // socket buffers: one that is segmented later counts once
  std::uint64_t bytes = 0;

  bool operator==(const PacketCount&) const = default;
};

// What the figures of a function profile are divided by. Unlike iperf3's sums it covers the omitted part too,
// as the trace does.
struct Traffic {
  std::optional<std::uint64_t> goodput_bytes;  // received, over all directions and streams
  std::optional<PacketCount> packets;          // absent: not known, or none

  bool operator==(const Traffic&) const = default;
};

struct RunRecord {
  RunId id = 0;
  RunState state = RunState::failed;  // one of the ended ones
  std::string error;                  // empty exactly where state is finished
  std::optional<WallTime> started;    // the moment of the client's release
  std::optional<WallTime> ended;      // the moment the client was seen to have ended
  WorkloadResult workload;
  std::optional<TraceRecord> trace;  // absent where the job asked for none
  Traffic traffic;
  std::optional<Fingerprint> fingerprint;  // absent: the workload was never prepared
  std::optional<Counters> counters;        // absent: the client was never let go, or none were read
};

}  // namespace netperfd
