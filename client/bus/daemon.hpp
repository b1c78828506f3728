// SPDX-License-Identifier: GPL-2.0-or-later
// The verbs' interface to netperfd: plain values in and out, errors as Outcome, no D-Bus types.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/base/loop.hpp"
#include "client/base/outcome.hpp"
#include "client/base/owned_fd.hpp"
#include "client/rows/comparison_views.hpp"
#include "client/rows/plan_views.hpp"
#include "client/rows/views.hpp"

namespace netperfctl {

struct StartOptions {
  std::vector<std::string> overrides;  // "workload.iperf3.streams=8"
  std::optional<std::string> label;
  std::optional<std::uint32_t> repeat;
  std::optional<std::string> purpose;          // pilot or selftest
  bool tied = false;                           // the job ends with this connection
  std::optional<std::uint64_t> confirms = {};  // the job whose suspected functions it measures again
  bool force = false;                          // also if it cannot end in an answer
  std::optional<PlanRequest> plan = {};        // whose pilot it is; refused if that has no answer
};

struct BundleOptions {
  std::uint64_t run = 0;  // only this one; 0: all runs of the job
  bool redact = false;
  bool recordings = false;
  std::optional<std::string> report;  // becomes the entry report.html
};

struct ImportOptions {
  std::optional<std::string> name, label;
};

struct RunFilter {
  std::optional<std::uint64_t> job;
  std::optional<std::string> scenario, label, state;
  std::optional<std::uint64_t> since_us, until_us;
  std::optional<std::string> purpose;
  std::optional<std::string> selection;  // as for `compare`, in the daemon's form
  // A uid, `me` or `any`; beside a selection, whose runs it means if it does not say whose.
  std::optional<std::string> owner;
};

struct JobPage {
  std::vector<JobView> jobs;  // newest first
  bool more = false;          // older ones match too
};

struct RunPage {
  std::vector<RunView> runs;  // newest first
  bool more = false;          // older ones match too
};

struct AuditFilter {
  std::optional<std::uint32_t> user;  // uid
  std::optional<std::string> action, outcome;
  std::optional<std::uint64_t> since_us, until_us;
};

struct AuditPage {
  std::vector<AuditView> entries;  // newest first
  bool more = false;               // older ones match too
};

// Which jobs of the caller are old; at least one bound.
struct OldJobRule {
  std::optional<std::string> scenario, label;  // patterns
  std::optional<std::uint64_t> age_s, count, bytes;
};

struct FunctionFilter {
  std::optional<std::string> module;  // exactly; empty: the kernel itself
  std::string pattern;                // a glob; empty: all
};

struct DaemonInfo {
  std::string version;
  std::string iperf3_version;  // empty where there is none
  bool live_intervals = false;
};

// Notified of live jobs while a Loop runs. It gets the whole job in its current state. May call the daemon.
// A notice may be lost, so an end is only what the daemon answers.
class JobListener {
 public:
  virtual ~JobListener() = default;
  virtual void job_added(const LiveJobView& job) = 0;
  virtual void job_changed(const LiveJobView& job) = 0;
  virtual void job_removed(std::uint64_t job) = 0;
  virtual void interval(std::uint64_t job, std::uint64_t run, const IntervalView& interval) = 0;
  virtual void trace_progress(std::uint64_t job, std::uint64_t run, const TraceProgressView& progress) = 0;
  virtual void run_ended(std::uint64_t job, std::uint64_t run, const std::string& state,
                         const std::string& error) = 0;
  virtual void run_deleted(std::uint64_t job, std::uint64_t run) = 0;
  // The daemon will call interval() and trace_progress() only while others subscribe, for this reason.
  virtual void without_intervals(const std::string& reason) = 0;
  // The daemon left the bus or sent an invalid message.
  virtual void lost(const Failure& failure) = 0;
};

class Daemon {
 public:
  // Connects to the system bus. Only the first call contacts the daemon.
  [[nodiscard]] static Outcome<Daemon> connect();
  // Connects if the daemon is on the bus already, and does not start it. Most calls then wait for an answer
  // no longer than `patience`.
  [[nodiscard]] static Outcome<Daemon> connect_if_running(std::chrono::milliseconds patience);
  Daemon(Daemon&&) noexcept;
  Daemon& operator=(Daemon&&) noexcept;
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;
  ~Daemon();

