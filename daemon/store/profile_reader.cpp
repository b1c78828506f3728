#include "daemon/store/profile_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "daemon/store/number_list.hpp"
#include "daemon/store/profile_columns.hpp"
#include "daemon/store/rows.hpp"

namespace netperfd::store {
namespace {

// Readers take what they find in them for indices, so a damaged database must not give one that leads
// nowhere.
bool leads_somewhere(const FunctionProfile& profile) {
  const std::size_t functions = profile.functions.size();
  const bool edges_fit = std::ranges::all_of(profile.edges, [&](const CallEdge& edge) {
    return edge.caller < functions && edge.callee < functions;
  });
  std::size_t position = 0;
  return edges_fit && std::ranges::all_of(profile.tree, [&](const CallNode& node) {
           const std::size_t own = position++;
           return node.function < functions && (!node.parent || *node.parent < own);
         });
}

}  // namespace

Status ProfileReader::expect_profile(RunId run) {
  auto select = connection_.prepare(
      "SELECT p.run IS NOT NULL FROM runs r LEFT JOIN function_profiles p ON p.run = r.id WHERE r.id = ?");
  if (!select) return std::unexpected(select.error());
  auto found = select->bind(run).step();
  if (!found) return std::unexpected(found.error());
  if (!*found) return fail(ErrorKind::not_found, fmt::format("run {}: no such run", run));
  bool profiled = false;
  select->read(profiled);
  if (profiled) return {};
  return fail(ErrorKind::not_found, fmt::format("run {}: no functions were traced", run));
}

Result<FunctionProfile> ProfileReader::profile(RunId run, const core::ProfileParts& parts) {
  if (auto known = expect_profile(run); !known) return std::unexpected(known.error());
  FunctionProfile profile;
  auto done = read_scalars(run, profile);
  if (done) done = read_functions(run, parts, profile);
  if (done) done = read_calls(run, parts, profile);
  if (!done) {
    return fail(done.error().kind,
                fmt::format("{}: run {}: {}", connection_.path(), run, done.error().message));
  }
  return profile;
}

Status ProfileReader::read_scalars(RunId run, FunctionProfile& profile) {
  auto select = connection_.prepare(fmt::format("SELECT {}, {} FROM function_profiles WHERE run = ?",
                                                kProfileColumns, kCalibrationColumns));
  if (!select) return std::unexpected(select.error());
  auto done = for_each_row(select->bind(run), [&](const Statement& row) {
    Calibration found;
    std::optional<std::uint64_t> calls;
    row.read(profile_members(profile), found.entry_ns, found.callee_ns, calls);
    if (!calls) return;
    found.calls = *calls;
    profile.calibration = found;
  });
  if (!done) return done;
  return read_all(connection_, "builds", kBuildColumns, "position", run, profile.builds,
                  [](Build& build) { return build_members(build); });
}

Status ProfileReader::read_functions(RunId run, const core::ProfileParts& parts, FunctionProfile& profile) {
  // Lists that nobody asked for are not even read from the file.
  auto select = connection_.prepare(fmt::format(
      "SELECT {}, {}, {} FROM functions WHERE run = ? ORDER BY position", kFunctionColumns,
      parts.histograms ? "histogram" : "'[]'", parts.slices ? "slice_hits, slice_self_ns" : "'[]', '[]'"));
  if (!select) return std::unexpected(select.error());
  std::string histogram;
  std::string hits;
  std::string self;
  Status damage;
  auto done = for_each_row(select->bind(run), [&](const Statement& row) {
    auto& function = profile.functions.emplace_back();
    row.read(function_members(function), histogram, hits, self);
    auto buckets = read_pairs(histogram);
    auto by_hits = read_numbers(hits);
    auto by_self = read_numbers(self);
    if (!buckets || !by_hits || !by_self) {
      damage = fail(ErrorKind::io, fmt::format("function {}: its lists are damaged", function.name));
      return;
    }
    function.histogram.buckets = std::move(*buckets);
    function.slice_hits = std::move(*by_hits);
    function.slice_self_ns = std::move(*by_self);
  });
  if (!done) return done;
  return damage;
}

Status ProfileReader::read_calls(RunId run, const core::ProfileParts& parts, FunctionProfile& profile) {
  Status done;
  if (parts.edges) {
    done = read_all(connection_, "call_edges", kEdgeColumns, "position", run, profile.edges,
                    [](CallEdge& edge) { return edge_members(edge); });
  }
  if (done && parts.tree) {
    done = read_all(connection_, "call_nodes", kNodeColumns, "position", run, profile.tree,
                    [](CallNode& node) { return node_members(node); });
  }
  if (!done) return done;
  if (leads_somewhere(profile)) return {};
  return fail(ErrorKind::io, "its calls are damaged: one names a function or a parent that is not there");
}

}  // namespace netperfd::store
