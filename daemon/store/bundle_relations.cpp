// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/bundle_relations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "daemon/model/named_figure_check.hpp"
#include "daemon/store/rows.hpp"

namespace netperfd::store {
namespace {

struct Relation {
  std::string_view table;
  std::string_view column;
  std::string_view expected;
  std::string_view broken;  // the condition of a row of `t` that breaks it; ?1 is the first run
};

// Subqueries without columns of `t` are made once, so none walks over a table for each row.
constexpr Relation kRelations[] = {
    {"call_edges", "caller", "the position of a function of the run",
     "NOT EXISTS (SELECT 1 FROM functions f WHERE f.run = t.run AND f.position = t.caller)"},
    {"call_edges", "callee", "the position of a function of the run",
     "NOT EXISTS (SELECT 1 FROM functions f WHERE f.run = t.run AND f.position = t.callee)"},
    {"call_nodes", "function", "the position of a function of the run",
     "NOT EXISTS (SELECT 1 FROM functions f WHERE f.run = t.run AND f.position = t.function)"},
    {"call_nodes", "parent", "the position of a row before it", "t.parent >= t.position"},
    {"call_nodes", "depth", "one more than that of its parent, or 0 for a root",
     "t.depth <> ifnull((SELECT p.depth + 1 FROM call_nodes p WHERE p.run = t.run AND p.position = "
     "t.parent), "
     "0)"},
    {"latency_phases", "probe", "the name of a probe of the run",
     "(t.run, t.probe) NOT IN (SELECT run, name FROM latency_probes WHERE run >= ?1)"},
    {"latency_spans", "phase", "a phase that the probe has",
     "(t.run, t.probe, t.phase) NOT IN (SELECT run, probe, phase FROM latency_phases WHERE run >= ?1)"},
    {"latency_intervals", "phase", "a phase that the probe has",
     "(t.run, t.probe, t.phase) NOT IN (SELECT run, probe, phase FROM latency_phases WHERE run >= ?1)"},
};

// What a run has once.
struct Name {
  std::string_view table;
  std::string_view columns;
};
constexpr Name kNames[] = {{"trace_events", "name"},           {"functions", "name, module, duplicate"},
                           {"call_edges", "caller, callee"},   {"latency_probes", "name"},
                           {"latency_phases", "probe, phase"}, {"latency_spans", "probe, phase, span"}};

// The first row that `sql` finds: its run and its position. In a bundle, the rows are in this order.
Status expect_none(Connection& connection, std::string_view table, const std::string& sql, RunId first,
                   std::string_view what) {
  auto select = connection.prepare(sql);
  if (!select) return std::unexpected(select.error());
  auto found = select->bind(first).step();
  if (!found) return std::unexpected(found.error());
  if (!*found) return {};
  std::int64_t run = 0, position = 0;
  if (auto read = select->read(run, position); !read) return read;
  select->rewind();
  const auto row = connection.value<std::int64_t>(
      fmt::format("SELECT count(*) FROM {} WHERE run >= {} AND (run, position) <= ({}, {})", table, first,
                  run, position));
  if (!row) return std::unexpected(row.error());
  return invalid(fmt::format("table {}, row {}: {}", table, *row, what));
}

// Rows without a position say nothing of their number.
Status expect_few_figures(Connection& connection, RunId first) {
  auto select = connection.prepare(
      "SELECT count(*) FROM run_figures WHERE run >= ?1 GROUP BY run ORDER BY count(*) DESC LIMIT 1");
  if (!select) return std::unexpected(select.error());
  std::uint64_t most = 0;
  auto read = for_each_row(select->bind(first), [&most](RowReader& row) { row.read(most); });
  if (!read || most <= kMostNamedFigures) return read;
  return invalid(
      fmt::format("table run_figures: a run has {} figures; at most {} are stored", most, kMostNamedFigures));
}

}  // namespace

Status check_relations(Connection& connection, std::span<const BundleTable> tables, RunId first) {
  const auto is_there = [&](std::string_view table) {
    return std::ranges::find(tables, table, &BundleTable::name) != tables.end();
  };
  Status done;
  for (const Relation& relation : kRelations) {
    if (!done || !is_there(relation.table)) continue;
    done = expect_none(connection, relation.table,
                       fmt::format("SELECT t.run, t.position FROM {} t WHERE t.run >= ?1 AND {} "
                                   "ORDER BY t.run, t.position LIMIT 1",
                                   relation.table, relation.broken),
                       first, fmt::format("column {}: expected is {}", relation.column, relation.expected));
  }
  for (const Name& name : kNames) {
    if (!done || !is_there(name.table)) continue;
    done = expect_none(connection, name.table,
                       fmt::format("SELECT run, max(position) FROM {0} WHERE run >= ?1 GROUP BY run, {1} "
                                   "HAVING count(*) > 1 LIMIT 1",
                                   name.table, name.columns),
                       first, fmt::format("column {}: its run has the same twice", name.columns));
  }
  if (done && is_there("run_figures")) done = expect_few_figures(connection, first);
  return done;
}

}  // namespace netperfd::store
