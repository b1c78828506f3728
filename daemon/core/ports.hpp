// The ports of the core: everything that a run needs from outside, each with one real implementation and one
// fake for tests.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/analysis/comparison.hpp"
#include "daemon/base/error.hpp"
#include "daemon/core/command_ports.hpp"
#include "daemon/core/trace_ports.hpp"
#include "daemon/model/counters.hpp"
#include "daemon/model/fingerprint.hpp"
#include "daemon/model/function_profile.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/model/run_state.hpp"

namespace netperfd::core {

// ---- Workload: the processes that make traffic ------------------------------------------------------------

// Receives the events of one workload, on the loop thread, never from inside prepare(), release() or stop().
class WorkloadListener {
 public:
  virtual ~WorkloadListener() = default;
  // Everything is ready and waits for release(). Called at most once.
  virtual void workload_prepared() = 0;
  // A live interval (the sum of one direction), if this iperf3 can report it before its end.
  virtual void workload_interval(const Interval& interval) = 0;
  // The last call, made exactly once: no process is left. The listener may destroy the workload inside it.
  virtual void workload_ended(WorkloadResult result) = 0;
};

// The processes of one run. Destroying it kills those that are left.
class ActiveWorkload {
 public:
  virtual ~ActiveWorkload() = default;
  // Starts the prepared client: the moment when the measurement begins.
  virtual void release() = 0;
  // Ends the workload early, first with a request and then by force; workload_ended follows.
  virtual void stop() = 0;
  // The workload's processes on this host, from workload_prepared on; may be empty.
  [[nodiscard]] virtual std::vector<pid_t> pids() const = 0;
};

class Workload {
 public:
  virtual ~Workload() = default;
  // Starts everything that `spec` needs, so that only release() is missing. `listener` must outlive the
  // result. An error means that nothing was started; later failures come through workload_ended.
  [[nodiscard]] virtual Result<std::unique_ptr<ActiveWorkload>> prepare(const JobSpec& spec,
                                                                        WorkloadListener& listener) = 0;
};

// ---- RunStore: data that outlives the daemon --------------------------------------------------------------

struct NewJob {
  JobId id = 0;
  std::vector<RunId> runs;  // one for each arm, in order, all pending
};

class RunStore {
 public:
  virtual ~RunStore() = default;
  // One transaction: the job and its pending runs, one for each arm. A job with a design must have its seed.
  // no_space if the disk has less free space than the configured minimum.
  [[nodiscard]] virtual Result<NewJob> add_job(const JobSpec& spec, const std::vector<Arm>& arms, uid_t owner,
                                               WallTime now) = 0;
  // A step to a state that has not ended; refused if may_follow() is false.
  [[nodiscard]] virtual Status set_state(RunId run, RunState state) = 0;
  // One transaction: the job's runs that are still pending become canceled with this error.
  [[nodiscard]] virtual Status cancel_pending(JobId job, const std::string& error) = 0;
  // One transaction, once: everything of an ended run. A second call for the same run is refused.
  [[nodiscard]] virtual Status finish(const RunRecord& record) = 0;
};

// ---- PacketCounter: packet counts of the devices ----------------------------------------------------------

// The counters of one run's device. It holds everything needed to read them again after the workload's
// processes are gone.
class ActivePacketCount {
 public:
  virtual ~ActivePacketCount() = default;
  // Counts since open(); absent if they cannot be read or the device went away.
  [[nodiscard]] virtual std::optional<PacketCount> count() = 0;
};

class PacketCounter {
 public:
  virtual ~PacketCounter() = default;
  // Begins to count. `workload` as in ActiveWorkload::pids(). Null if no device of this host carries the
  // workload's packets or none can be determined.
  [[nodiscard]] virtual std::unique_ptr<ActivePacketCount> open(const JobSpec& spec,
                                                                const std::vector<pid_t>& workload) = 0;
};

// ---- CounterSource: the kernel's counters -----------------------------------------------------------------

// The counters around one run. It holds everything needed to read them again after the workload's processes
// and the last task of their namespaces are gone.
class ActiveCounters {
 public:
  virtual ~ActiveCounters() = default;
  // The client was released just now: time 0 of the samples, which begin here.
  virtual void released() = 0;
  // Counts since open(); the last call. Takes about as long as open(), after the workload is gone.
  [[nodiscard]] virtual Counters finish() = 0;
};

class CounterSource {
 public:
  virtual ~CounterSource() = default;
  // Reads all counters for the first time. `workload` as in ActiveWorkload::pids(). Never null: counters that
  // cannot be read are listed in Counters::unknown.
  [[nodiscard]] virtual std::unique_ptr<ActiveCounters> open(const JobSpec& spec,
                                                             const std::vector<pid_t>& workload) = 0;
};

// ---- FingerprintSource: the environment -------------------------------------------------------------------

class FingerprintSource {
 public:
  virtual ~FingerprintSource() = default;
  // The facts at this moment, without those of the group trace, which trace_facts() adds. `workload` as in
  // ActiveWorkload::pids(). Never fails: facts that cannot be learnt are in Fingerprint::unknown. Starts no
  // process.
  [[nodiscard]] virtual Fingerprint take(const JobSpec& spec, const std::vector<pid_t>& workload) = 0;
};

// ---- Clock ------------------------------------------------------------------------------------------------

// Destroying it cancels the call, even from inside the call.
using Timer = std::shared_ptr<void>;

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual WallTime now() = 0;
  // Calls back once, from the loop, after `delay` of monotonic time; 0 means in the next turn.
  [[nodiscard]] virtual Timer after(std::chrono::milliseconds delay, std::function<void()> callback) = 0;
};