  // Return the job's number. An invalid job is Exit::usage with one line per error.
  [[nodiscard]] Outcome<std::uint64_t> start_scenario(const std::string& scenario,
                                                      const StartOptions& options);
  [[nodiscard]] Outcome<std::uint64_t> start_job(const std::string& text, const std::string& origin,
                                                 const StartOptions& options);
  // What the daemon would accept of such a job, without starting it; for root and members of the group.
  [[nodiscard]] Outcome<JobSize> check_scenario(const std::string& scenario, const StartOptions& options);
  [[nodiscard]] Outcome<JobSize> check_job(const std::string& text, const std::string& origin,
                                           const StartOptions& options);
  // What the job would do to the machine; for root and members of the group.
  [[nodiscard]] Outcome<BootCheck> check_boots(const std::string& scenario, const StartOptions& options);
  [[nodiscard]] Outcome<void> stop_job(std::uint64_t job);
  // Holds a job that reboots the machine, or lets it go on.
  [[nodiscard]] Outcome<void> hold_job(std::uint64_t job, bool held);
  // Returns what the job had left on the machine.
  [[nodiscard]] Outcome<std::string> undo_job(std::uint64_t job);
  [[nodiscard]] Outcome<void> delete_run(std::uint64_t run);

  [[nodiscard]] Outcome<DaemonInfo> info();
  [[nodiscard]] Outcome<std::vector<ScenarioView>> scenarios();
  // All live jobs by number.
  [[nodiscard]] Outcome<std::vector<LiveJobView>> live_jobs();
  // One of them, if netperfd holds it; unreachable if it is not on the bus. Does not start it.
  [[nodiscard]] Outcome<std::optional<LiveJobView>> live_job_if_running(std::uint64_t job);
  // The newest `limit` that match; without a limit all.
  [[nodiscard]] Outcome<RunPage> runs(const RunFilter& filter, std::optional<std::size_t> limit);
  // The history: the newest `limit` jobs that match; without a limit all. Of the filter scenario, label,
  // purpose, owner and the times.
  [[nodiscard]] Outcome<JobPage> jobs(const RunFilter& filter, std::optional<std::size_t> limit);
  // For the owner, and whoever may manage others' work.
  [[nodiscard]] Outcome<void> set_label(std::uint64_t job, const std::string& label);
  [[nodiscard]] Outcome<void> set_note(std::uint64_t run, const std::string& note);
  // The newest `limit` that match; without a limit all. For users outside the group their own.
  [[nodiscard]] Outcome<AuditPage> audit_log(const AuditFilter& filter, std::optional<std::size_t> limit);
  // 0 is the newest run that has ended.
  [[nodiscard]] Outcome<RunDetails> run(std::uint64_t run);
  [[nodiscard]] Outcome<std::vector<SumView>> streams(std::uint64_t run);
  [[nodiscard]] Outcome<std::vector<IntervalView>> intervals(std::uint64_t run);
  // At most `most` points of them, from 8 to 1000.
  [[nodiscard]] Outcome<IntervalPointsView> interval_points(std::uint64_t run, std::uint32_t most);
  // not_found if the run had no probes.
  [[nodiscard]] Outcome<LatencyDetails> latency(std::uint64_t run);
  // That the run's workload or its scenario brought; none from a netperfd that does not know of them.
  [[nodiscard]] Outcome<std::vector<NamedFigureView>> figures(std::uint64_t run);
  [[nodiscard]] Outcome<JobDetails> job(std::uint64_t job);
  // The reboots that the job has asked for, in order.
  [[nodiscard]] Outcome<std::vector<BootView>> boots(std::uint64_t job);
  [[nodiscard]] Outcome<std::string> document(std::uint64_t run, const std::string& name);
  // The same, to be read.
  [[nodiscard]] Outcome<OwnedFd> open_document(std::uint64_t run, const std::string& name);

  [[nodiscard]] Outcome<OwnedFd> open_bundle(std::uint64_t job, const BundleOptions& options);

