// SPDX-License-Identifier: GPL-2.0-or-later
// The call tree and the callers of each function.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "client/pages/function_tables.hpp"
#include "client/pages/function_text.hpp"
#include "client/terminal/table.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl::show {
namespace {

using Count = std::optional<std::uint64_t>;

Count root_time(const std::vector<CallNodeView>& tree) {
  std::uint64_t sum = 0;
  for (const CallNodeView& node : tree) {
    if (node.depth > 0) continue;
    if (!node.total_ns) return {};
    sum += *node.total_ns;
  }
  return sum;
}

// The nodes that took at least the share `least` of the time, and whose callers all did.
std::vector<CallNodeView> paths_above(const std::vector<CallNodeView>& tree, const Count& all, double least) {
  std::vector<CallNodeView> paths;
  constexpr auto kAny = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t deepest = kAny;  // below it are the callees of a node that was left out
  for (const CallNodeView& node : tree) {
    if (node.depth > deepest) continue;
    const bool is_left_out = ratio(node.total_ns, all).value_or(1) < least;
    deepest = is_left_out ? node.depth : kAny;
    if (!is_left_out) paths.push_back(node);
  }
  return paths;
}

// One that called `callee`, or what did where that was not traced.
struct Caller {
  std::string callee, caller;
  Count hits, total_ns, all_hits;  // all_hits: of the callee
};

using Key = std::tuple<std::string, std::string, std::uint32_t>;

Key key_of(const std::string& function, const std::optional<std::string>& module,
           const std::optional<std::uint32_t>& duplicate) {
  return {function, module.value_or(""), duplicate.value_or(0)};
}

using EdgesByCallee = std::multimap<Key, const CallEdgeView*>;

EdgesByCallee by_callee(const std::vector<CallEdgeView>& edges) {
  EdgesByCallee sorted;
  for (const CallEdgeView& edge : edges)
    sorted.emplace(key_of(edge.callee, edge.callee_module, edge.callee_duplicate), &edge);
  return sorted;
}

std::vector<Caller> callers_of(const FunctionStatsView& function, const EdgesByCallee& edges,
                               const FunctionNames& name) {
  const std::string callee = name(function.function, function.module, function.duplicate);
  std::vector<Caller> callers;
  const auto [first, last] =
      edges.equal_range(key_of(function.function, function.module, function.duplicate));
  for (const auto& [key, edge] : std::ranges::subrange{first, last}) {
    callers.push_back({callee, name(edge->caller, edge->caller_module, edge->caller_duplicate), edge->hits,
                       edge->total_ns, function.hits});
  }
  const std::uint64_t interrupts = function.interrupt_roots.value_or(0);
  const std::uint64_t roots = function.roots.value_or(0);
  if (roots > interrupts)
    callers.push_back({callee, "(nothing traced)", roots - interrupts, {}, function.hits});
  if (interrupts > 0) callers.push_back({callee, "(interrupt)", interrupts, {}, function.hits});
  std::ranges::stable_sort(callers, std::greater{}, &Caller::hits);
  return callers;
}

Cells caller_row(const Caller& caller, bool first) {
  return {{first ? caller.callee : ""},
          {caller.caller},
          {or_dash(caller.hits, format_count)},
          {or_dash(ratio(caller.hits, caller.all_hits), format_share)},
          {or_dash(ratio(caller.total_ns, caller.hits), format_figure)},
          {or_dash(caller.total_ns, format_as_milliseconds)}};
}

}  // namespace

std::string call_tree(const Screen& screen, const ProfileDetails& details) {
  constexpr std::size_t kMost = 200;
  const Count all = root_time(details.tree);
  std::vector<CallNodeView> paths = details.tree;
  double least = 0;
  if (screen.width) {
    constexpr double kNextToNothing = 0.001;
    for (least = kNextToNothing; least < 1; least *= 2) {
      paths = paths_above(details.tree, all, least);
      if (paths.size() <= kMost) break;
    }
  }
  const std::size_t rest = screen.width ? paths.size() - std::min(kMost, paths.size()) : 0;
  paths.resize(paths.size() - rest);
  const FunctionNames name{screen, details, std::max<std::size_t>(screen.width.value_or(0) / 3, 16)};
  std::vector<Cells> rows;
  std::vector<std::optional<double>> shares;
  for (const CallNodeView& node : paths) {
    std::string words(2 * std::size_t{node.depth}, ' ');
    words += name(node.function, node.module, node.duplicate);
    if (node.in_interrupt.value_or(false)) words += " (interrupt)";
    shares.push_back(ratio(node.total_ns, all));
    rows.push_back({{words},
                    {or_dash(node.hits, format_count)},
                    {or_dash(node.total_ns, format_as_milliseconds)},
                    {or_dash(node.self_ns, format_as_milliseconds)},
                    {or_dash(shares.back(), format_share)}});
  }
  if (rows.empty()) return "No call tree is known.\n";
  std::string text = render_table_with_bars(
      screen,
      {{.title = "CALLED, BELOW ITS CALLER", .shrink_to = 18},
       {.title = "CALLS", .right = true},
       {.title = "TOTAL ms", .right = true, .optional = true},
       {.title = has_corrected(details) ? "RAW SELF ms" : "SELF ms", .right = true, .optional = true},
       {.title = "SHARE", .right = true, .optional = true}},
      std::move(rows), shares);
  if (rest > 0) {
    text += fmt::format("...{} more: -o json has all\n", plural(details.tree.size() - paths.size(), "path"));
  } else if (paths.size() < details.tree.size()) {
    text += fmt::format("...{} below {} each: -o json has all\n",
                        plural(details.tree.size() - paths.size(), "path"), format_percent(least * 100));
  }
  if (has_corrected(details)) text += "Times of the tree have the tracer's own cost in them.\n";
  return text;
}

std::string callers_table(const Screen& screen, const ProfileDetails& details) {
  constexpr std::size_t kMost = 200;
  const FunctionNames name{screen, details, std::max<std::size_t>(screen.width.value_or(0) / 3, 16)};
  const EdgesByCallee edges = by_callee(details.edges);
  std::vector<Cells> rows;
  for (const std::size_t place : by_shown_self_time(details)) {
    const std::vector<Caller> callers = callers_of(details.functions[place], edges, name);
    for (std::size_t i = 0; i < callers.size(); ++i) rows.push_back(caller_row(callers[i], i == 0));
  }
  if (rows.empty()) return "No callers are known.\n";
  const std::size_t more = screen.width ? rows.size() - std::min(kMost, rows.size()) : 0;
  rows.resize(rows.size() - more);
  std::string text = render_table(screen,
                                  {{.title = "FUNCTION", .shrink_to = 16},
                                   {.title = "CALLED BY", .shrink_to = 16},
                                   {.title = "CALLS", .right = true},
                                   {.title = "SHARE", .right = true},
                                   {.title = "TOTAL ns/CALL", .right = true, .optional = true, .leaves = 1},
                                   {.title = "TOTAL ms", .right = true, .optional = true, .leaves = 2}},
                                  std::move(rows));
  if (more > 0) text += fmt::format("...{} more: -o csv has all\n", format_count(more));
  return text;
}

}  // namespace netperfctl::show