// ---- RunObserver: reports on jobs and runs ----------------------------------------------------------------

enum class JobState { pending, running, finished, failed, canceled };
[[nodiscard]] std::string_view to_string(JobState state);
[[nodiscard]] inline bool has_ended(JobState state) {
  return state > JobState::running;
}

// A live job as others see it: a value, made anew for each call.
struct JobStatus {
  JobId id = 0;
  std::string scenario;
  std::string label;
  uid_t owner = 0;
  std::uint32_t repeat = 1;  // as in JobSpec
  JobPurpose purpose = JobPurpose::measurement;
  std::optional<Design> design;  // with its seed
  std::vector<RunId> runs;
  std::vector<Arm> arms;                             // one for each run
  std::optional<std::chrono::milliseconds> planned;  // for one run, if all goes well
  // When ended: failed if a command of its design failed, otherwise canceled if any run was, otherwise failed
  // if any was.
  JobState state = JobState::pending;
  std::uint32_t runs_ended = 0;
  std::uint32_t runs_finished = 0;
  std::optional<RunId> current_run;
  RunState run_state = RunState::pending;  // of the current run, otherwise of the last
  double progress =
      0;  // of the job, 0 to 1; it never falls; a run of unknown length counts once it has ended
  std::uint32_t queue_position = 0;      // live jobs before this one; 0 once it has begun
  std::optional<WallTime> expected_end;  // absent: unknown, or it has ended
  std::string error;  // of the last run that failed, and why the machine is not back on its original side
  std::string side_error;  // only the latter
};

class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void job_added(const JobStatus& job) = 0;
  virtual void job_changed(const JobStatus& job) = 0;
  virtual void run_interval(JobId job, RunId run, const Interval& interval) = 0;
  virtual void run_trace(JobId job, RunId run, const TraceProgress& progress) = 0;
  // Called only after the record is stored.
  virtual void run_ended(const JobStatus& job, RunId run, RunState state, const std::string& error) = 0;
  // The scheduler forgets the job; its runs stay in the store.
  virtual void job_removed(JobId job) = 0;
};

// ---- Queries of the bus, answered by daemon/config and daemon/store ---------------------------------------

// A caller's changes to a scenario for one job.
struct JobOptions {
  std::vector<std::string> overrides;  // "workload.iperf3.streams=8"
  std::optional<std::string> label;
  std::optional<std::uint32_t> repeat;
  JobPurpose purpose = JobPurpose::measurement;
};

