// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/rows/wire_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>

#include "daemon/analysis/compare/stack_deltas.hpp"
#include "daemon/bus/rows/row_maker.hpp"
#include "daemon/bus/rows/wire_functions.hpp"
#include "dbus/rows/samples.hpp"

namespace netperfd::bus {
namespace {

constexpr double kNanosecond = 1e-9;
constexpr double kSmallShare = 0.01;

std::optional<double> share_of_busy(std::uint64_t count, const SampleProfile& profile) {
  if (busy_samples(profile) == 0) return {};
  return share_of(count, busy_samples(profile)).share;
}

std::string frame_words(const SampleFrame& frame) {
  return frame.module.empty() ? name_of(frame) : fmt::format("{} [{}]", name_of(frame), frame.module);
}

}  // namespace

WireSamples wire_samples(const SampleProfile& profile, const std::optional<core::SampleWork>& work) {
  rows::SampleProfile row;
  row.rate = profile.rate;
  row.skipped = if_any(profile.skipped);
  if (profile.skipped.empty()) {
    row.event = if_any(profile.event);
    row.sees_interrupts_off = profile.sees_interrupts_off;
    row.cpus = profile.cpus;
    row.duration_s = static_cast<double>(profile.duration_ns) * kNanosecond;
    row.samples = profile.samples;
    row.idle = profile.idle;
    row.busy = busy_samples(profile);
    row.lost = profile.lost;
    row.due = due_samples(profile);
    if (row.due) row.missed = *row.due - profile.samples - profile.lost;
    row.throttled = profile.throttled;
    row.unknown = profile.unknown;
    row.cut = profile.cut;
    row.damaged = profile.damaged;
    row.functions = functions_of(profile).size();
    row.stacks = sampled_stacks(profile).size();
    row.resolution = resolution(kSmallShare, busy_samples(profile));
    if (work) {
      row.ns_per_sample = work->ns_per_sample;
      row.work = to_string(work->unit);
      row.work_amount = work->amount;
    }
  }
  WireSamples wire;
  std::size_t room = kRowsBudgetBytes / 2;
  wire.builds = fitting_rows(profile.builds, build_row, room, room);
  if (wire.builds.size() < profile.builds.size()) {
    row.builds_left_out = profile.builds.size() - wire.builds.size();
  }
  wire.profile = to_wire(row);
  return wire;
}

Row sampled_function_row(const SampledFunction& function, const SampleProfile& profile) {
  const SampleFrame& frame = profile.frames[function.frame];
  rows::SampledFunction row;
  row.name = name_of(frame);
  row.module = if_any(frame.module);
  if (frame.duplicate > 0) row.duplicate = frame.duplicate;
  row.self = function.self;
  row.total = function.total;
  row.workload = function.workload;
  if (const std::uint64_t busy = busy_samples(profile); busy > 0) {
    const SampleShare self = share_of(function.self, busy);
    row.self_share = self.share;
    row.self_share_low = self.low;
    row.self_share_high = self.high;
  }
  row.total_share = share_of_busy(function.total, profile);
  if (!profile.sees_interrupts_off && frame.kind == FrameKind::function &&
      switches_interrupts_on(frame.name)) {
    row.after_interrupts_off = true;
  }
  return to_wire(row);
}

std::vector<std::uint32_t> sampled_stacks(const SampleProfile& profile) {
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t i = 0; i < profile.nodes.size(); ++i) {
    if (profile.nodes[i].samples > 0) nodes.push_back(i);
  }
  std::ranges::stable_sort(nodes, std::greater{}, [&](std::uint32_t i) { return profile.nodes[i].samples; });
  return nodes;
}

Row sampled_stack_row(std::uint32_t node, const SampleProfile& profile) {
  rows::SampledStack row;
  row.samples = profile.nodes[node].samples;
  row.share = share_of_busy(profile.nodes[node].samples, profile);
  std::vector<std::string> frames;
  while (profile.nodes[node].parent) {
    frames.push_back(frame_words(profile.frames[profile.nodes[node].frame]));
    node = *profile.nodes[node].parent;
  }
  const SampleFrame& root = profile.frames[profile.nodes[node].frame];
  if (root.kind == FrameKind::program) row.program = root.name;
  row.frames = std::move(frames);
  return to_wire(row);
}

namespace {

Row compared_frame_row(const FrameDelta& frame) {
  rows::ComparedFrame row;
  row.depth = frame.depth;
  row.name = frame.depth == 0 ? "all" : name_of(frame.frame);
  row.module = if_any(frame.frame.module);
  row.self_a = frame.self_a;
  row.self_b = frame.self_b;
  row.total_a = frame.total_a;
  row.total_b = frame.total_b;
  row.samples_a = frame.samples_a;
  row.samples_b = frame.samples_b;
  if (!frame.shift) return to_wire(row);
  const ShiftEstimate& cost = frame.shift->cost;
  row.cost_a = cost.centre_a;
  row.cost_b = cost.centre_b;
  row.shift = cost.shift;
  row.low = frame.shift->low();
  row.high = frame.shift->high();
  if (frame.shift->low()) row.level = frame.shift->level();
  row.p_adjusted = frame.shift->together.p;
  return to_wire(row);
}

}  // namespace

WireStackComparison wire_stacks(StackComparison comparison) {
  constexpr std::size_t kMostFrames = 1'500;
  rows::ComparedSamples head;
  head.runs_a = {comparison.a.begin(), comparison.a.end()};
  head.runs_b = {comparison.b.begin(), comparison.b.end()};
  head.not_sampled_a = {comparison.not_sampled_a.begin(), comparison.not_sampled_a.end()};
  head.not_sampled_b = {comparison.not_sampled_b.begin(), comparison.not_sampled_b.end()};
  head.unit = to_string(comparison.unit);
  head.tested = comparison.tested;
  head.left_out = comparison.left_out;
  const std::size_t room = kRowsBudgetBytes - to_wire(head).bytes();
  WireStackComparison wire;
  for (std::size_t most = kMostFrames;; most /= 2) {
    analysis::thin_out(comparison, most);
    std::size_t left = room;
    wire.frames = fitting_rows(comparison.frames, compared_frame_row, room, left);
    if (wire.frames.size() == comparison.frames.size()) break;
  }
  head.left_out = comparison.left_out;
  wire.comparison = to_wire(head);
  return wire;
}

}  // namespace netperfd::bus
