// SPDX-License-Identifier: GPL-2.0-or-later
// The data that the client shows. rows.cpp makes it from D-Bus rows; renderers turn it into text, JSON and
// CSV.
//
// Names and units are those of the rows (dbus/*.xml). A value that the daemon did not send is an empty
// optional, never 0.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "client/rows/budget_views.hpp"
#include "client/rows/counter_views.hpp"
#include "client/rows/environment_views.hpp"
#include "client/rows/function_views.hpp"
#include "client/rows/latency_views.hpp"
#include "client/rows/sample_views.hpp"
#include "dbus/rows/audit.hpp"
#include "dbus/rows/catalogue.hpp"
#include "dbus/rows/iperf3.hpp"
#include "dbus/rows/run.hpp"
#include "dbus/rows/store.hpp"
#include "dbus/rows/trace.hpp"

namespace netperfctl {

using netperfd::Direction;
using AuditView = netperfd::rows::AuditEntry;
using SumView = netperfd::rows::Sum;
using IntervalView = netperfd::rows::Interval;
using IntervalPointView = netperfd::rows::IntervalPoint;
using FlagView = netperfd::rows::Flag;
using RunView = netperfd::rows::Run;
using JobView = netperfd::rows::Job;
using SpreadView = netperfd::rows::Spread;
using BootView = netperfd::rows::Boot;
using NamedFigureView = netperfd::rows::NamedFigure;
using ScenarioView = netperfd::rows::Scenario;
using TraceView = netperfd::rows::Trace;
using TraceCpuView = netperfd::rows::TraceCpu;
using TraceEventView = netperfd::rows::TraceEvent;
using DropView = netperfd::rows::Drop;
using MarkView = netperfd::rows::Mark;
using SampleFieldView = netperfd::rows::SampleField;
using SampleView = netperfd::rows::Sample;
using StackView = netperfd::rows::Stack;
using CapabilityView = netperfd::rows::Capability;
using ModuleView = netperfd::rows::Module;
using FunctionView = netperfd::rows::Function;
using EventView = netperfd::rows::Event;
using EventFieldView = netperfd::rows::EventField;
using StoreView = netperfd::rows::Store;
using RestoredView = netperfd::rows::RestoredStore;
using OldJobView = netperfd::rows::OldJob;
using TracerView = netperfd::rows::Tracer;

// Names of users by uid, as far as this machine knows them.
using UserNames = std::map<std::uint32_t, std::string>;

// The data of `log`.
struct AuditLogView {
  std::vector<AuditView> entries;  // newest first
  bool more = false;               // older ones match too
  UserNames names;                 // for text only
};

// The result of importing one or two files.
struct ImportedView {
  std::uint64_t run = 0;
  std::vector<std::string> files;
  std::vector<FlagView> flags;  // of the run: what the files could not tell, and what is damaged in them
  std::optional<std::uint64_t> job_of_sides = {};  // whose side A or B the run is of
  std::string label = {};                          // of such a job
};

// ---- Traces: times in seconds since the client's release, negative before it
// ----------------------------------------------------------------------------

// An event's count in one time slice; made here of TraceEventView::slices.
struct SliceView {
  std::string event;
  double start_s = 0, seconds = 0;
  std::uint64_t count = 0;
};

// Counts of a run's trace since its last report.
struct TraceProgressView {
  double seconds = 0;
  std::uint64_t lost = 0;
  std::vector<TraceEventView> events;       // without slices, the most frequent first
  std::vector<FunctionHitsView> functions;  // of the busiest, the most calls first
};

// ---- What this machine offers
// ----------------------------------------------------------------------------------------------------

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
  // For its server between two attempts, or what a job that reboots the machine does before its next run;
  // absent: it does not wait.
  std::optional<std::string> waiting;
  std::optional<std::string> look;     // what the last look at its comparison found; absent: there was none
  std::optional<std::uint32_t> boots;  // reboots that it has asked for; absent: none
  // Only if the job's design reboots the machine.
  std::optional<std::uint32_t> boots_planned;  // that it needs if none fails
  std::optional<std::string> side;             // name of the side that the machine is on; absent: not known
  // Only if the job has a design. `block` to `traced` have one value per run, in the order of `runs`.
  std::optional<std::uint32_t> blocks;
  std::optional<std::string> variant_a, variant_b;
  std::optional<bool> plain;  // each letter also has a run without the job's trace
  std::optional<std::uint64_t> seed;
  std::optional<std::vector<std::string>> changed;
  std::optional<std::vector<std::uint32_t>> block, letter;
  std::optional<std::vector<std::string>> variant;  // names; empty without variants
  std::optional<std::vector<bool>> traced;
  std::optional<std::uint32_t> points;  // of its sweep; absent: there is none
};

