// SPDX-License-Identifier: GPL-2.0-or-later
// Pure renderers, view -> string: text for people, JSON and CSV for programs. schema/netperfctl-1.schema.json
// describes the JSON, docs/netperfctl.md the CSV.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "client/rows/comparison_views.hpp"
#include "client/rows/plan_views.hpp"
#include "client/rows/views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl {

// ---- Text: control characters in what the daemon sent are written out; every text ends with a line feed
// ------------

// `filtered`: the caller asked for some runs only. `more`: there are older ones than these.
[[nodiscard]] std::string runs_text(const Screen& screen, std::span<const RunView> runs, bool filtered,
                                    bool more);
[[nodiscard]] std::string jobs_text(const Screen& screen, std::span<const LiveJobView> jobs);
// The history of jobs. `more`: there are older ones than these.
[[nodiscard]] std::string history_text(const Screen& screen, std::span<const JobView> jobs, bool filtered,
                                       bool more);
// The page of one job; `live` is null if the daemon does not hold it any more.
[[nodiscard]] std::string job_text(const Screen& screen, const StartView& view, const LiveJobView* live);
[[nodiscard]] std::string scenarios_text(const Screen& screen, std::span<const ScenarioView> scenarios);
[[nodiscard]] std::string audit_text(const Screen& screen, const AuditLogView& view, bool filtered);
[[nodiscard]] std::string show_text(const Screen& screen, const ShowView& view);
[[nodiscard]] std::string compare_text(const Screen& screen, const CompareView& view);
// The same for readers elsewhere: plain text of 72 columns with whole names, GitHub-flavoured Markdown, and
// JUnit XML with a test case for each judged figure.
[[nodiscard]] std::string compare_mail(const CompareView& view);
[[nodiscard]] std::string compare_markdown(const CompareView& view);
[[nodiscard]] std::string compare_junit(const CompareView& view);
// The same of a sweep; in JUnit XML, a test case for each figure at each point.
[[nodiscard]] std::string sweep_text(const Screen& screen, const SweepView& view);
[[nodiscard]] std::string sweep_mail(const SweepView& view);
[[nodiscard]] std::string sweep_markdown(const SweepView& view);
[[nodiscard]] std::string sweep_junit(const SweepView& view);
// The same for a self-test's job: the smallest difference that this host can resolve.
[[nodiscard]] std::string selftest_text(const Screen& screen, const CompareView& view);
// Both sides were the same, so any difference is an error, whichever side it favours.
[[nodiscard]] bool finds_difference(const ComparisonView& self_test);
[[nodiscard]] std::string plan_text(const Screen& screen, const PlanPageView& view);
// What a pilot of `what` that reboots the machine does to it, and for how long.
[[nodiscard]] std::string pilot_with_boots_text(std::string_view what, const BootCheck& boots);

// The page of `doctor`; its last line sums up what can be measured here.
[[nodiscard]] std::string doctor_text(const Screen& screen, std::span<const CapabilityView> capabilities);
// `pattern` is the requested pattern, or empty; also in functions_text().
[[nodiscard]] std::string modules_text(const Screen& screen, std::span<const ModuleView> modules,
                                       std::string_view pattern);
[[nodiscard]] std::string functions_text(const Screen& screen, const FunctionPage& page,
                                         std::string_view pattern);
[[nodiscard]] std::string events_text(const Screen& screen, std::span<const EventView> events);
[[nodiscard]] std::string event_text(const Screen& screen, const EventDetails& details);
[[nodiscard]] std::string tracers_text(const Screen& screen, std::span<const TracerView> tracers);

// "job 12: hsr-ring, 3 runs of 11 s, about 35 s in all.", `power`, and how to leave. `jobs_before`: live ones
// started earlier. `now_us`: against which the daemon's expected end counts; 0: only the planned time is
// known. `until_stopped`: its runs watch the kernel until somebody stops them.
[[nodiscard]] std::string started_text(const LiveJobView& job, std::size_t jobs_before,
                                       bool cancels_on_interrupt, bool until_stopped, std::string_view power,
                                       std::uint64_t now_us = 0);
// The line with the difference that the runs of a job detect; `what` is the argument for `plan`.
[[nodiscard]] std::string power_text(const PlanView& plan, std::string_view what);
// "job 12: hsr-ring, runs 41, 42, 43."
[[nodiscard]] std::string detached_text(const LiveJobView& job, bool until_stopped);
// "run 41  1/3  finished   80.1 Mbit/s"; `job`, which knows how many there are, is null where it is over.
[[nodiscard]] std::string run_end_text(const Screen& screen, const RunDetails& details,
                                       const LiveJobView* job);
// "job 12 done: 2 of 3 runs finished, median 79.9 Mbit/s. See `netperfctl show 43`."
// `error` is the live job's; what it says beside the runs' own errors has a line.
[[nodiscard]] std::string job_end_text(const StartView& view, const std::string& error);

[[nodiscard]] std::string store_text(const StoreView& store);
[[nodiscard]] std::string restored_text(const RestoredView& restored);
[[nodiscard]] std::string pruned_text(const Screen& screen, std::span<const OldJobView> jobs, bool dry_run);

// ---- JSON: one document, a line feed at its end; all of it ASCII
// ----------------------------------------------------

