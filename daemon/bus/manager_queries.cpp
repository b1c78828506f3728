// SPDX-License-Identifier: GPL-2.0-or-later
// The methods of org.netperfd1.Manager that query_answers.hpp lists: asks a process of its own, as the user
// who calls.
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "daemon/bus/errors.hpp"
#include "daemon/bus/manager_object.hpp"
#include "daemon/bus/options.hpp"
#include "daemon/bus/query_answers.hpp"
#include "daemon/bus/query_bytes.hpp"
#include "daemon/core/run_plan.hpp"
#include "daemon/core/run_selection.hpp"
#include "dbus/names.hpp"

namespace netperfd::bus {
namespace {

// Before it is known who calls: whose runs are meant does not change whether the text is right.
constexpr uid_t kWhoever = 0;

// A wrong text costs no process.
void expect_selection(const char* side, const std::string& text) {
  const auto selection = core::parse_selection(text, kWhoever);
  if (selection) return;
  throw to_dbus(Error{selection.error().kind, fmt::format("{}: {}", side, selection.error().message)});
}

}  // namespace

template <class... Values, class MakeRequest>
void ManagerObject::query(const SharedReply<Values...>& reply, MakeRequest make) {
  with_caller(reply, [this, reply, make = std::move(make)](const Caller& caller) {
    query_bytes(reply, caller, make(std::uint64_t{caller.uid}), 0, [reply](const std::string& bytes) {
      const auto values = value_or_throw(from_query_bytes<Values...>(bytes));
      std::apply([&](const Values&... each) { reply->ok(each...); }, values);
    });
  });
}

void ManagerObject::Compare(sdbus::Result<Dict, Dicts, Dicts, Dicts>&& result, std::string a, std::string b,
                            Dict options) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    (void)value_or_throw(parse_compare_options(options));
    expect_selection("A", a);
    expect_selection("B", b);
    query(reply, [a, b, options](std::uint64_t uid) {
      return to_query_bytes(std::string{query_name::kCompare}, uid, a, b, options);
    });
  });
}

void ManagerObject::CompareJob(sdbus::Result<Dict, Dicts, Dicts, Dicts>&& result, std::uint64_t job,
                               Dict options) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    (void)value_or_throw(parse_compare_options(options));
    query(reply, [job, options](std::uint64_t) {
      return to_query_bytes(std::string{query_name::kCompareJob}, job, options);
    });
  });
}

void ManagerObject::CompareSamples(sdbus::Result<Dict, Dicts>&& result, std::vector<std::uint64_t> a,
                                   std::vector<std::uint64_t> b, Dict options) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    (void)value_or_throw(parse_stack_request(a, b, options));
    const dbus::Row runs{{"a", sdbus::Variant{a}}, {"b", sdbus::Variant{b}}};
    query(reply, [runs, options](std::uint64_t) {
      return to_query_bytes(std::string{query_name::kCompareSamples}, runs, options);
    });
  });
}

void ManagerObject::PlanRuns(sdbus::Result<Dict>&& result, std::string runs, Dict options) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    throw_if_failed(core::check_plan_request(value_or_throw(parse_plan_options(options))));
    (void)value_or_throw(core::parse_selection(runs, kWhoever));
    query(reply, [runs, options](std::uint64_t uid) {
      return to_query_bytes(std::string{query_name::kPlanRuns}, uid, runs, options);
    });
  });
}

void ManagerObject::GetJob(sdbus::Result<Dict, Dicts>&& result, std::uint64_t id) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    if (value_or_throw(has_few_runs(ports_.queries, id))) {
      const auto [job, spreads] = get_job(ports_.queries, id);
      return reply->ok(job, spreads);
    }
    query(reply, [id](std::uint64_t) { return to_query_bytes(std::string{query_name::kGetJob}, id); });
  });
}

void ManagerObject::ListJobs(sdbus::Result<Dicts, std::string>&& result, Dict filter, std::string cursor,
                             std::uint32_t limit) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    (void)value_or_throw(parse_job_filter(filter, kWhoever));
    query(reply, [filter, cursor, limit](std::uint64_t uid) {
      return to_query_bytes(std::string{query_name::kListJobs}, uid, filter, cursor, std::uint64_t{limit});
    });
  });
}

void ManagerObject::ListRuns(sdbus::Result<Dicts, std::string>&& result, Dict filter, std::string cursor,
                             std::uint32_t limit) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    const bool selects = value_or_throw(parse_listed_selection(filter, kWhoever)).has_value();
    if (!selects && is_cheap(value_or_throw(parse_run_filter(filter, kWhoever)))) {
      const auto [rows, next] = list_runs(ports_.queries, kWhoever, filter, cursor, limit);
      return reply->ok(rows, next);
    }
    query(reply, [filter, cursor, limit](std::uint64_t uid) {
      return to_query_bytes(std::string{query_name::kListRuns}, uid, filter, cursor, std::uint64_t{limit});
    });
  });
}

}  // namespace netperfd::bus
