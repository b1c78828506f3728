// What the client shows, as plain data: made from D-Bus rows by rows.cpp, turned into text, JSON and CSV by
// renderers.
//
// Names and units are those of the rows (dbus/*.xml). What the daemon did not say is an empty optional, never
// 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "client/counter_views.hpp"
#include "client/environment_views.hpp"
#include "client/function_views.hpp"

namespace netperfctl {

// One run: a row of ListRuns or the first part of GetRun. The four figures from received_bits_per_second on
// come with ListRuns only.
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
  std::optional<std::string> workload;  // iperf3, none or import
  std::optional<std::uint64_t> trace_events, trace_lost;
  std::optional<std::string> trace_skipped, trace_broken;  // why
  std::optional<std::uint32_t> block, letter;              // of a job with a design, as the next three
  std::optional<std::string> side, variant;                // A or B, and its name
  std::optional<bool> traced;
  std::optional<std::string> purpose;  // pilot or selftest; absent: a measurement
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

// What became of one or two files.
struct ImportedView {
  std::uint64_t run = 0;
  std::vector<std::string> files;
  std::vector<FlagView> flags;  // of the run: what the files could not tell, and what is damaged in them
};

// ---- Traces: times in seconds since the client's release, negative before it
// ----------------------------------------------------------------------------

// What is said of a whole trace (GetTrace).
struct TraceView {
  std::optional<std::string> skipped;  // why nothing was traced; then nothing else is there
  std::optional<std::string> broken;   // what makes it doubtful
  std::optional<std::string> clock;
  std::optional<std::uint64_t> buffer_bytes;  // a CPU
  std::optional<std::uint32_t> functions;     // in function_graph's filter
  std::optional<std::vector<std::string>> missing_functions;
  std::optional<bool> workload_only;
  std::optional<std::vector<std::uint32_t>> only_cpus;  // absent: all
  std::optional<double> slice_s;
  std::optional<std::uint64_t> events, lost, stacks_left_out;
  // Rows that did not fit into the daemon's answer; of slices: events without theirs.
  std::optional<std::uint64_t> events_left_out, drops_left_out, marks_left_out, cpus_left_out,
      slices_left_out;
};

struct TraceCpuView {
  std::optional<std::uint32_t> cpu;
  // `records`: decoded ones, which are events, their stacks and marks.
  std::optional<std::uint64_t> records, bytes, lost_events, overrun, commit_overrun, dropped_events, damaged;
};

struct TraceEventView {
  std::string event;                  // "skb:kfree_skb"
  std::optional<std::string> filter;  // as the job has it; absent: every event was counted
  std::optional<std::uint64_t> count;
  std::optional<std::vector<std::uint64_t>> slices;  // trailing zeros are left out
};

// An event's count in one time slice; made here of TraceEventView::slices.
struct SliceView {
  std::string event;
  double start_s = 0, seconds = 0;
  std::uint64_t count = 0;
};

struct DropView {
  std::optional<std::string> reason, location;
  std::optional<std::uint64_t> count;
};

struct MarkView {
  std::optional<double> time_s;
  std::optional<std::string> text;
  std::optional<bool> user;  // from Manager.Mark, not netperfd's own
};

struct SampleFieldView {
  std::string name;
  std::variant<std::int64_t, std::uint64_t, std::string> value;
  std::string text;  // as the kernel prints it; empty: the value itself
};

// One event whole.
struct SampleView {
  std::string event;
  std::optional<std::uint64_t> ordinal;  // 1 is the first of its event
  std::optional<double> time_s;
  std::optional<std::uint32_t> cpu;
  std::optional<std::int32_t> pid;
  std::optional<std::string> task;
  std::optional<std::vector<SampleFieldView>> fields;
};

struct StackView {
  std::optional<std::string> event;
  std::optional<std::uint64_t> count;
  std::optional<std::vector<std::string>> frames;  // innermost first
};

// What a run's trace saw since it last said so.
struct TraceProgressView {
  double seconds = 0;
  std::uint64_t lost = 0;
  std::vector<TraceEventView> events;       // without slices, the most frequent first
  std::vector<FunctionHitsView> functions;  // of the busiest, the most calls first
};

// ---- What this machine offers
// ----------------------------------------------------------------------------------------------------

struct CapabilityView {
  std::string name, ability;  // yes, no or limited
  std::optional<std::string> detail, advice;
};

struct ModuleView {
  std::string name;
  std::optional<bool> loaded, built_in;
  std::optional<std::uint64_t> functions;  // traceable ones
  std::optional<std::string> hint;
};

struct FunctionView {
  std::string name;
  std::optional<std::string> module;  // absent: the kernel itself
};

struct EventView {
  std::string name;                 // "skb:kfree_skb"
  std::optional<std::uint32_t> id;  // this and the next only of one that was asked for by name
  std::optional<std::string> print;
};

struct EventFieldView {
  std::string name;
  std::optional<std::string> type;
  std::optional<std::uint32_t> offset, size;  // bytes; a size of 0 is dynamic
  std::optional<bool> is_signed;
  std::optional<std::vector<std::string>> values;  // "2=NOT_SPECIFIED"
};

struct TracerView {
  std::string name;
  std::optional<bool> current;  // in the top instance
};

// A stored job (GetJob): its counts of runs by how they ended.
struct JobView {
  std::uint64_t job = 0;
  std::optional<std::string> scenario, label;
  std::optional<std::uint32_t> owner;
  std::optional<std::uint64_t> created_us;
  std::optional<std::uint32_t> repeat;  // runs; blocks of a job with a design
  std::optional<std::string> purpose;   // measurement, pilot or selftest
  std::optional<std::uint64_t> seed;    // of a design, as the next three
  std::optional<std::string> variant_a, variant_b;
  std::optional<std::vector<std::string>> changed;
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
  std::optional<double> progress;  // of the whole job, 0 to 1
  std::optional<std::string> error;
  std::optional<std::string> purpose;           // measurement, pilot or selftest
  std::optional<std::uint32_t> queue_position;  // jobs before this one
  std::optional<std::uint64_t> expected_end_us;
  // Of a design; the last four have a value a run, in the order of `runs`.
  std::optional<std::uint32_t> blocks;
  std::optional<std::string> variant_a, variant_b;
  std::optional<bool> plain;  // each letter also has a run without the job's trace
  std::optional<std::uint64_t> seed;
  std::optional<std::vector<std::string>> changed;
  std::optional<std::vector<std::uint32_t>> block, letter;
  std::optional<std::vector<std::string>> variant;  // names; empty without variants
  std::optional<std::vector<bool>> traced;
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

struct TraceDetails {
  TraceView trace;
  std::vector<TraceCpuView> cpus;
  std::vector<TraceEventView> events;  // the most frequent first
  std::vector<DropView> drops;         // as the events
  std::vector<MarkView> marks;         // by time
};

struct StackPage {
  std::vector<StackView> stacks;
  bool more = false;  // there are others
};

// A part of a long list.
struct FunctionPage {
  std::vector<FunctionView> functions;
  std::uint64_t total = 0;
  std::vector<std::string> nearest;  // where nothing fits a plain name
};

struct EventDetails {
  EventView event;
  std::vector<EventFieldView> fields;
};

// What the caller of `show` asked to see in full of the trace.
struct TraceLists {
  bool events = false, drops = false, stacks = false, marks = false, cpus = false, over_time = false;
};

// All of a `show` page.
struct ShowView {
  RunDetails details;
  std::optional<JobDetails> job;  // absent where the daemon does not know it any more
  std::vector<IntervalView> intervals;
  std::vector<SumView> streams;
  bool list_intervals = false, list_streams = false;  // what the caller asked to see in full
  std::optional<TraceDetails> trace;                  // absent where the job asked for none
  StackPage stacks;                                   // the most frequent; all where listed
  std::vector<SampleView> samples;                    // where listed
  TraceLists trace_lists;
  std::optional<ProfileDetails> functions;  // absent where no functions were traced
  FunctionLists function_lists;
  std::optional<EnvironmentView> environment;  // where listed; absent too where it was not looked at
  bool list_environment = false;
  std::optional<CountersView> counters;  // where one of the two is listed; absent too where none were read
  bool list_counters = false, list_tcp = false;
};

// All that `start` can say of its job.
struct StartView {
  JobDetails job;
  std::vector<RunView> runs;  // oldest first
};

// How much of the current run is over, 0 to 1; absent without such a run, or if its length is not planned.
[[nodiscard]] inline std::optional<double> run_progress(const LiveJobView& job) {
  if (!job.progress || !job.planned_s || !job.current_run || !job.runs) return {};
  const double runs = *job.progress * static_cast<double>(job.runs->size());
  return std::clamp(runs - job.runs_ended.value_or(0), 0.0, 1.0);
}

// Nothing of netperfd's made traffic for it: the kernel was watched while somebody else did, here or where
// the imported file comes from.
[[nodiscard]] inline bool is_trace_only(const RunView& run) {
  return run.workload == "none" || (run.workload == "import" && !run.protocol);
}

[[nodiscard]] inline bool has_ended(const std::string& state) {
  return state == "finished" || state == "failed" || state == "canceled" || state == "interrupted";
}

}  // namespace netperfctl
