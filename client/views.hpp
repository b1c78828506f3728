// What the client shows, as plain data: made from D-Bus rows by rows.cpp, turned into text, JSON and CSV by
// renderers.
//
// Names and units are those of the rows (dbus/*.xml). What the daemon did not say is an empty optional, never
// 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace netperfctl {

// One run: a row of ListRuns or the first part of GetRun. The last four figures come with ListRuns only.
struct RunView {
  std::uint64_t run = 0;
  std::optional<std::uint64_t> job;
  std::optional<std::uint32_t> index, repeat;  // 1 to repeat
  std::optional<std::string> scenario, label, state, error;
  std::optional<std::uint32_t> owner;  // uid
  std::optional<std::uint64_t> created_us, started_us, ended_us;
  std::optional<std::string> protocol, direction;
  std::optional<std::uint32_t> streams;
  std::optional<double> duration_s;
  std::optional<std::uint64_t> bytes;
  std::optional<double> omit_s;
  std::optional<std::string> server, client_netns, server_netns, iperf3_version, client_host, server_host;
  std::optional<std::uint16_t> client_port, server_port;
  std::optional<std::uint32_t> mss;
  std::optional<std::string> congestion;
  std::optional<double> cpu_client_percent, cpu_server_percent, client_user_s, client_system_s;
  std::optional<std::uint32_t> flags;  // how many
  std::optional<std::vector<std::string>> documents;
  std::optional<double> received_bits_per_second, sent_bits_per_second;
  std::optional<std::uint64_t> retransmits;
  std::optional<double> lost_percent;
};

// Totals of one direction or, with `stream`, of one stream.
struct SumView {
  std::optional<std::string> direction;  // send or receive, as the client sees it
  std::optional<std::int64_t> stream;
  std::optional<double> seconds;
  std::optional<std::uint64_t> sent_bytes, received_bytes;
  std::optional<double> sent_bits_per_second, received_bits_per_second;
  std::optional<std::uint64_t> retransmits, max_snd_cwnd, min_rtt, mean_rtt, max_rtt;
  std::optional<double> jitter_ms;
  std::optional<std::uint64_t> packets;
  std::optional<std::int64_t> lost_packets;
  std::optional<double> lost_percent;
  std::optional<std::uint64_t> out_of_order;
};

// One reporting interval of a stream or, without `stream`, of a direction.
struct IntervalView {
  std::optional<std::string> direction;
  std::optional<std::int64_t> stream;
  std::optional<bool> sender, omitted;  // `sender`: it was the sender that counted
  std::optional<double> start_s, end_s, seconds;
  std::optional<std::uint64_t> bytes;
  std::optional<double> bits_per_second;
  std::optional<std::uint64_t> retransmits, snd_cwnd, rtt, rttvar, pmtu;
  std::optional<double> jitter_ms;
  std::optional<std::uint64_t> packets;
  std::optional<std::int64_t> lost_packets;
  std::optional<double> lost_percent;
};

struct FlagView {
  std::string code, message;
};

// A stored job (GetJob): its counts of runs by how they ended.
struct JobView {
  std::uint64_t job = 0;
  std::optional<std::string> scenario, label;
  std::optional<std::uint32_t> owner;
  std::optional<std::uint64_t> created_us;
  std::optional<std::uint32_t> repeat;
  std::optional<std::vector<std::uint64_t>> runs;
  std::optional<std::uint32_t> finished, failed, canceled, interrupted;
};

// Of the received rate over a job's finished runs, in one direction.
struct SpreadView {
  std::optional<std::string> direction;
  std::optional<std::uint32_t> runs;
  std::optional<double> median, lowest, highest;  // bits per second
  std::optional<double> cv_percent;
};

// A job the daemon still holds: the properties of its object.
struct LiveJobView {
  std::uint64_t job = 0;
  std::optional<std::string> scenario, label;
  std::optional<std::uint32_t> owner;
  std::optional<std::vector<std::uint64_t>> runs;
  std::optional<double> planned_s;  // one run
  std::optional<std::string> state;
  std::optional<std::uint32_t> runs_ended, runs_finished;
  std::optional<std::uint64_t> current_run;
  std::optional<std::string> run_state;
  std::optional<double> progress;  // of the current run, 0 to 1
  std::optional<std::string> error;
};

struct ScenarioView {
  std::optional<std::string> name, description, file, error;
};

struct RunDetails {
  RunView run;
  std::vector<SumView> sums;
  std::vector<FlagView> flags;
};

struct JobDetails {
  JobView job;
  std::vector<SpreadView> spreads;
};

// All of a `show` page.
struct ShowView {
  RunDetails details;
  std::optional<JobDetails> job;  // absent where the daemon does not know it any more
  std::vector<IntervalView> intervals;
  std::vector<SumView> streams;
  bool list_intervals = false, list_streams = false;  // what the caller asked to see in full
};

// All that `start` can say of its job.
struct StartView {
  JobDetails job;
  std::vector<RunView> runs;  // oldest first
};

[[nodiscard]] inline bool has_ended(const std::string& state) {
  return state == "finished" || state == "failed" || state == "canceled" || state == "interrupted";
}

}  // namespace netperfctl
