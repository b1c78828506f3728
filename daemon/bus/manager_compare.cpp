#include <tuple>
#include <utility>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/bus/errors.hpp"
#include "daemon/bus/manager_object.hpp"
#include "daemon/bus/options.hpp"
#include "daemon/bus/wire_comparison.hpp"
#include "daemon/core/job_comparison.hpp"
#include "daemon/core/run_comparison.hpp"
#include "daemon/core/run_plan.hpp"
#include "dbus/names.hpp"

namespace netperfd::bus {
namespace {

std::tuple<dbus::Row, dbus::Rows, dbus::Rows, dbus::Rows> answer_of(
    const core::ComparedSelections& compared) {
  WireComparison wire = wire_comparison(compared);
  return {std::move(wire.comparison), std::move(wire.functions), std::move(wire.counters),
          std::move(wire.facts)};
}

}  // namespace

std::tuple<ManagerObject::Dict, ManagerObject::Dicts, ManagerObject::Dicts, ManagerObject::Dicts>
ManagerObject::Compare(const std::string& a, const std::string& b, const Dict& options) {
  return dbus::guarded([&] {
    const core::ComparisonRequest request{a, b, value_or_throw(parse_compare_options(options))};
    return answer_of(value_or_throw(core::compare_selections(ports_.queries, request, &analysis::compare)));
  });
}

std::tuple<ManagerObject::Dict, ManagerObject::Dicts, ManagerObject::Dicts, ManagerObject::Dicts>
ManagerObject::CompareJob(const std::uint64_t& job, const Dict& options) {
  return dbus::guarded([&] {
    const JobId id = value_or_throw(parse_id(job, "job"));
    const auto settings = value_or_throw(parse_compare_options(options));
    return answer_of(value_or_throw(core::compare_job(ports_.queries, id, settings, &analysis::compare)));
  });
}

ManagerObject::Dict ManagerObject::PlanRuns(const std::string& runs, const Dict& options) {
  return dbus::guarded([&] {
    core::PlanRequest request = value_or_throw(parse_plan_options(options));
    request.runs = runs;
    return plan_row(value_or_throw(core::plan_runs(ports_.queries, request))).row;
  });
}

}  // namespace netperfd::bus
