// SPDX-License-Identifier: GPL-2.0-or-later
// The queries whose cost grows with the store or with the runs that they name, not with one page or one run:
// Compare, CompareJob, CompareSweep, CompareSamples, PlanRuns, GetJob of many runs, ListJobs, OpenBundle, and
// ListRuns with a selection or a filter that may have to walk over many. They are answered in a process of
// their own (daemon/query), so that the loop never waits for them.
//
// Everything else that reads the store stays on the loop. It reads one run, one page, or a list of one run
// that is bounded when the run is stored.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>

#include "daemon/base/error.hpp"
#include "daemon/bus/rows/row.hpp"
#include "daemon/core/ports/run_queries.hpp"
#include "dbus/compat.hpp"

namespace netperfd::bus {

// The first value of a request's bytes; the method's arguments follow, options and filters as rows. Before
// the arguments of those that select runs comes the caller's uid, as the bus says it: it decides whose runs a
// text means.
namespace query_name {
inline constexpr const char* kCompare =
    "Compare";  // with the uid, and so are PlanRuns, ListRuns and ListJobs
inline constexpr const char* kCompareJob = "CompareJob";
inline constexpr const char* kCompareSweep = "CompareSweep";
inline constexpr const char* kCompareSamples = "CompareSamples";  // with its runs as a row
inline constexpr const char* kPlanRuns = "PlanRuns";
inline constexpr const char* kGetJob = "GetJob";
inline constexpr const char* kListRuns = "ListRuns";
inline constexpr const char* kListJobs = "ListJobs";
inline constexpr const char* kListIntervalPoints = "ListIntervalPoints";
inline constexpr const char* kOpenBundle = "OpenBundle";  // bundle_answer.hpp has its bytes
inline constexpr const char* kCheckStore = "CheckStore";
inline constexpr const char* kListOldJobs = "ListOldJobs";  // with the user, 0 for all, and the time
inline constexpr const char* kOpenBackup = "OpenBackup";    // answered by stream_query()
}  // namespace query_name

// Makes what options need while the process may still open files.
void prepare_answers();

// In the process of the query: the bytes of the method's results, in their order. May throw std::bad_alloc.
[[nodiscard]] Result<std::string> answer_query(core::RunQueries& queries, std::string_view request);

// These also answer on the loop. The points of a run, and the number of its intervals.
[[nodiscard]] std::tuple<Rows, std::uint64_t> list_interval_points(core::RunQueries& queries, RunId run,
                                                                   std::uint32_t points);
// A job, and the spreads of its runs.
[[nodiscard]] std::tuple<Row, Rows> get_job(core::RunQueries& queries, std::uint64_t job);
// A page of at most `limit` runs and the next cursor, for the user `caller`.
[[nodiscard]] std::tuple<Rows, std::string> list_runs(core::RunQueries& queries, uid_t caller,
                                                      const dbus::Row& filter, const std::string& cursor,
                                                      std::uint32_t limit);
// Whether a page of this filter costs no more than its rows.
[[nodiscard]] bool is_cheap(const core::RunFilter& filter);
// Whether the job has so few runs that reading them does not delay anybody. Also of one that does not exist.
[[nodiscard]] Result<bool> has_few_runs(core::RunQueries& queries, std::uint64_t job);

}  // namespace netperfd::bus
