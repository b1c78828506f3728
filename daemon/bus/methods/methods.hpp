// SPDX-License-Identifier: GPL-2.0-or-later
// The work of each method. It begins when the caller may call it, and its arguments are of the types of
// arguments.hpp. All throw sdbus::Error.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "daemon/bus/call/arguments.hpp"
#include "daemon/bus/call/call.hpp"
#include "daemon/bus/call/task.hpp"
#include "daemon/bus/rows/row.hpp"
#include "dbus/compat.hpp"

namespace netperfd::bus::methods {

using Texts = std::vector<std::string>;
using Cursor = std::string;
using Limit = std::uint32_t;
using RowAndRows = std::tuple<Row, Rows>;
// Rows and the cursor of the next page; and the total number of rows.
using Page = std::tuple<Rows, std::string>;
using CountedPage = std::tuple<Rows, std::string, std::uint64_t>;

// start.cpp
Task<sdbus::ObjectPath> start_scenario(Call& call, ScenarioName scenario, StartOptions options);
Task<sdbus::ObjectPath> start_job(Call& call, JobText text, Origin origin, StartOptions options);
std::tuple<std::uint32_t, std::uint32_t> check_scenario(Call& call, ScenarioName scenario,
                                                        StartOptions options);
std::tuple<std::uint32_t, std::uint32_t> check_job(Call& call, JobText text, Origin origin,
                                                   StartOptions options);
std::tuple<std::uint32_t, double> check_boots(Call& call, ScenarioName scenario, StartOptions options);

// jobs.cpp
void stop_job(Call& call, Job job);
void hold_job(Call& call, Job job);
void release_job(Call& call, Job job);
Task<std::string> undo_job(Call& call, Job job);
void mark(Call& call, Job job, MarkText text);
void set_label(Call& call, Job job, Label label);
std::uint64_t delete_job(Call& call, Job job);
Rows list_boots(Call& call, Job job);
RowAndRows get_budget(Call& call, Job job);
Rows list_scenarios(Call& call);
void subscribe(Call& call);
void unsubscribe(Call& call);

// runs.cpp
std::tuple<Row, Rows, Rows> get_run(Call& call, std::uint64_t run);
Rows list_streams(Call& call, Run run);
Page list_intervals(Call& call, Run run, Cursor cursor, Limit limit);
std::tuple<std::string, Rows, Texts> get_fingerprint(Call& call, Run run);
std::tuple<Rows, std::string, std::uint64_t, Texts> list_counters(Call& call, Run run, Cursor cursor,
                                                                  Limit limit);
CountedPage list_tcp_samples(Call& call, Run run, Cursor cursor, Limit limit);
CountedPage list_figures(Call& call, Run run, Cursor cursor, Limit limit);
CountedPage list_queue_samples(Call& call, Run run, Cursor cursor, Limit limit);
void set_note(Call& call, Run run, Note note);
void delete_run(Call& call, Run run);

// latency.cpp
std::tuple<Rows, Rows, Rows> get_latency(Call& call, Run run);
CountedPage list_latency_intervals(Call& call, Run run, Cursor cursor, Limit limit);
Rows get_latency_histogram(Call& call, Run run, std::string probe, std::string phase, std::string span);

// functions.cpp
RowAndRows get_function_profile(Call& call, Run run);
CountedPage list_function_profile(Call& call, Run run, Cursor cursor, Limit limit);
CountedPage list_function_slices(Call& call, Run run, Cursor cursor, Limit limit);
CountedPage list_call_edges(Call& call, Run run, Cursor cursor, Limit limit);
CountedPage list_call_tree(Call& call, Run run, Cursor cursor, Limit limit);
RowAndRows get_sample_profile(Call& call, Run run);
CountedPage list_sampled_functions(Call& call, Run run, Cursor cursor, Limit limit);
CountedPage list_sampled_stacks(Call& call, Run run, Cursor cursor, Limit limit);

// trace.cpp
std::tuple<Row, Rows, Rows, Rows, Rows> get_trace(Call& call, Run run);
Page list_trace_samples(Call& call, Run run, EventName event, Cursor cursor, Limit limit);
Page list_trace_stacks(Call& call, Run run, Cursor cursor, Limit limit);

// catalogue.cpp
Task<Rows> list_capabilities(Call& call, bool fresh);
Rows list_modules(Call& call, Pattern pattern);
std::tuple<Rows, std::string, std::uint64_t, Texts> list_functions(Call& call, core::FunctionFilter filter,
                                                                   Cursor cursor, Limit limit);
Texts list_events(Call& call, Pattern pattern);
Texts list_allowed_events(Call& call, Pattern pattern);
RowAndRows get_event(Call& call, Name name);
Rows list_tracers(Call& call);

// queries.cpp: answered by a process of their own, as query_answers.hpp says
Task<std::tuple<Row, Rows, Rows, Rows>> compare(Call& call, std::string a, std::string b, Options options);
Task<std::tuple<Row, Rows, Rows, Rows>> compare_job(Call& call, std::uint64_t job, Options options);
Task<std::tuple<Row, Rows, Rows>> compare_sweep(Call& call, std::uint64_t job, Options options);
Task<RowAndRows> compare_samples(Call& call, std::vector<std::uint64_t> a, std::vector<std::uint64_t> b,
                                 Options options);
Task<Row> plan_runs(Call& call, std::string runs, Options options);
Task<RowAndRows> get_job(Call& call, std::uint64_t job);
Task<std::tuple<Rows, std::uint64_t>> list_interval_points(Call& call, Run run, Points points);
Task<Page> list_jobs(Call& call, Options filter, Cursor cursor, Limit limit);
Task<Page> list_runs(Call& call, Options filter, Cursor cursor, Limit limit);

// files.cpp: descriptors of callers, and for them
Task<sdbus::UnixFd> open_document(Call& call, Run run, Name name);
Task<sdbus::UnixFd> open_bundle(Call& call, Job job, BundleRequest request);
sdbus::UnixFd open_trace_text(Call& call, Run run);
Task<std::uint64_t> import_run(Call& call, std::vector<sdbus::UnixFd> files, Texts names,
                               core::ImportRequest request);

// store.cpp
Page list_audit_log(Call& call, core::AuditFilter filter, Cursor cursor, Limit limit);
Task<Row> check_store(Call& call);
sdbus::UnixFd open_backup(Call& call);
Task<Row> restore_store(Call& call, sdbus::UnixFd file);
Task<Page> list_old_jobs(Call& call, Options rule, Cursor cursor, Limit limit);

}  // namespace netperfd::bus::methods
