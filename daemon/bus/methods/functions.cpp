// SPDX-License-Identifier: GPL-2.0-or-later
// Methods about a run's function profile and its samples. Lists keep the store's order, and a page is a range
// of row numbers: a run that has ended does not change.
#include <cstddef>
#include <optional>
#include <utility>

#include "daemon/bus/errors.hpp"
#include "daemon/bus/methods/methods.hpp"
#include "daemon/bus/rows/list_part.hpp"
#include "daemon/bus/rows/wire.hpp"
#include "daemon/bus/rows/wire_functions.hpp"
#include "daemon/bus/rows/wire_samples.hpp"
#include "daemon/core/comparison/sample_work.hpp"

namespace netperfd::bus::methods {
namespace {

// Limit for functions with slices. These rows are long: few more fit into a message, and reading rows that do
// not fit is wasted work.
constexpr std::uint32_t kSlicesPageLimit = 200;

// The rows of the part that `read(offset, limit)` gives and that fit into a message.
template <class Read, class MakeRow>
CountedPage fitting(const Cursor& cursor, std::uint32_t limit, Read read, MakeRow make_row) {
  const std::uint64_t offset = value_or_throw(parse_cursor(cursor));
  const auto part = value_or_throw(read(offset, limit));
  Rows rows =
      fitting_part(part.rows.size(), 0, kMaxRows, [&](std::size_t i) { return make_row(part.rows[i]); });
  std::string next = next_cursor(offset, rows.size(), part.total);
  return {std::move(rows), std::move(next), part.total};
}

}  // namespace

RowAndRows get_function_profile(Call& call, Run run) {
  const core::ProfileSummary summary = value_or_throw(call.ports.queries.profile(run.id));
  WireProfile wire = wire_profile(summary, value_or_throw(call.ports.queries.traffic(run.id)));
  return {std::move(wire.profile), std::move(wire.builds)};
}

CountedPage list_function_profile(Call& call, Run run, Cursor cursor, Limit limit) {
  core::FunctionLists lists;
  lists.histogram = true;
  const auto read = [&](std::uint64_t offset, std::uint32_t rows) {
    return call.ports.queries.functions(run.id, offset, rows, lists);
  };
  const TrafficCount traffic = value_or_throw(call.ports.queries.traffic(run.id));
  return fitting(cursor, page_limit(limit, kMaxRows), read,
                 [&](const FunctionStats& function) { return function_profile_row(function, traffic); });
}

CountedPage list_function_slices(Call& call, Run run, Cursor cursor, Limit limit) {
  core::FunctionLists lists;
  lists.slices = true;
  const auto read = [&](std::uint64_t offset, std::uint32_t rows) {
    return call.ports.queries.functions(run.id, offset, rows, lists);
  };
  return fitting(cursor, page_limit(limit, kSlicesPageLimit), read, function_slices_row);
}

CountedPage list_call_edges(Call& call, Run run, Cursor cursor, Limit limit) {
  const auto read = [&](std::uint64_t offset, std::uint32_t rows) {
    return call.ports.queries.call_edges(run.id, offset, rows);
  };
  return fitting(cursor, page_limit(limit, kMaxRows), read, call_edge_row);
}

CountedPage list_call_tree(Call& call, Run run, Cursor cursor, Limit limit) {
  const auto read = [&](std::uint64_t offset, std::uint32_t rows) {
    return call.ports.queries.call_nodes(run.id, offset, rows);
  };
  return fitting(cursor, page_limit(limit, kMaxRows), read, call_node_row);
}

RowAndRows get_sample_profile(Call& call, Run run) {
  const SampleProfile profile = value_or_throw(call.ports.queries.samples(run.id));
  std::optional<core::SampleWork> work;
  if (profile.skipped.empty()) work = value_or_throw(core::sample_work_of(call.ports.queries, run.id));
  WireSamples wire = wire_samples(profile, work);
  return {std::move(wire.profile), std::move(wire.builds)};
}

CountedPage list_sampled_functions(Call& call, Run run, Cursor cursor, Limit limit) {
  const SampleProfile profile = value_or_throw(call.ports.queries.samples(run.id));
  return list_part(functions_of(profile), cursor, limit,
                   [&](const SampledFunction& each) { return sampled_function_row(each, profile); });
}

CountedPage list_sampled_stacks(Call& call, Run run, Cursor cursor, Limit limit) {
  const SampleProfile profile = value_or_throw(call.ports.queries.samples(run.id));
  return list_part(sampled_stacks(profile), cursor, limit,
                   [&](std::uint32_t node) { return sampled_stack_row(node, profile); });
}

}  // namespace netperfd::bus::methods