[[nodiscard]] std::string runs_json(std::span<const RunView> runs, bool more);
[[nodiscard]] std::string jobs_json(std::span<const LiveJobView> jobs);
[[nodiscard]] std::string history_json(std::span<const JobView> jobs, bool more);
[[nodiscard]] std::string job_json(const StartView& view);
[[nodiscard]] std::string labelled_json(std::uint64_t job, std::string_view label);
[[nodiscard]] std::string noted_json(std::uint64_t run, std::string_view note);
[[nodiscard]] std::string scenarios_json(std::span<const ScenarioView> scenarios);
[[nodiscard]] std::string audit_json(const AuditLogView& view);
[[nodiscard]] std::string show_json(const ShowView& view);
[[nodiscard]] std::string compare_json(const CompareView& view);
[[nodiscard]] std::string sweep_json(const SweepView& view);
[[nodiscard]] std::string selftest_json(const CompareView& view);
[[nodiscard]] std::string plan_json(const PlanPageView& view);
// `compared`, or `swept` of a sweep: the comparison if the job has a design, or null.
[[nodiscard]] std::string start_json(const StartView& view, const CompareView* compared,
                                     const SweepView* swept = nullptr);
[[nodiscard]] std::string imported_json(std::span<const ImportedView> runs);
// Of one file or of a pair. The runs of a job with sides are one line, with the command that compares them.
[[nodiscard]] std::string imported_text(std::span<const ImportedView> runs);
// `job` is of a bundle.
[[nodiscard]] std::string exported_json(std::uint64_t run, std::string_view format, std::string_view file,
                                        std::uint64_t bytes, std::optional<std::uint64_t> job = std::nullopt);
[[nodiscard]] std::string stopped_json(std::uint64_t job);
[[nodiscard]] std::string held_json(std::uint64_t job, bool held);  // held, or released
// `left`: what the job had left on the machine.
[[nodiscard]] std::string undone_json(std::uint64_t job, const std::string& left);
[[nodiscard]] std::string deleted_json(std::span<const std::uint64_t> runs);
[[nodiscard]] std::string store_json(const StoreView& store);
[[nodiscard]] std::string backup_json(std::string_view file, std::uint64_t bytes);
[[nodiscard]] std::string restored_json(const RestoredView& restored);
[[nodiscard]] std::string pruned_json(std::span<const OldJobView> jobs, bool dry_run);

// `reachable`: netperfd answered; otherwise the rows are the client's own.
[[nodiscard]] std::string doctor_json(std::span<const CapabilityView> capabilities, bool reachable);
[[nodiscard]] std::string modules_json(std::span<const ModuleView> modules);
[[nodiscard]] std::string functions_json(const FunctionPage& page);
[[nodiscard]] std::string events_json(std::span<const EventView> events);
[[nodiscard]] std::string event_json(const EventDetails& details);
[[nodiscard]] std::string tracers_json(std::span<const TracerView> tracers);
[[nodiscard]] std::string marked_json(std::uint64_t job, std::string_view text);

// The output of `watch`: jobs_json() on one line, then events, each a document on one line.
[[nodiscard]] std::string jobs_event_json(std::span<const LiveJobView> jobs);
[[nodiscard]] std::string job_event_json(std::string_view event, const LiveJobView& job);
[[nodiscard]] std::string job_removed_json(std::uint64_t job);
[[nodiscard]] std::string interval_json(std::uint64_t job, std::uint64_t run, const IntervalView& interval);
[[nodiscard]] std::string trace_progress_json(std::uint64_t job, std::uint64_t run,
                                              const TraceProgressView& progress);
[[nodiscard]] std::string run_deleted_json(std::uint64_t job, std::uint64_t run);
[[nodiscard]] std::string run_ended_json(std::uint64_t job, std::uint64_t run, std::string_view state,
                                         std::string_view error);

// ---- CSV (RFC 4180): a header of keys with their units, then a record a row; CRLF
// ------------------------------------

[[nodiscard]] std::string runs_csv(std::span<const RunView> runs);
[[nodiscard]] std::string jobs_csv(std::span<const LiveJobView> jobs);
[[nodiscard]] std::string history_csv(std::span<const JobView> jobs);
[[nodiscard]] std::string scenarios_csv(std::span<const ScenarioView> scenarios);
[[nodiscard]] std::string audit_csv(const AuditLogView& view);
[[nodiscard]] std::string store_csv(const StoreView& store);
[[nodiscard]] std::string restored_csv(const RestoredView& restored);
[[nodiscard]] std::string pruned_csv(std::span<const OldJobView> jobs);
// The run's intervals or, of a run without iperf3, its functions or, without those, its events by time slice;
// where something was listed, the first of: streams, events, drops, stacks, marks, cpus, counters, tcp,
// environment, tree, callers, functions (with over_time those by time slice), over_time.
[[nodiscard]] std::string show_csv(const ShowView& view);
// A sentence about the rows of show_csv() or compare_csv() that did not fit into the daemon's answer, or
// empty.
[[nodiscard]] std::string left_out_of_csv(const ShowView& view);
[[nodiscard]] std::string left_out_of_csv(const CompareView& view);
// The functions, or the figures if some were named.
[[nodiscard]] std::string compare_csv(const CompareView& view);
// The figures, and last what judges them: those of the verdict and, beside them, the CPU time.
[[nodiscard]] std::string compare_figures_csv(const CompareView& view);
// The figures at each point, and last what the comparison is of.
[[nodiscard]] std::string sweep_csv(const SweepView& view);
[[nodiscard]] std::string plan_csv(const PlanPageView& view);  // the effects
[[nodiscard]] std::string doctor_csv(std::span<const CapabilityView> capabilities);
[[nodiscard]] std::string modules_csv(std::span<const ModuleView> modules);
[[nodiscard]] std::string functions_csv(const FunctionPage& page);
[[nodiscard]] std::string events_csv(std::span<const EventView> events);
[[nodiscard]] std::string event_csv(const EventDetails& details);  // its fields
[[nodiscard]] std::string tracers_csv(std::span<const TracerView> tracers);
[[nodiscard]] std::string numbers_csv(std::string_view title, std::span<const std::uint64_t> numbers);

}  // namespace netperfctl
