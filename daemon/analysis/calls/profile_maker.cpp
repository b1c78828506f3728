// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/calls/profile_maker.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "daemon/analysis/calls/histogram.hpp"
#include "daemon/model/percentile.hpp"

namespace netperfd::analysis {
namespace {

constexpr std::uint32_t kUnused = ~std::uint32_t{0};

// By node: whether a call ended there or below.
std::vector<bool> nodes_in_use(const CallTree& tree) {
  std::vector<bool> used(tree.nodes().size());
  for (std::size_t index = used.size(); index-- > 0;) {
    const CallTree::Node& node = tree.nodes()[index];
    used[index] = used[index] || node.hits > 0;
    if (used[index] && CallTree::is_node(node.parent)) used[node.parent] = true;
  }
  return used;
}

std::vector<bool> functions_in_use(const FunctionTable& table, const CallTree& tree,
                                   const std::vector<bool>& used_nodes) {
  std::vector<bool> used(table.functions().size());
  for (std::size_t index = 0; index < used.size(); ++index) used[index] = table.functions()[index].hits > 0;
  for (std::size_t index = 0; index < used_nodes.size(); ++index) {
    if (used_nodes[index]) used[tree.nodes()[index].function] = true;
  }
  for (const auto& [ends, edge] : tree.edges()) {
    used[ends >> 32] = true;
    used[ends & kUnused] = true;
  }
  return used;
}

void add_time(std::optional<std::uint64_t>& sum, std::uint64_t more) {
  sum = sum.value_or(0) + more;
}

// Adds the counts of one address to those of other addresses with the same name.
void add(FunctionStats& stats, const FunctionCount& count) {
  if (count.totals.any()) {
    stats.min_ns = std::min(stats.min_ns.value_or(count.min_ns), count.min_ns);
    stats.max_ns = std::max(stats.max_ns.value_or(count.max_ns), count.max_ns);
    merge(stats.histogram, count.totals.histogram());
  }
  stats.hits += count.hits;
  add_time(stats.total_ns, count.total_ns);
  add_time(stats.self_ns, count.self_ns);
  add_time(stats.recorded_ns, count.recorded_ns);
  add_time(stats.interrupted_ns, count.interrupted_ns);
  add_time(stats.off_cpu_ns, count.off_cpu_ns);
  stats.callees += count.callees;
  stats.interruptions += count.interruptions;
  stats.roots += count.roots;
  stats.interrupt_roots += count.interrupt_roots;
  const std::size_t slices = std::max(stats.slice_hits.size(), count.slices.size());
  stats.slice_hits.resize(slices);
  stats.slice_self_ns.resize(slices);
  for (std::size_t slice = 0; slice < count.slices.size(); ++slice) {
    stats.slice_hits[slice] += count.slices[slice].hits;
    stats.slice_self_ns[slice] += count.slices[slice].self_ns;
  }
}

// A bucket's middle may lie beyond the values in it, so it is limited to the minimum and maximum.
void add_percentiles(FunctionStats& stats) {
  if (!stats.min_ns || !stats.max_ns) return;
  const std::uint64_t calls = count(stats.histogram);
  const auto percentile = [&](double fraction) {
    return if_enough(std::clamp(quantile(stats.histogram, fraction), *stats.min_ns, *stats.max_ns), calls,
                     fraction);
  };
  stats.p50_ns = percentile(0.5);
  stats.p90_ns = percentile(0.9);
  stats.p99_ns = percentile(0.99);
  stats.p999_ns = percentile(0.999);
}

void forget_times(FunctionStats& stats) {
  for (auto* time : {&stats.total_ns, &stats.self_ns, &stats.recorded_ns, &stats.interrupted_ns,
                     &stats.off_cpu_ns, &stats.min_ns, &stats.max_ns, &stats.p50_ns, &stats.p90_ns}) {
    time->reset();
  }
  stats.slice_self_ns.clear();
}

// A slice in which no call returned is 0 in both.
void trim_slices(FunctionStats& stats) {
  while (!stats.slice_hits.empty() && stats.slice_hits.back() == 0) {
    stats.slice_hits.pop_back();
    stats.slice_self_ns.pop_back();
  }
}

// A call of a function that was called may have a duration that cannot be, or none.
bool knows_a_time(const FunctionStats& stats) {
  return stats.hits == 0 || !stats.histogram.buckets.empty();
}

bool comes_before(const FunctionStats& a, const FunctionStats& b) {
  return std::tie(b.self_ns, b.total_ns, b.hits, a.name, a.module, a.duplicate) <
         std::tie(a.self_ns, a.total_ns, a.hits, b.name, b.module, b.duplicate);
}

// Fills in the functions, and returns for each function in the table its index among them.
std::vector<std::uint32_t> add_functions(FunctionProfile& profile, const FunctionTable& table,
                                         const std::vector<bool>& used, const FunctionNamer& name) {
  std::map<FunctionName, std::uint32_t> by_name;
  std::vector<std::uint32_t> place(used.size(), kUnused);
  std::vector<FunctionStats> functions;
  for (std::size_t index = 0; index < used.size(); ++index) {
    if (!used[index]) continue;
    const FunctionCount& count = table.functions()[index];
    const bool others = count.address == 0 && table.has_others();
    const FunctionName named = others ? FunctionName{"others", "", 0} : name(count.address);
    const auto [at, made] = by_name.try_emplace(named, static_cast<std::uint32_t>(functions.size()));
    if (made) {
      FunctionStats& stats = functions.emplace_back();
      stats.name = named.name;
      stats.module = named.module;
      stats.duplicate = named.duplicate;
    }
    place[index] = at->second;
    add(functions[at->second], count);
  }
  std::vector<std::uint32_t> order(functions.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&functions](std::uint32_t a, std::uint32_t b) {
    return comes_before(functions[a], functions[b]);
  });
  std::vector<std::uint32_t> rank(order.size());
  for (std::uint32_t at = 0; at < order.size(); ++at) {
    rank[order[at]] = at;
    add_percentiles(functions[order[at]]);
    trim_slices(functions[order[at]]);
    if (!knows_a_time(functions[order[at]])) forget_times(functions[order[at]]);
    profile.functions.push_back(std::move(functions[order[at]]));
  }
  for (std::uint32_t& each : place) {
    if (each != kUnused) each = rank[each];
  }
  return place;
}

void add_edges(FunctionProfile& profile, const CallTree& tree, const std::vector<std::uint32_t>& place) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, CallTree::Edge> edges;
  const auto add = [&](std::uint32_t caller, std::uint32_t callee, const CallTree::Edge& more) {
    CallTree::Edge& edge = edges[{place[caller], place[callee]}];
    edge.hits += more.hits;
    edge.total_ns += more.total_ns;
  };
  for (const CallTree::Node& node : tree.nodes()) {
    if (node.hits == 0 || !CallTree::is_node(node.parent)) continue;
    add(tree.nodes()[node.parent].function, node.function, {node.hits, node.total_ns});
  }
  for (const auto& [ends, edge] : tree.edges()) {
    add(static_cast<std::uint32_t>(ends >> 32), static_cast<std::uint32_t>(ends), edge);
  }
  for (const auto& [ends, edge] : edges) {
    profile.edges.push_back({ends.first, ends.second, edge.hits, edge.total_ns});
  }
  std::ranges::sort(profile.edges, [](const CallEdge& a, const CallEdge& b) {
    return std::tie(b.total_ns, b.hits, a.caller, a.callee) <
           std::tie(a.total_ns, a.hits, b.caller, b.callee);
  });
}

