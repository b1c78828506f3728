// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/stack_deltas.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include "daemon/analysis/compare/function_match.hpp"
#include "daemon/analysis/compare/sampled_shift.hpp"

namespace netperfd::analysis {
namespace {

// Where the kernel handles packets whatever task runs: the softirqs of sending and receiving, and the threads
// of NAPI (net/core/dev.c).
constexpr std::array<std::string_view, 4> kOfPackets = {"net_rx_action", "net_tx_action",
                                                        "napi_threaded_poll", "napi_threaded_poll_loop"};

bool is_of_packets(const SampleFrame& frame) {
  return frame.kind == FrameKind::function && frame.module.empty() &&
         std::ranges::find(kOfPackets, base_name(frame.name)) != kOfPackets.end();
}

double width_of(const FrameDelta& frame) {
  return std::max(frame.total_a, frame.total_b);
}

}  // namespace

StackTree::StackTree(StackScope scope) : scope_(scope), nodes_(1) {}

// The samples of each node that are in the scope.
std::vector<std::uint64_t> StackTree::taken(const SampleProfile& profile) const {
  std::vector<std::uint64_t> samples;
  std::vector<bool> is_in;
  for (const SampleNode& node : profile.nodes) {
    const SampleFrame& frame = profile.frames[node.frame];
    const bool in = node.parent ? is_in[*node.parent] : frame.kind != FrameKind::others;
    is_in.push_back(in || scope_ == StackScope::host || is_of_packets(frame));
    samples.push_back(is_in.back() ? node.samples : 0);
  }
  return samples;
}

std::uint32_t StackTree::child(std::uint32_t parent, const SampleFrame& frame) {
  const auto next = static_cast<std::uint32_t>(nodes_.size());
  const std::string_view name = frame.kind == FrameKind::function ? base_name(frame.name) : frame.name;
  const auto [place, is_new] =
      numbers_.try_emplace(Key{parent, frame.kind, std::string{name}, frame.module, frame.duplicate}, next);
  if (is_new) {
    nodes_[parent].children.push_back(next);
    nodes_.push_back({.frame = frame, .depth = nodes_[parent].depth + 1, .children = {}, .of_runs = {}});
  }
  return place->second;
}

void StackTree::add(Side side, const SampleProfile& profile, double weight) {
  const auto run = static_cast<std::uint32_t>(weights_[side].size());
  weights_[side].push_back(weight);
  const std::vector<std::uint64_t> self = taken(profile);
  std::vector<std::uint64_t> total = self;
  std::uint64_t all = 0;
  for (std::size_t i = profile.nodes.size(); i-- > 0;) {
    const auto parent = profile.nodes[i].parent;
    (parent ? total[*parent] : all) += total[i];
  }
  nodes_.front().of_runs[side].push_back({run, 0, all});
  std::vector<std::uint32_t> places(profile.nodes.size());
  for (std::size_t i = 0; i < profile.nodes.size(); ++i) {
    if (total[i] == 0) continue;
    const SampleNode& node = profile.nodes[i];
    places[i] = child(node.parent ? places[*node.parent] : 0, profile.frames[node.frame]);
    nodes_[places[i]].of_runs[side].push_back({run, self[i], total[i]});
    ++paths_;
  }
}

// Fills the figures of one side, and returns the samples of each of its runs.
std::vector<std::uint64_t> StackTree::add_up(const Node& node, Side side, FrameDelta& frame) const {
  const std::vector<double>& weights = weights_[side];
  std::vector<std::uint64_t> counts(weights.size());
  std::uint64_t& samples = side == side_a ? frame.samples_a : frame.samples_b;
  double& self = side == side_a ? frame.self_a : frame.self_b;
  double& total = side == side_a ? frame.total_a : frame.total_b;
  for (const OfRun& run : node.of_runs[side]) {
    const double weight = weights[run.run] / static_cast<double>(weights.size());
    counts[run.run] += run.total;
    samples += run.total;
    self += static_cast<double>(run.self) * weight;
    total += static_cast<double>(run.total) * weight;
  }
  return counts;
}

void StackTree::compare(const RunList& a, const RunList& b, const ComparisonSettings& settings,
                        StackComparison& comparison) const {
  const Grouping grouping(a, b);
  std::uint64_t all = 0;
  for (const auto& of_runs : nodes_.front().of_runs) {
    for (const OfRun& run : of_runs) all += run.total;
  }
  const double least = settings.least_share * static_cast<double>(all);
  std::vector<SampledPlace> places;
  std::vector<std::size_t> tested;        // by place: its frame
  std::vector<std::uint32_t> waiting{0};  // a path may be deeper than a stack of calls
  while (!waiting.empty()) {
    const Node& node = nodes_[waiting.back()];
    waiting.pop_back();
    FrameDelta frame{.depth = node.depth, .frame = node.frame};
    std::vector<std::uint64_t> counts[2];
    for (const Side side : {side_a, side_b}) counts[side] = add_up(node, side, frame);
    if (all > 0 && static_cast<double>(frame.samples_a + frame.samples_b) >= least) {
      tested.push_back(comparison.frames.size());
      places.push_back(sampled_place(grouping, sampled_side(counts[side_a], weights_[side_a]),
                                     sampled_side(counts[side_b], weights_[side_b]), settings.level));
    }
    comparison.frames.push_back(std::move(frame));
    const auto first = static_cast<std::ptrdiff_t>(waiting.size());
    waiting.insert(waiting.end(), node.children.begin(), node.children.end());
    std::ranges::sort(waiting.begin() + first, waiting.end(), std::ranges::greater{},
                      [this](std::uint32_t i) { return name_of(nodes_[i].frame); });
  }

  std::vector<SampledPlace*> pointers;
  for (SampledPlace& place : places) pointers.push_back(&place);
  test_together(pointers, settings.level);
  for (std::size_t i = 0; i < places.size(); ++i) comparison.frames[tested[i]].shift = places[i].shift;
  comparison.tested = static_cast<std::uint32_t>(std::ranges::count_if(
      places, [](const SampledPlace& place) { return place.shift.together.p.has_value(); }));
}

void thin_out(StackComparison& comparison, std::size_t most) {
  std::vector<FrameDelta>& frames = comparison.frames;
  if (frames.size() <= most) return;
  std::vector<double> widths;
  std::ranges::transform(frames, std::back_inserter(widths), width_of);
  std::ranges::nth_element(widths, widths.begin() + static_cast<std::ptrdiff_t>(most),
                           std::ranges::greater{});
  const double widest_out = widths[most];
  comparison.left_out += static_cast<std::uint64_t>(
      std::erase_if(frames, [&](const FrameDelta& frame) { return width_of(frame) <= widest_out; }));
}

}  // namespace netperfd::analysis