struct ScenarioRow {
  std::string name;
  std::string description;
  std::string file;   // its path
  std::string error;  // empty, or the reason why it cannot be started
};

class ScenarioSource {
 public:
  virtual ~ScenarioSource() = default;
  [[nodiscard]] virtual std::vector<ScenarioRow>
  list() = 0;  // by name; invalid files are listed with their error
  [[nodiscard]] virtual Result<JobSpec> load(const std::string& name, const JobOptions& options) = 0;
  // `origin` is what error texts call the file.
  [[nodiscard]] virtual Result<JobSpec> parse(const std::string& text, const std::string& origin,
                                              const JobOptions& options) = 0;
};

struct RunFilter {
  std::optional<JobId> job;
  std::optional<std::string> scenario;
  std::optional<std::string> label;
  std::optional<RunState> state;
  std::optional<std::string> variant;  // its name
  std::optional<bool> traced;          // false: runs without their job's trace
  std::optional<JobPurpose> purpose;
  std::optional<WallTime> since, until;  // when the job was created; since inclusive, until exclusive
};

struct TraceTotals {
  std::uint64_t events = 0;  // decoded
  std::uint64_t lost = 0;    // over all CPUs, computed by lost_of()
  std::string skipped;       // as in TraceRecord
  std::string broken;
};

// One run without its long parts.
struct RunRow {
  RunId id = 0;
  JobId job = 0;
  std::uint32_t index = 0;  // within its job, from 1
  Arm arm;
  std::string variant;  // its name; empty without variants
  // Restored from the stored columns: name, description, label, repeat, purpose, design without the commands
  // of its variants, workload and, for iperf3, server, local, netns, protocol, direction, streams, duration,
  // bytes and omit. The rest has its defaults.
  JobSpec spec;
  uid_t owner = 0;
  RunState state = RunState::pending;
  std::string error;
  WallTime created;
  std::optional<WallTime> started, ended;
  std::string iperf3_version;
  std::optional<Endpoint> client, server;
  std::optional<std::uint32_t> mss_bytes;
  std::string congestion;
  std::optional<double> cpu_client_percent, cpu_server_percent;
  std::optional<ResourceUsage> client_usage;
  std::vector<Totals> sums;
  std::vector<QualityFlag> flags;
  std::vector<std::string> documents;  // names
  std::optional<TraceTotals> trace;    // absent if the job asked for no trace
};

template <class Row>
struct Page {
  std::vector<Row> rows;
  std::string next;  // cursor of the next page, empty at the end
};

// A function profile without its lists.
struct ProfileSummary {
  FunctionProfile profile;                            // functions, edges and tree are empty
  std::uint64_t functions = 0, edges = 0, nodes = 0;  // number of each
  // Over all functions. corrected_self_ns is absent if any function lacks it, or if there is no function.
  std::uint64_t hits = 0, self_ns = 0;
  std::optional<std::uint64_t> corrected_self_ns;
};

// Consecutive rows of one list of a profile. A run that has ended does not change, so row numbers are enough
// to continue.
template <class Row>
struct ProfilePart {
  std::vector<Row> rows;
  std::uint64_t total = 0;  // rows in the whole list
  bool timed = true;        // as in FunctionProfile
};

// The long lists of a function.
struct FunctionLists {
  bool histogram = false, slices = false;
};

// The identity of a function, as in FunctionStats.
struct FunctionName {
  std::string name, module;
  std::uint32_t duplicate = 0;
};
struct NamedEdge {
  CallEdge edge;
  FunctionName caller, callee;
};
struct NamedNode {
  CallNode node;
  std::uint32_t depth = 0;  // 0: a root
  FunctionName function;
};

// Run numbers, both ends inclusive.
struct RunRange {
  RunId first = 0, last = 0;
};

// A run that matches a selection (run_selection.hpp).
struct SelectedRun {
  RunId id = 0;
  JobId job = 0;
  std::string scenario, label;
  Arm arm;
  std::optional<WallTime> started, ended;
};