// The tree with functions instead of addresses: siblings with the same function are merged.
class NamedTree {
 public:
  NamedTree(const CallTree& tree, const std::vector<bool>& used, const std::vector<std::uint32_t>& place) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> children;  // of parent and function
    std::vector<std::uint32_t> became(used.size(), kUnused);
    for (std::size_t index = 0; index < used.size(); ++index) {
      if (!used[index]) continue;
      const CallTree::Node& from = tree.nodes()[index];
      const std::uint32_t parent = CallTree::is_node(from.parent) ? became[from.parent] : from.parent;
      const auto [at, made] =
          children.try_emplace({parent, place[from.function]}, static_cast<std::uint32_t>(nodes_.size()));
      became[index] = at->second;
      if (made) {
        nodes_.push_back({{}, place[from.function], parent == CallTree::kInterruptRoots, 0, {}, {}});
        below_.emplace_back();
        (CallTree::is_node(parent) ? below_[parent] : roots_).push_back(at->second);
      }
      CallNode& node = nodes_[at->second];
      node.hits += from.hits;
      if (from.timed == 0 && from.hits > 0) continue;
      add_time(node.total_ns, from.total_ns);
      add_time(node.self_ns, from.self_ns);
    }
  }

  [[nodiscard]] std::vector<CallNode> in_order() {
    std::vector<CallNode> tree;
    tree.reserve(nodes_.size());
    std::vector<std::pair<std::uint32_t, std::optional<std::uint32_t>>>
        ahead;  // entries with their parents in `tree`
    push_sorted(roots_, {}, ahead);
    while (!ahead.empty()) {
      const auto [index, parent] = ahead.back();
      ahead.pop_back();
      tree.push_back(nodes_[index]);
      tree.back().parent = parent;
      push_sorted(below_[index], static_cast<std::uint32_t>(tree.size() - 1), ahead);
    }
    return tree;
  }

 private:
  // Pushes the first sibling last, since the last one pushed is taken first.
  void push_sorted(std::vector<std::uint32_t>& siblings, std::optional<std::uint32_t> parent,
                   std::vector<std::pair<std::uint32_t, std::optional<std::uint32_t>>>& ahead) const {
    std::ranges::sort(siblings, [this](std::uint32_t left, std::uint32_t right) {
      const CallNode& a = nodes_[left];
      const CallNode& b = nodes_[right];
      return std::tie(a.total_ns, a.hits, b.function, b.in_interrupt) <
             std::tie(b.total_ns, b.hits, a.function, a.in_interrupt);
    });
    for (const std::uint32_t sibling : siblings) ahead.emplace_back(sibling, parent);
  }

  std::vector<CallNode> nodes_;
  std::vector<std::vector<std::uint32_t>> below_;  // the children of each
  std::vector<std::uint32_t> roots_;
};

