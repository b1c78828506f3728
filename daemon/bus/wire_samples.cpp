// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/wire_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>

#include "daemon/bus/row_maker.hpp"
#include "daemon/bus/wire_functions.hpp"
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

WireSamples wire_samples(const SampleProfile& profile) {
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
    row.throttled = profile.throttled;
    row.unknown = profile.unknown;
    row.cut = profile.cut;
    row.damaged = profile.damaged;
    row.functions = functions_of(profile).size();
    row.stacks = sampled_stacks(profile).size();
    row.resolution = resolution(kSmallShare, busy_samples(profile));
  }
  WireSamples wire;
  std::size_t room = kRowsBudgetBytes / 2;
  wire.builds = fitting_rows(profile.builds, build_row, room, room);
  if (wire.builds.size() < profile.builds.size()) {
    row.builds_left_out = profile.builds.size() - wire.builds.size();
  }
  wire.profile = to_wire(row).row;
  return wire;
}

WireRow sampled_function_row(const SampledFunction& function, const SampleProfile& profile) {
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

WireRow sampled_stack_row(std::uint32_t node, const SampleProfile& profile) {
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

}  // namespace netperfd::bus