// The parts of a run that a comparison reads.
enum class ComparedParts {
  throughput,  // ComparedRun's job, times, place in the design and throughput; a trace without its lists
  all
};

// Names used by jobs, each once.
struct RunNames {
  std::vector<std::string> scenarios, labels;
};

class RunQueries {
 public:
  virtual ~RunQueries() = default;
  // Newest first.
  [[nodiscard]] virtual Result<Page<RunRow>> runs(const RunFilter& filter, const std::string& cursor,
                                                  std::uint32_t limit) = 0;
  // 0 means the newest run that has ended.
  [[nodiscard]] virtual Result<RunRow> run(RunId run) = 0;
  [[nodiscard]] virtual Result<std::vector<Totals>> streams(RunId run) = 0;
  // In the order of iperf3's document.
  [[nodiscard]] virtual Result<Page<Interval>> intervals(RunId run, const std::string& cursor,
                                                         std::uint32_t limit) = 0;
  // Without samples, stacks, profile and recording, which are long. not_found if the run has no trace.
  [[nodiscard]] virtual Result<TraceRecord> trace(RunId run) = 0;
  // By time; only one event if `event` is not empty.
  [[nodiscard]] virtual Result<Page<EventSample>> trace_samples(RunId run, const std::string& event,
                                                                const std::string& cursor,
                                                                std::uint32_t limit) = 0;
  // By event, the most frequent first.
  [[nodiscard]] virtual Result<Page<StackCount>> trace_stacks(RunId run, const std::string& cursor,
                                                              std::uint32_t limit) = 0;
  // not_found if the run has no profile; the same holds for the lists that follow.
  [[nodiscard]] virtual Result<ProfileSummary> profile(RunId run) = 0;
  // `limit` rows from number `offset` on, fewer at the end. The cost depends only on these rows, however long
  // the list is. Functions come without the lists that are not asked for.
  [[nodiscard]] virtual Result<ProfilePart<FunctionStats>> functions(RunId run, std::uint64_t offset,
                                                                     std::uint32_t limit,
                                                                     FunctionLists lists) = 0;
  [[nodiscard]] virtual Result<ProfilePart<NamedEdge>> call_edges(RunId run, std::uint64_t offset,
                                                                  std::uint32_t limit) = 0;
  [[nodiscard]] virtual Result<ProfilePart<NamedNode>> call_nodes(RunId run, std::uint64_t offset,
                                                                  std::uint32_t limit) = 0;
  [[nodiscard]] virtual Result<Traffic> traffic(RunId run) = 0;
  // not_found if none was taken.
  [[nodiscard]] virtual Result<Fingerprint> fingerprint(RunId run) = 0;
  // not_found if none were read.
  [[nodiscard]] virtual Result<Counters> counters(RunId run) = 0;
  [[nodiscard]] virtual Result<std::string> document(RunId run, const std::string& name) = 0;
  // Newest first. Returns the runs that pass the filter and, if there are ranges, lie within one of them. The
  // ranges must be disjoint and in order.
  [[nodiscard]] virtual Result<std::vector<SelectedRun>> selected_runs(const RunFilter& filter,
                                                                       const std::vector<RunRange>& ranges,
                                                                       std::uint32_t most) = 0;
  [[nodiscard]] virtual Result<RunNames> run_names() = 0;
  // In the given order, without the data that a comparison does not need; not_found if a run does not exist.
  [[nodiscard]] virtual Result<std::vector<analysis::ComparedRun>> compared_runs(
      const std::vector<RunId>& runs, ComparedParts wanted) = 0;
  // All runs of the job in any state, oldest first.
  [[nodiscard]] virtual Result<std::vector<RunRow>> runs_of_job(JobId job) = 0;
  // Removes the run with everything that belongs to it; refused (busy) while it has not ended. Removing the
  // last run removes the job.
  [[nodiscard]] virtual Status remove(RunId run) = 0;
};

}  // namespace netperfd::core
