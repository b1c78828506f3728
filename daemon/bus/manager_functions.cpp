// SPDX-License-Identifier: GPL-2.0-or-later
// The methods of org.netperfd1.Manager for a run's function profile and a job's budget. Lists keep the
// store's order, and a page is a range of row numbers: a run that has ended does not change.
#include <fmt/format.h>

#include <cstddef>
#include <tuple>
#include <utility>

#include "daemon/bus/errors.hpp"
#include "daemon/bus/manager_object.hpp"
#include "daemon/bus/options.hpp"
#include "daemon/bus/row_maker.hpp"
#include "daemon/bus/wire.hpp"
#include "daemon/bus/wire_functions.hpp"

namespace netperfd::bus {
namespace {

// Limit for functions with slices. These rows are long: few more fit into a message, and reading rows that do
// not fit is wasted work.
constexpr std::uint32_t kSlicesPageLimit = 200;

// Converts with `make_row(row)` the rows of `part` that fit into a message. `part` begins at `offset`.
template <class Row, class MakeRow>
std::tuple<dbus::Rows, std::string, std::uint64_t> fitting(const core::ProfilePart<Row>& part,
                                                           std::uint64_t offset, MakeRow make_row) {
  auto rows =
      fitting_part(part.rows.size(), 0, kMaxRows, [&](std::size_t i) { return make_row(part.rows[i]); });
  std::string next = next_cursor(offset, rows.size(), part.total);
  return {std::move(rows), std::move(next), part.total};
}

}  // namespace

std::tuple<ManagerObject::Dict, ManagerObject::Dicts> ManagerObject::GetFunctionProfile(
    const std::uint64_t& run) {
  return dbus::guarded([&] {
    const RunId id = value_or_throw(parse_id(run, "run"));
    const core::ProfileSummary summary = value_or_throw(ports_.queries.profile(id));
    WireProfile wire = wire_profile(summary, value_or_throw(ports_.queries.traffic(id)));
    return std::tuple{std::move(wire.profile), std::move(wire.builds)};
  });
}

std::tuple<ManagerObject::Dict, ManagerObject::Dicts> ManagerObject::GetBudget(const std::uint64_t& job) {
  return dbus::guarded([&] {
    const JobId id = value_or_throw(parse_id(job, "job"));
    const auto budget = value_or_throw(ports_.queries.budget_of_job(id));
    if (!budget) {
      throw to_dbus(
          Error{ErrorKind::not_found, fmt::format("job {}: its traced functions have no budget", job)});
    }
    WireRow head = to_wire(budget->budget);
    std::size_t room = kRowsBudgetBytes - head.bytes;
    return std::tuple{
        std::move(head.row),
        fitting_rows(budget->functions, [](const auto& function) { return to_wire(function); }, room, room)};
  });
}

ManagerObject::ListPage ManagerObject::ListFunctionProfile(const std::uint64_t& run,
                                                           const std::string& cursor,
                                                           const std::uint32_t& limit) {
  return dbus::guarded([&] {
    const RunId id = value_or_throw(parse_id(run, "run"));
    const std::uint64_t offset = value_or_throw(parse_cursor(cursor));
    core::FunctionLists lists;
    lists.histogram = true;
    const auto part =
        value_or_throw(ports_.queries.functions(id, offset, page_limit(limit, kMaxRows), lists));
    const Traffic traffic = value_or_throw(ports_.queries.traffic(id));
    return fitting(part, offset,
                   [&](const FunctionStats& function) { return function_profile_row(function, traffic); });
  });
}

ManagerObject::ListPage ManagerObject::ListFunctionSlices(const std::uint64_t& run, const std::string& cursor,
                                                          const std::uint32_t& limit) {
  return dbus::guarded([&] {
    const RunId id = value_or_throw(parse_id(run, "run"));
    const std::uint64_t offset = value_or_throw(parse_cursor(cursor));
    core::FunctionLists lists;
    lists.slices = true;
    const auto part =
        value_or_throw(ports_.queries.functions(id, offset, page_limit(limit, kSlicesPageLimit), lists));
    return fitting(part, offset,
                   [&](const FunctionStats& function) { return function_slices_row(function); });
  });
}

ManagerObject::ListPage ManagerObject::ListCallEdges(const std::uint64_t& run, const std::string& cursor,
                                                     const std::uint32_t& limit) {
  return dbus::guarded([&] {
    const RunId id = value_or_throw(parse_id(run, "run"));
    const std::uint64_t offset = value_or_throw(parse_cursor(cursor));
    return fitting(value_or_throw(ports_.queries.call_edges(id, offset, page_limit(limit, kMaxRows))), offset,
                   [](const core::NamedEdge& edge) { return call_edge_row(edge); });
  });
}

ManagerObject::ListPage ManagerObject::ListCallTree(const std::uint64_t& run, const std::string& cursor,
                                                    const std::uint32_t& limit) {
  return dbus::guarded([&] {
    const RunId id = value_or_throw(parse_id(run, "run"));
    const std::uint64_t offset = value_or_throw(parse_cursor(cursor));
    const auto part = value_or_throw(ports_.queries.call_nodes(id, offset, page_limit(limit, kMaxRows)));
    return fitting(part, offset, [&](const core::NamedNode& node) { return call_node_row(node); });
  });
}

}  // namespace netperfd::bus
