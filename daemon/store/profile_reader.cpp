// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/profile_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "daemon/store/digests.hpp"
#include "daemon/store/number_list.hpp"
#include "daemon/store/rows.hpp"

namespace netperfd::store {
namespace {

// A list of columns, each prefixed with its table, since columns of a join may share a name.
std::string of_table(std::string_view table, std::string_view columns) {
  std::string named;
  for (const char c : columns) {
    if (named.empty() || named.back() == ' ') named.append(table).push_back('.');
    named.push_back(c);
  }
  return named;
}

auto name_members(core::FunctionName& name) {
  return std::tie(name.name, name.module, name.duplicate);
}
constexpr std::string_view kNameColumns = "name, module, duplicate";

// Readers rely on the indices of calls, so a damaged database must not return one that is out of range.
std::unexpected<Error> damaged_calls() {
  return fail(ErrorKind::io, "its calls are damaged: one names a function or a parent that is not there");
}

// The list would never end: each page would have a row of a position beyond it.
std::unexpected<Error> damaged_positions(std::int64_t found, std::uint64_t expected) {
  return fail(ErrorKind::io,
              fmt::format("its rows are damaged: one has position {}, and expected is {}", found, expected));
}

}  // namespace

// The part of a list to read: `columns` of `table` and of the tables that `joins` adds.
struct ProfileReader::Stretch {
  RunId run;
  std::string_view table;
  std::string columns;
  std::string joins;
  std::uint64_t offset;
  std::uint32_t limit;
  DigestParts parts;
};

Status ProfileReader::expect_profile(RunId run) {
  auto select = connection_.prepare(
      "SELECT p.run IS NOT NULL FROM runs r LEFT JOIN function_profiles p ON p.run = r.id WHERE r.id = ?");
  if (!select) return std::unexpected(select.error());
  auto found = select->bind(run).step();
  if (!found) return std::unexpected(found.error());
  if (!*found) return fail(ErrorKind::not_found, fmt::format("run {}: no such run", run));
  bool has_profile = false;
  if (auto read = select->read(has_profile); !read) return read;
  if (has_profile) return {};
  if (auto intact = expect_intact(connection_, of_run(run), {"function_profiles"}); !intact) return intact;
  return fail(ErrorKind::not_found, fmt::format("run {}: no functions were traced", run));
}

Result<core::ProfileSummary> ProfileReader::profile(RunId run) {
  if (auto known = expect_profile(run); !known) return std::unexpected(known.error());
  core::ProfileSummary summary;
  auto done = read_scalars(run, summary.profile);
  if (done) done = read_sums(run, summary);
  if (!done) {
    return fail(done.error().kind,
                fmt::format("{}: run {}: {}", connection_.path(), run, done.error().message));
  }
  done = expect_intact(connection_, of_run(run), {"function_profiles", "builds", "functions"});
  if (done) done = expect_end(run, "call_edges", summary.edges);
  if (done) done = expect_end(run, "call_nodes", summary.nodes);
  if (!done) return std::unexpected(done.error());
  return summary;
}

Status ProfileReader::read_scalars(RunId run, FunctionProfile& profile) {
  auto select = connection_.prepare(fmt::format("SELECT {}, {}, {} FROM function_profiles WHERE run = ?",
                                                columns_of<CallDamage>(), columns_of<FunctionProfile>(),
                                                columns_of<Calibration>(kCalibrationPrefix)));
  if (!select) return std::unexpected(select.error());
  auto done = for_each_row(select->bind(run), [&](RowReader& row) {
    Calibration found;
    std::optional<std::uint64_t> calls;
    row.read(members_of(profile.damage), members_of(profile), found.entry_ns, found.callee_ns, calls,
             found.entry_error_ns, found.callee_error_ns);
    if (!calls) return;
    found.calls = *calls;
    profile.calibration = found;
  });
  if (!done) return done;
  return read_all(connection_, "builds", "position", run, profile.builds);
}

Status ProfileReader::read_sums(RunId run, core::ProfileSummary& summary) {
  auto select = connection_.prepare(
      "SELECT sum(hits), sum(self_ns), iif(count(*) = count(corrected_self_ns), sum(corrected_self_ns), "
      "NULL) "
      "FROM functions WHERE run = ?");
  if (!select) return std::unexpected(select.error());
  if (auto found = select->bind(run).step(); !found) return std::unexpected(found.error());
  if (auto read = select->read(summary.hits, summary.self_ns, summary.corrected_self_ns); !read) return read;
  for (const auto& [table, rows] :
       {std::pair{"functions", &summary.functions}, std::pair{"call_edges", &summary.edges},
        std::pair{"call_nodes", &summary.nodes}}) {
    auto counted = count(table, run);
    if (!counted) return std::unexpected(counted.error());
    *rows = *counted;
  }
  return {};
}

// Positions have no gaps, so the last position gives the count, by one key look-up; count(*) would visit all
// rows.
Result<std::uint64_t> ProfileReader::count(std::string_view table, RunId run) {
  auto select = connection_.prepare(
      fmt::format("SELECT position FROM {} WHERE run = ? ORDER BY position DESC LIMIT 1", table));
  if (!select) return std::unexpected(select.error());
  auto found = select->bind(run).step();
  if (!found) return std::unexpected(found.error());
  if (!*found) return std::uint64_t{0};
  std::int64_t last = 0;
  if (auto read = select->read(last); !read) return std::unexpected(read.error());
  return last < 0 ? std::uint64_t{0} : static_cast<std::uint64_t>(last) + 1;
}

// That a list has so many rows.
Status ProfileReader::expect_end(RunId run, std::string_view table, std::uint64_t rows) {
  return expect_intact(connection_, of_run(run), {table},
                       {.first = static_cast<std::int64_t>(rows - 1), .last = Positions{}.last});
}

// `read(statement, position, row)`, a Status, fills one row; its columns begin with the position.
template <class Row, class Read>
Result<core::ProfilePart<Row>> ProfileReader::part(const Stretch& stretch, Read read) {
  if (auto known = expect_profile(stretch.run); !known) return std::unexpected(known.error());
  const auto total = count(stretch.table, stretch.run);
  if (!total) return std::unexpected(total.error());
  auto select =
      connection_.prepare(fmt::format("SELECT {0}.position, {1} FROM {0} {2} WHERE {0}.run = ? AND "
                                      "{0}.position >= ? ORDER BY {0}.position LIMIT ?",
                                      stretch.table, stretch.columns, stretch.joins));
  if (!select) return std::unexpected(select.error());
  core::ProfilePart<Row> part;
  part.total = *total;
  Status damage;
  std::uint64_t expected = std::min(stretch.offset, *total);
  select->bind(stretch.run, expected, stretch.limit);
  auto done = for_each_row(*select, [&](RowReader& row) {
    if (!damage) return;
    std::int64_t position = 0;
    damage = read(row, position, part.rows.emplace_back());
    if (damage && std::cmp_not_equal(position, expected)) damage = damaged_positions(position, expected);
    ++expected;
  });
  if (done) done = damage;
  if (!done) {
    return fail(done.error().kind,
                fmt::format("{}: run {}: {}", connection_.path(), stretch.run, done.error().message));
  }
  constexpr std::uint64_t kLast = Positions{}.last;
  const std::uint64_t first = std::min({stretch.offset, *total, kLast});
  const std::uint64_t last = std::min(first + stretch.limit, kLast);
  done = expect_intact(connection_, of_run(stretch.run), stretch.parts,
                       {.first = static_cast<std::int64_t>(first), .last = static_cast<std::int64_t>(last)});
  if (done) done = expect_end(stretch.run, stretch.table, *total);
  if (!done) return std::unexpected(done.error());
  return part;
}

Result<core::ProfilePart<FunctionStats>> ProfileReader::functions(RunId run, std::uint64_t offset,
                                                                  std::uint32_t limit,
                                                                  core::FunctionLists lists) {
  // Lists that were not requested are not even read from the file.
  const auto columns =
      fmt::format("{}, {}, {}", columns_of<FunctionStats>(), lists.histogram ? "histogram" : "'[]'",
                  lists.slices ? "slice_hits, slice_self_ns" : "'[]', '[]'");
  DigestParts parts{"functions"};
  if (lists.histogram || lists.slices) parts.emplace_back("functions.histogram");
  std::string histogram;
  std::string hits;
  std::string self;
  return part<FunctionStats>(
      {run, "functions", columns, "", offset, limit, parts},
      [&](RowReader& row, std::int64_t& position, FunctionStats& function) -> Status {
        row.read(position, members_of(function), histogram, hits, self);
        auto buckets = read_buckets(histogram);
        auto by_hits = read_numbers(hits);
        auto by_self = read_numbers(self);
        if (!buckets || !by_hits || !by_self) {
          return fail(ErrorKind::io, fmt::format("function {}: its lists are damaged", function.name));
        }
        function.histogram.buckets = std::move(*buckets);
        function.slice_hits = std::move(*by_hits);
        function.slice_self_ns = std::move(*by_self);
        return {};
      });
}

// What their names were read of.
Status ProfileReader::expect_functions(RunId run, const std::set<std::uint32_t>& positions) {
  std::int64_t looked_at = 0;  // below this
  for (const std::int64_t position : positions) {
    if (position < looked_at) continue;
    auto intact =
        expect_intact(connection_, of_run(run), {"functions"}, {.first = position, .last = position});
    if (!intact) return intact;
    looked_at = (position / kRowsOfChunk + 1) * kRowsOfChunk;
  }
  return {};
}

Result<core::ProfilePart<core::NamedEdge>> ProfileReader::edges(RunId run, std::uint64_t offset,
                                                                std::uint32_t limit) {
  const auto columns = fmt::format("{}, {}, {}, r.position IS NOT NULL AND e.position IS NOT NULL",
                                   of_table("call_edges", columns_of<CallEdge>()),
                                   of_table("r", kNameColumns), of_table("e", kNameColumns));
  const std::string joins =
      "LEFT JOIN functions r ON r.run = call_edges.run AND r.position = call_edges.caller "
      "LEFT JOIN functions e ON e.run = call_edges.run AND e.position = call_edges.callee";
  std::set<std::uint32_t> named;
  auto edges = part<core::NamedEdge>(
      {run, "call_edges", columns, joins, offset, limit, {"call_edges"}},
      [&named](RowReader& row, std::int64_t& position, core::NamedEdge& edge) -> Status {
        bool known = false;
        row.read(position, members_of(edge.edge), name_members(edge.caller), name_members(edge.callee),
                 known);
        if (!known) return damaged_calls();
        named.insert({edge.edge.caller, edge.edge.callee});
        return {};
      });
  if (!edges) return edges;
  if (auto intact = expect_functions(run, named); !intact) return std::unexpected(intact.error());
  return edges;
}

Result<core::ProfilePart<core::NamedNode>> ProfileReader::nodes(RunId run, std::uint64_t offset,
                                                                std::uint32_t limit) {
  const auto columns = fmt::format(
      "{}, call_nodes.depth, {}, f.position IS NOT NULL AND ifnull(call_nodes.parent BETWEEN 0 AND "
      "call_nodes.position - 1, 1) AND call_nodes.depth BETWEEN 0 AND call_nodes.position",
      of_table("call_nodes", columns_of<CallNode>()), of_table("f", kNameColumns));
  const std::string joins =
      "LEFT JOIN functions f ON f.run = call_nodes.run AND f.position = call_nodes.function";
  std::set<std::uint32_t> named;
  auto nodes = part<core::NamedNode>(
      {run, "call_nodes", columns, joins, offset, limit, {"call_nodes"}},
      [&named](RowReader& row, std::int64_t& position, core::NamedNode& node) -> Status {
        bool known = false;
        row.read(position, members_of(node.node), node.depth, name_members(node.function), known);
        if (!known) return damaged_calls();
        named.insert(node.node.function);
        return {};
      });
  if (!nodes) return nodes;
  if (auto intact = expect_functions(run, named); !intact) return std::unexpected(intact.error());
  return nodes;
}

}  // namespace netperfd::store
