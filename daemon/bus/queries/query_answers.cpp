// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/queries/query_answers.hpp"

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/analysis/compare/spread.hpp"
#include "daemon/base/byte_archive.hpp"
#include "daemon/bus/errors.hpp"
#include "daemon/bus/options/options.hpp"
#include "daemon/bus/queries/bundle_answer.hpp"
#include "daemon/bus/queries/query_bytes.hpp"
#include "daemon/bus/queries/store_answers.hpp"
#include "daemon/bus/rows/row_maker.hpp"
#include "daemon/bus/rows/wire.hpp"
#include "daemon/bus/rows/wire_comparison.hpp"
#include "daemon/bus/rows/wire_samples.hpp"
#include "daemon/bus/rows/wire_sweep.hpp"
#include "daemon/core/comparison/job_comparison.hpp"
#include "daemon/core/comparison/run_comparison.hpp"
#include "daemon/core/comparison/run_plan.hpp"
#include "daemon/core/comparison/selected_page.hpp"
#include "daemon/core/comparison/stack_comparison.hpp"
#include "daemon/core/comparison/sweep_comparison.hpp"
#include "daemon/model/run_state.hpp"

namespace netperfd::bus {
namespace {

constexpr std::uint32_t kRunsPageLimit = 500;
constexpr std::uint32_t kJobsPageLimit = 100;

// Throw sdbus::Error, as handlers of the bus do.

template <class... Arguments>
std::tuple<Arguments...> arguments_of(QueryReader& reader) {
  std::tuple<Arguments...> arguments;
  std::apply([&](Arguments&... each) { (reader.take(each), ...); }, arguments);
  throw_if_failed(reader.finish());
  return arguments;
}

std::string bytes_of(const core::ComparedSelections& compared,
                     const std::optional<NamedPoint>& point = std::nullopt) {
  const WireComparison wire = wire_comparison(compared, point);
  return to_query_bytes(wire.comparison, wire.functions, wire.counters, wire.facts);
}

std::string compare(core::RunQueries& queries, QueryReader& reader) {
  const auto [caller, a, b, options] =
      arguments_of<std::uint64_t, std::string, std::string, dbus::Row>(reader);
  const core::ComparisonRequest request{a, b, value_or_throw(parse_compare_options(options)),
                                        static_cast<uid_t>(caller)};
  return bytes_of(value_or_throw(core::compare_selections(queries, request, &analysis::compare)));
}

NamedPoint point_of(core::RunQueries& queries, JobId job, std::uint32_t point) {
  const auto runs = value_or_throw(queries.runs_of_job(job));
  const auto found = std::ranges::find(runs, point, [](const core::RunRow& run) { return run.slot.point; });
  return {point, found != runs.end() ? found->point_name : ""};
}

std::string compare_job(core::RunQueries& queries, QueryReader& reader) {
  const auto [job, options] = arguments_of<std::uint64_t, dbus::Row>(reader);
  const JobId id = value_or_throw(parse_id(job, "job"));
  const auto settings = value_or_throw(parse_compare_options(options));
  const auto compared = value_or_throw(core::compare_job(queries, id, settings, &analysis::compare));
  return settings.point ? bytes_of(compared, point_of(queries, id, *settings.point)) : bytes_of(compared);
}

std::string compare_sweep(core::RunQueries& queries, QueryReader& reader) {
  const auto [job, options] = arguments_of<std::uint64_t, dbus::Row>(reader);
  const JobId id = value_or_throw(parse_id(job, "job"));
  const auto settings = value_or_throw(parse_compare_options(options));
  const WireSweep wire =
      wire_sweep(value_or_throw(core::compare_sweep(queries, id, settings, &analysis::compare)));
  return to_query_bytes(wire.sweep, wire.figures, wire.trends);
}

std::string compare_samples(core::RunQueries& queries, QueryReader& reader) {
  const auto [runs, options] = arguments_of<dbus::Row, dbus::Row>(reader);
  const auto side = [&runs](const char* name) { return runs.at(name).get<std::vector<std::uint64_t>>(); };
  const auto request = value_or_throw(parse_stack_request(side("a"), side("b"), options));
  const WireStackComparison wire = wire_stacks(value_or_throw(core::compare_stacks(queries, request)));
  return to_query_bytes(wire.comparison, wire.frames);
}

std::string plan_runs(core::RunQueries& queries, QueryReader& reader) {
  const auto [caller, runs, options] = arguments_of<std::uint64_t, std::string, dbus::Row>(reader);
  core::PlanRequest request = value_or_throw(parse_plan_options(options));
  request.runs = runs;
  request.caller = static_cast<uid_t>(caller);
  return to_query_bytes(plan_row(value_or_throw(core::plan_runs(queries, request))));
}

std::string job_of_many(core::RunQueries& queries, QueryReader& reader) {
  const auto [job] = arguments_of<std::uint64_t>(reader);
  const auto [row, spreads] = get_job(queries, job);
  return to_query_bytes(row, spreads);
}

std::string list_filtered(core::RunQueries& queries, QueryReader& reader) {
  const auto [caller, filter, cursor, limit] =
      arguments_of<std::uint64_t, dbus::Row, std::string, std::uint64_t>(reader);
  const auto [rows, next] =
      list_runs(queries, static_cast<uid_t>(caller), filter, cursor, static_cast<std::uint32_t>(limit));
  return to_query_bytes(rows, next);
}

std::string list_jobs(core::RunQueries& queries, QueryReader& reader) {
  const auto [caller, filter, cursor, limit] =
      arguments_of<std::uint64_t, dbus::Row, std::string, std::uint64_t>(reader);
  const core::RunFilter wanted = value_or_throw(parse_job_filter(filter, static_cast<uid_t>(caller)));
  const WirePage page = fitting_page(
      page_limit(static_cast<std::uint32_t>(limit), kJobsPageLimit),
      [&, &after = cursor](std::uint32_t rows) { return queries.jobs(wanted, after, rows); }, job_row);
  return to_query_bytes(page.rows, page.next);
}

std::string points_of_many(core::RunQueries& queries, QueryReader& reader) {
  const auto [run, points] = arguments_of<std::uint64_t, std::uint64_t>(reader);
  const auto [rows, intervals] =
      list_interval_points(queries, value_or_throw(parse_id(run, "run")), static_cast<std::uint32_t>(points));
  return to_query_bytes(rows, intervals);
}

struct Answer {
  std::string_view name;
  std::string (*answer)(core::RunQueries& queries, QueryReader& reader);
};

constexpr Answer kAnswers[] = {{query_name::kCompare, compare},
                               {query_name::kCompareJob, compare_job},
                               {query_name::kCompareSweep, compare_sweep},
                               {query_name::kCompareSamples, compare_samples},
                               {query_name::kPlanRuns, plan_runs},
                               {query_name::kGetJob, job_of_many},
                               {query_name::kListRuns, list_filtered},
                               {query_name::kListJobs, list_jobs},
                               {query_name::kListIntervalPoints, points_of_many},
                               {query_name::kCheckStore, check_store},
                               {query_name::kListOldJobs, list_old_jobs}};

}  // namespace

void prepare_answers() {
  // sdbus-c++ makes a connection without a bus for the first of them.
  const sdbus::Variant first{std::uint32_t{0}};
}

Result<std::string> answer_query(core::RunQueries& queries, std::string_view request) try {
  QueryReader reader{request};
  std::string name;
  reader.take(name);
  if (name == query_name::kOpenBundle) return bundle_of(queries, request);
  for (const Answer& known : kAnswers) {
    if (known.name == name) return known.answer(queries, reader);
  }
  return fail(ErrorKind::internal, "the daemon asks a query that this process does not know");
} catch (const sdbus::Error& error) {
  return std::unexpected(from_dbus(error));
}

std::tuple<Row, Rows> get_job(core::RunQueries& queries, std::uint64_t job) {
  const auto runs = value_or_throw(queries.runs_of_job(value_or_throw(parse_id(job, "job"))));
  std::vector<std::vector<Totals>> sums;
  for (const core::RunRow& run : runs) {
    if (run.state == RunState::finished) sums.push_back(run.sums);
  }
  return {job_row(summary_of(runs)), all_rows(analysis::received_spreads(sums), spread_row)};
}

std::tuple<Rows, std::uint64_t> list_interval_points(core::RunQueries& queries, RunId run,
                                                     std::uint32_t points) {
  const core::IntervalPoints found = value_or_throw(queries.interval_points(run, points));
  return {all_rows(found.points, to_wire<rows::IntervalPoint>), found.intervals};
}

Result<bool> has_few_runs(core::RunQueries& queries, std::uint64_t job) {
  constexpr std::uint32_t kFew = 50;
  const auto id = parse_id(job, "job");
  if (!id) return std::unexpected(id.error());
  core::RunFilter filter;
  filter.job = *id;
  const auto some = queries.selected_runs(filter, {}, kFew + 1);
  if (!some) return std::unexpected(some.error());
  return some->size() <= kFew;
}

std::tuple<Rows, std::string> list_runs(core::RunQueries& queries, uid_t caller, const dbus::Row& filter,
                                        const std::string& cursor, std::uint32_t limit) {
  const core::RunFilter wanted = value_or_throw(parse_run_filter(filter, caller));
  if (const auto selection = value_or_throw(parse_listed_selection(filter, caller))) {
    WirePage page = fitting_page(
        page_limit(limit, kRunsPageLimit),
        [&](std::uint32_t rows) { return core::list_selected(queries, *selection, cursor, rows); },
        listed_run_row);
    return {std::move(page.rows), std::move(page.next)};
  }
  WirePage page = fitting_page(
      page_limit(limit, kRunsPageLimit),
      [&](std::uint32_t rows) { return queries.runs(wanted, cursor, rows); }, listed_run_row);
  return {std::move(page.rows), std::move(page.next)};
}

bool is_cheap(const core::RunFilter& filter) {
  // The store has an index with the order of the list for each of them alone.
  const bool walks = filter.scenario || filter.label || filter.variant || filter.traced || filter.purpose ||
                     filter.since || filter.until || filter.owner || (filter.job && filter.state);
  return !walks;
}

}  // namespace netperfd::bus
