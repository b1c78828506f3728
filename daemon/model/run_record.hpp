// The stored, immutable outcome of a run. Unknown values are absent, never 0.
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

namespace netperfd {

using JobId = std::int64_t;
using RunId = std::int64_t;
using WallTime = std::chrono::sys_time<std::chrono::microseconds>;

// Totals of one direction, or of one of its streams, over the counted part (without the omitted part). Names
// and units are iperf3's.
struct Totals {
  Direction direction = Direction::send;  // send or receive, never both
  std::optional<std::int64_t> stream;     // iperf3's socket number; absent: the sum of the direction
  std::optional<double> seconds;
  std::optional<std::uint64_t> sent_bytes;
  std::optional<std::uint64_t> received_bytes;
  std::optional<double> sent_bits_per_second;
  std::optional<double> received_bits_per_second;
  std::optional<std::uint64_t> retransmits;                 // TCP and SCTP senders, if the kernel reports it
  std::optional<std::uint64_t> max_snd_cwnd;                // bytes
  std::optional<std::uint64_t> min_rtt, mean_rtt, max_rtt;  // microseconds
  std::optional<double> jitter_ms;                          // UDP only, from here on
  std::optional<std::uint64_t> packets;                     // datagrams sent
  std::optional<std::int64_t> lost_packets;
  std::optional<double> lost_percent;
  std::optional<std::uint64_t> out_of_order;
};

// One reporting interval of one stream, or of the sum over the streams of a direction.
struct Interval {
  Direction direction = Direction::send;  // send or receive, never both
  std::optional<std::int64_t> stream;     // absent: the sum
  bool sender = true;                     // true: the sender's count; false: the receiver's
  bool omitted = false;
  double start_s = 0;  // since the start of the test; after the omitted part, since its end
  double end_s = 0;
  double seconds = 0;
  std::optional<std::uint64_t> bytes;
  std::optional<double> bits_per_second;
  std::optional<std::uint64_t> retransmits;
  std::optional<std::uint64_t> snd_cwnd;     // bytes
  std::optional<std::uint64_t> rtt, rttvar;  // microseconds
  std::optional<std::uint64_t> pmtu;         // bytes
  std::optional<double> jitter_ms;           // UDP only, from here on
  std::optional<std::uint64_t> packets;
  std::optional<std::int64_t> lost_packets;
  std::optional<double> lost_percent;
};

// Damage to a measurement, or a choice that a reader must know. It limits how far the result can be trusted
// but is not a failure.
struct QualityFlag {
  std::string code;     // kebab-case, stable, listed in docs/quality-flags.md
  std::string message;  // with the figures, and which of them was used
};
// Flag of a traced run whose design has functions on one side only; the message names them.
inline constexpr std::string_view kFunctionsLeftOut = "functions-left-out";

struct Endpoint {
  std::string host;
  std::uint16_t port = 0;
};

// The figures of iperf3's document for the whole test.
struct Iperf3Report {
  std::string version;  // "3.12"
  std::optional<Endpoint> client, server;
  std::optional<std::uint32_t> mss_bytes;
  std::string congestion;  // the sender's; empty if unknown
  // Percent of one CPU, as iperf3 measures its own process.
  std::optional<double> cpu_client_percent, cpu_server_percent;
  std::vector<Totals> sums;     // one for each direction
  std::vector<Totals> streams;  // one for each stream
  std::vector<Interval> intervals;
  std::vector<QualityFlag> flags;
};

// Unmodified output of a process.
struct Document {
  std::string name;  // "client.stdout", "client.stderr", "server.stdout", "server.stderr"
  std::string bytes;
};

// CPU time and peak memory of the client process, from wait4.
struct ResourceUsage {
  std::chrono::microseconds user{0};
  std::chrono::microseconds system{0};
};

// How the workload ended, successfully or not.
struct WorkloadResult {
  std::string error;    // empty: a measurement; otherwise our own words, then iperf3's
  Iperf3Report report;  // if there is an error, as much as could be read
  std::vector<Document> documents;
  std::optional<ResourceUsage> client_usage;
};

// Packets counted by one device of the client's network namespace between the release and the end of the run.
struct PacketCount {
  std::string device;         // the one used by the route to the server
  std::string netns;          // empty: the host's namespace
  bool sent = true;           // true: its tx counters; false: rx, for a test in which the client receives
  std::uint64_t packets = 0;  // socket buffers: one that is segmented later counts once
  std::uint64_t bytes = 0;
};

// The divisors of a function profile's figures. Unlike iperf3's sums they include the omitted part, as the
// trace does.
struct Traffic {
  std::optional<std::uint64_t> goodput_bytes;  // received, over all directions and streams
  std::optional<PacketCount> packets;          // absent: unknown
};

struct RunRecord {
  RunId id = 0;
  RunState state = RunState::failed;  // one of the final states
  std::string error;                  // empty exactly if state is finished
  std::optional<WallTime> started;    // the moment of the client's release
  std::optional<WallTime> ended;      // the moment when the client was found to have ended
  WorkloadResult workload;
  std::optional<TraceRecord> trace;  // absent if the job asked for none
  Traffic traffic;
  std::optional<Fingerprint> fingerprint;  // absent: the workload was never prepared
  std::optional<Counters> counters;        // absent: the client was never released, or none were read
};

}  // namespace netperfd