  // Reads the whole store; damage is in the answer.
  [[nodiscard]] Outcome<StoreView> check_store();
  // The bytes of the store, to be read to their end.
  [[nodiscard]] Outcome<OwnedFd> open_backup();
  // Puts the backup, open for reading, in the place of the store. Exit::usage if it cannot be one.
  [[nodiscard]] Outcome<RestoredView> restore_store(const OwnedFd& file);
  // Newest first; for root of all users.
  [[nodiscard]] Outcome<std::vector<OldJobView>> old_jobs(const OldJobRule& rule);
  [[nodiscard]] Outcome<void> delete_job(std::uint64_t job);

  // B against A, computed by the daemon; of a job with a design its sides.
  [[nodiscard]] Outcome<ComparisonDetails> compare(const CompareRequest& request);
  // Of a job with a sweep, its sides at each point.
  [[nodiscard]] Outcome<SweepDetails> compare_sweep(const CompareRequest& request);
  // The call paths of the sampled ones of these runs, with `host` of all tasks. Not found if a side has none.
  [[nodiscard]] Outcome<ComparedStacks> compare_samples(const std::vector<std::uint64_t>& a,
                                                        const std::vector<std::uint64_t>& b, bool host);
  // How many runs a difference needs; Exit::usage if the given runs are not enough to tell.
  [[nodiscard]] Outcome<PlanView> plan(const PlanRequest& request);

  // Not found if it was not sampled.
  [[nodiscard]] Outcome<SampledDetails> samples(std::uint64_t run, bool functions, bool stacks);
  // The run's counters, with `tcp` and `queues` also the samples of these; not_found if none were read.
  [[nodiscard]] Outcome<CountersView> counters(std::uint64_t run, bool tcp, bool queues);
  // The run's environment; not_found if it was not recorded.
  [[nodiscard]] Outcome<EnvironmentView> environment(std::uint64_t run);

  // The run's trace; not_found if it has none.
  [[nodiscard]] Outcome<TraceDetails> trace(std::uint64_t run);
  // Of all its events, by time; for the run's owner and root.
  [[nodiscard]] Outcome<std::vector<SampleView>> trace_samples(std::uint64_t run);
  // The most frequent `limit`; without a limit all.
  [[nodiscard]] Outcome<StackPage> trace_stacks(std::uint64_t run, std::optional<std::uint32_t> limit);
  // The run's function profile with the requested lists; not_found if no functions were traced.
  [[nodiscard]] Outcome<ProfileDetails> profile(std::uint64_t run, const FunctionLists& lists, bool slices);
  // Of the job's function trace; absent if it has none.
  [[nodiscard]] Outcome<std::optional<BudgetDetails>> budget(std::uint64_t job);
  // The run's recording as function_graph text, to be read to its end; not_found if none was kept.
  [[nodiscard]] Outcome<OwnedFd> open_trace_text(std::uint64_t run);
  // Imports one file, open for reading, or an iperf3 document and a trace. Returns the number of the new run.
  // `names` are the files' names in messages.
  [[nodiscard]] Outcome<std::uint64_t> import_run(const std::vector<const OwnedFd*>& files,
                                                  const std::vector<std::string>& names,
                                                  const ImportOptions& options);
  // A line of text beside the events of the job's run.
  [[nodiscard]] Outcome<void> mark(std::uint64_t job, const std::string& text);

  // The machine's capabilities; `fresh` probes again, for the group and root.
  [[nodiscard]] Outcome<std::vector<CapabilityView>> capabilities(bool fresh);
  // Globs; empty is all.
  [[nodiscard]] Outcome<std::vector<ModuleView>> modules(const std::string& pattern);
  [[nodiscard]] Outcome<FunctionPage> functions(const FunctionFilter& filter,
                                                std::optional<std::size_t> limit);
  [[nodiscard]] Outcome<std::vector<EventView>> events(const std::string& pattern);
  [[nodiscard]] Outcome<EventDetails> event(const std::string& name);
  [[nodiscard]] Outcome<std::vector<TracerView>> tracers();

  // From now on `loop` notifies `listener` of all events of all jobs, including those between this call and
  // the loop's first turn. `listener` must outlive this object.
  [[nodiscard]] Outcome<void> follow(Loop& loop, JobListener& listener);

 private:
  class Bus;
  explicit Daemon(std::unique_ptr<Bus> bus);
  std::unique_ptr<Bus> bus_;
};

}  // namespace netperfctl