// The function tracer records that a function was called, but not the call's end.
bool is_timed(const FunctionProfile& profile) {
  const auto has_hits = [](const FunctionStats& stats) { return stats.hits > 0; };
  const auto has_times = [](const FunctionStats& stats) { return !stats.histogram.buckets.empty(); };
  return std::ranges::none_of(profile.functions, has_hits) ||
         std::ranges::any_of(profile.functions, has_times);
}

void forget_times(FunctionProfile& profile) {
  for (FunctionStats& stats : profile.functions) forget_times(stats);
  for (CallNode& node : profile.tree) {
    node.total_ns.reset();
    node.self_ns.reset();
  }
}

}  // namespace

FunctionProfile make_profile(const FunctionTable& table, const CallTree& tree, const FunctionNamer& name) {
  FunctionProfile profile;
  const std::vector<bool> used_nodes = nodes_in_use(tree);
  const std::vector<std::uint32_t> place =
      add_functions(profile, table, functions_in_use(table, tree, used_nodes), name);
  add_edges(profile, tree, place);
  profile.tree = NamedTree(tree, used_nodes, place).in_order();
  profile.timed = is_timed(profile);
  if (!profile.timed) forget_times(profile);
  return profile;
}

FunctionProfile make_profile(const CallReturns& returns, const FunctionNamer& name) {
  FunctionProfile profile = make_profile(returns.functions(), CallTree(0), name);
  for (FunctionStats& stats : profile.functions) {
    for (auto* unknown : {&stats.self_ns, &stats.interrupted_ns, &stats.off_cpu_ns}) unknown->reset();
    stats.slice_self_ns.clear();
  }
  return profile;
}

}  // namespace netperfd::analysis
