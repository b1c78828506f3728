// SPDX-License-Identifier: GPL-2.0-or-later
// Methods that a process of their own answers, as the user who calls (query_answers.hpp).
#include <cstdint>
#include <string>
#include <tuple>

#include "daemon/bus/errors.hpp"
#include "daemon/bus/methods/methods.hpp"
#include "daemon/bus/queries/query_answers.hpp"
#include "daemon/bus/queries/query_bytes.hpp"
#include "daemon/core/comparison/run_plan.hpp"
#include "daemon/core/comparison/run_selection.hpp"

namespace netperfd::bus::methods {
namespace {

// A wrong text costs no process. Errors begin with `side`.
void expect_selection(const Call& call, const char* side, const std::string& text) {
  const auto selection = core::parse_selection(text, call.caller.uid);
  if (selection) return;
  throw to_dbus(Error{selection.error().kind, std::string{side} + ": " + selection.error().message});
}

void expect_options_without_point(const Options& options) {
  if (value_or_throw(parse_compare_options(options)).point)
    throw to_dbus({ErrorKind::invalid_argument, "point: only CompareJob compares one point of a sweep"});
}

template <class Answer>
struct Read {
  static Answer from(const std::string& bytes) {
    return std::get<0>(value_or_throw(from_query_bytes<Answer>(bytes)));
  }
};
template <class... Values>
struct Read<std::tuple<Values...>> {
  static std::tuple<Values...> from(const std::string& bytes) {
    return value_or_throw(from_query_bytes<Values...>(bytes));
  }
};

// The answer to the method `name` with these arguments.
template <class Answer, class... Arguments>
Task<Answer> ask(Call& call, std::string name, Arguments... arguments) {
  const std::string bytes = co_await call.ask_process(to_query_bytes(name, arguments...));
  co_return Read<Answer>::from(bytes);
}

}  // namespace

Task<std::tuple<Row, Rows, Rows, Rows>> compare(Call& call, std::string a, std::string b, Options options) {
  expect_options_without_point(options);
  expect_selection(call, "A", a);
  expect_selection(call, "B", b);
  return ask<std::tuple<Row, Rows, Rows, Rows>>(call, query_name::kCompare, std::uint64_t{call.caller.uid}, a,
                                                b, options);
}

Task<std::tuple<Row, Rows, Rows, Rows>> compare_job(Call& call, std::uint64_t job, Options options) {
  (void)value_or_throw(parse_compare_options(options));
  return ask<std::tuple<Row, Rows, Rows, Rows>>(call, query_name::kCompareJob, job, options);
}

Task<std::tuple<Row, Rows, Rows>> compare_sweep(Call& call, std::uint64_t job, Options options) {
  expect_options_without_point(options);
  return ask<std::tuple<Row, Rows, Rows>>(call, query_name::kCompareSweep, job, options);
}

Task<RowAndRows> compare_samples(Call& call, std::vector<std::uint64_t> a, std::vector<std::uint64_t> b,
                                 Options options) {
  (void)value_or_throw(parse_stack_request(a, b, options));
  const dbus::Row runs{{"a", sdbus::Variant{a}}, {"b", sdbus::Variant{b}}};
  return ask<RowAndRows>(call, query_name::kCompareSamples, runs, options);
}

Task<Row> plan_runs(Call& call, std::string runs, Options options) {
  throw_if_failed(core::check_plan_request(value_or_throw(parse_plan_options(options))));
  (void)value_or_throw(core::parse_selection(runs, call.caller.uid));
  return ask<Row>(call, query_name::kPlanRuns, std::uint64_t{call.caller.uid}, runs, options);
}

Task<RowAndRows> get_job(Call& call, std::uint64_t job) {
  if (value_or_throw(has_few_runs(call.ports.queries, job))) co_return bus::get_job(call.ports.queries, job);
  co_return co_await ask<RowAndRows>(call, query_name::kGetJob, job);
}

Task<std::tuple<Rows, std::uint64_t>> list_interval_points(Call& call, Run run, Points points) {
  // No more than a page of ListIntervals has.
  if (!value_or_throw(call.ports.queries.has_more_intervals(run.id, kMaxRows)))
    co_return bus::list_interval_points(call.ports.queries, run.id, points.most);
  co_return co_await ask<std::tuple<Rows, std::uint64_t>>(
      call, query_name::kListIntervalPoints, static_cast<std::uint64_t>(run.id), std::uint64_t{points.most});
}

Task<Page> list_jobs(Call& call, Options filter, Cursor cursor, Limit limit) {
  (void)value_or_throw(parse_job_filter(filter, call.caller.uid));
  return ask<Page>(call, query_name::kListJobs, std::uint64_t{call.caller.uid}, filter, cursor,
                   std::uint64_t{limit});
}

Task<Page> list_runs(Call& call, Options filter, Cursor cursor, Limit limit) {
  // A cheap page is the same whoever asks.
  constexpr uid_t kWhoever = 0;
  const bool selects = value_or_throw(parse_listed_selection(filter, kWhoever)).has_value();
  if (!selects && is_cheap(value_or_throw(parse_run_filter(filter, kWhoever))))
    co_return bus::list_runs(call.ports.queries, kWhoever, filter, cursor, limit);
  co_await call.identify();
  co_return co_await ask<Page>(call, query_name::kListRuns, std::uint64_t{call.caller.uid}, filter, cursor,
                               std::uint64_t{limit});
}

}  // namespace netperfd::bus::methods
