// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/profile_writer.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "daemon/store/number_list.hpp"
#include "daemon/store/profile_reader.hpp"
#include "daemon/store/rows.hpp"

namespace netperfd::store {
namespace {

Status insert_profile(Connection& connection, RunId run, const FunctionProfile& profile) {
  auto insert = connection.prepare(
      insert_into("function_profiles",
                  fmt::format("run, {}, {}, {}", columns_of<CallDamage>(), columns_of<FunctionProfile>(),
                              columns_of<Calibration>(kCalibrationPrefix))));
  if (!insert) return std::unexpected(insert.error());
  using Calibrated = std::tuple<std::optional<double>, std::optional<double>, std::optional<std::uint64_t>,
                                std::optional<double>, std::optional<double>>;
  const auto& found = profile.calibration;
  return insert
      ->bind(run, members_of(profile.damage), members_of(profile),
             found ? Calibrated{members_of(*found)} : Calibrated{})
      .run();
}

Status insert_functions(Connection& connection, RunId run, const std::vector<FunctionStats>& functions) {
  auto insert = connection.prepare(insert_into(
      "functions",
      fmt::format("run, position, {}, histogram, slice_hits, slice_self_ns", columns_of<FunctionStats>())));
  if (!insert) return std::unexpected(insert.error());
  std::string histogram;
  std::string hits;
  std::string self;
  std::size_t position = 0;
  for (const FunctionStats& function : functions) {
    auto done = write_pairs(function.histogram.buckets, histogram);
    if (done) done = write_numbers(function.slice_hits, hits);
    if (done) done = write_numbers(function.slice_self_ns, self);
    if (done) {
      done = insert->bind(run, position++, members_of(function), histogram, hits, self).run();
    }
    if (!done) {
      return fail(done.error().kind, fmt::format("function {}: {}", function.name, done.error().message));
    }
  }
  return {};
}

std::unexpected<Error> leads_nowhere(std::string_view what, std::size_t position) {
  return fail(ErrorKind::invalid_argument,
              fmt::format("{} {} names a function or a parent that is not there", what, position));
}

Status insert_edges(Connection& connection, RunId run, const FunctionProfile& profile) {
  for (const CallEdge& edge : profile.edges) {
    if (edge.caller >= profile.functions.size() || edge.callee >= profile.functions.size()) {
      return leads_nowhere("edge", static_cast<std::size_t>(&edge - profile.edges.data()));
    }
  }
  return write_all(connection, "call_edges", run, profile.edges);
}

Status insert_tree(Connection& connection, RunId run, const FunctionProfile& profile) {
  auto insert = connection.prepare(
      insert_into("call_nodes", fmt::format("run, position, depth, {}", columns_of<CallNode>())));
  if (!insert) return std::unexpected(insert.error());
  std::vector<std::uint32_t> depths;
  depths.reserve(profile.tree.size());
  for (const CallNode& node : profile.tree) {
    const std::size_t position = depths.size();
    if (node.function >= profile.functions.size() || (node.parent && *node.parent >= position)) {
      return leads_nowhere("node", position);
    }
    depths.push_back(node.parent ? depths[*node.parent] + 1 : 0);
    if (auto done = insert->bind(run, position, depths.back(), members_of(node)).run(); !done) return done;
  }
  return {};
}

}  // namespace

Status write_profile(Connection& connection, RunId run, const FunctionProfile& profile) {
  auto done = insert_profile(connection, run, profile);
  if (done) done = insert_functions(connection, run, profile.functions);
  if (done) done = insert_edges(connection, run, profile);
  if (done) done = insert_tree(connection, run, profile);
  if (done) done = write_all(connection, "builds", run, profile.builds);
  if (!done) return fail(done.error().kind, fmt::format("the function profile: {}", done.error().message));
  return {};
}

}  // namespace netperfd::store