struct RunDetails {
  RunView run;
  std::vector<SumView> sums;
  std::vector<FlagView> flags;
};

// The intervals of the sums over the streams, for pictures.
struct IntervalPointsView {
  std::vector<IntervalPointView> points;
  std::uint64_t intervals = 0;  // of the run, those of its streams among them
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

// The lists of the trace that the caller of `show` requested in full.
struct TraceLists {
  bool events = false, drops = false, stacks = false, marks = false, cpus = false, over_time = false;

  [[nodiscard]] bool any() const { return events || drops || stacks || marks || cpus || over_time; }
};

// The data of a `show` page.
struct ShowView {
  RunDetails details;
  std::optional<JobDetails> job;        // absent where the daemon does not know it any more
  IntervalPointsView over_time;         // for the page
  std::vector<IntervalView> intervals;  // where listed, and for CSV
  std::vector<SumView> streams;
  bool with_page = true;  // false: only the lists below, without the page above them
  bool list_intervals = false, list_streams = false;  // what the caller asked to see in full
  std::optional<TraceDetails> trace;                  // absent where the job asked for none
  StackPage stacks;                                   // the most frequent; all where listed
  std::vector<SampleView> samples;                    // where listed
  TraceLists trace_lists;
  std::optional<ProfileDetails> functions;  // absent where no functions were traced
  FunctionLists function_lists;
  std::optional<BudgetDetails> budget;         // absent where the functions of its job have none
  std::optional<EnvironmentView> environment;  // where listed; absent too where it was not looked at
  bool list_environment = false;
  // Where one of the three is listed, and for the page of a run with iperf3 or probes; absent too where none
  // were read. Samples of queues are there where they are listed, and for the page of a run with probes.
  std::optional<CountersView> counters;
  bool list_counters = false, list_tcp = false, list_queues = false;
  std::optional<SampledDetails> sampled;  // where listed; absent too where the run was not sampled
  bool list_samples = false;
  std::optional<LatencyDetails> latency;  // absent where the run has no probes
  bool list_latency = false;
  std::vector<NamedFigureView> figures;  // that its workload or its scenario brought
  bool list_figures = false;
};

// The data of `start` about its job.
struct StartView {
  JobDetails job;
  std::vector<RunView> runs;    // oldest first
  std::vector<BootView> boots;  // of a design that reboots the machine, where they were asked for
  std::optional<BudgetDetails> budget = {};  // of its trace, where it was asked for
};

// The elapsed share of the current run, 0 to 1; absent if there is no current run, or if its length is not
// planned.
[[nodiscard]] inline std::optional<double> run_progress(const LiveJobView& job) {
  if (!job.progress || !job.planned_s || !job.current_run || !job.runs) return {};
  const double runs = *job.progress * static_cast<double>(job.runs->size());
  return std::clamp(runs - job.runs_ended.value_or(0), 0.0, 1.0);
}

[[nodiscard]] inline bool has_ended(const std::string& state) {
  return state == "finished" || state == "failed" || state == "canceled" || state == "interrupted";
}

}  // namespace netperfctl
