// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/sample_profile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <tuple>

namespace netperfd {
namespace {

constexpr double kZ = 1.959964;      // of the standard normal distribution: 95 %, both sides
constexpr double kPower = 0.841621;  // 80 %

// Whole names. Other functions that switch interrupts on do so by inlined code, which is theirs too.
constexpr std::array<std::string_view, 19> kSwitchOn{"__do_softirq",
                                                     "__local_bh_enable_ip",
                                                     "__napi_schedule",
                                                     "do_softirq",
                                                     "do_syscall_64",
                                                     "el0_svc",
                                                     "enqueue_to_backlog",
                                                     "finish_task_switch",
                                                     "handle_softirqs",
                                                     "irqentry_exit",
                                                     "irqentry_exit_to_user_mode",
                                                     "napi_complete_done",
                                                     "net_rx_action",
                                                     "netif_rx_internal",
                                                     "process_backlog",
                                                     "run_ksoftirqd",
                                                     "schedule_idle",
                                                     "smpboot_thread_fn",
                                                     "syscall_exit_to_user_mode"};

// "finish_task_switch.isra.0" is the compiler's copy of finish_task_switch.
std::string_view base_name(std::string_view function) {
  return function.substr(0, function.find('.'));
}

bool is_root(FrameKind kind) {
  return kind == FrameKind::program || kind == FrameKind::others;
}

// Of each node, the samples taken at or below it.
std::vector<std::uint64_t> totals_of(const SampleProfile& profile) {
  std::vector<std::uint64_t> totals(profile.nodes.size());
  for (std::size_t i = profile.nodes.size(); i-- > 0;) {
    totals[i] += profile.nodes[i].samples;
    if (const auto parent = profile.nodes[i].parent) totals[*parent] += totals[i];
  }
  return totals;
}

// Whether the path above node `i` has its frame already.
bool is_inner(const SampleProfile& profile, std::size_t i) {
  const std::uint32_t frame = profile.nodes[i].frame;
  for (auto above = profile.nodes[i].parent; above; above = profile.nodes[*above].parent) {
    if (profile.nodes[*above].frame == frame) return true;
  }
  return false;
}

}  // namespace

bool switches_interrupts_on(std::string_view function) {
  const std::string_view base = base_name(function);
  if (std::ranges::find(kSwitchOn, base) != kSwitchOn.end()) return true;
  return base.ends_with("_unlock_irqrestore") || base.ends_with("_unlock_irq") ||
         base.ends_with("local_irq_enable") || base.ends_with("local_irq_restore");
}

std::string name_of(const SampleFrame& frame) {
  switch (frame.kind) {
    case FrameKind::function:
    case FrameKind::program:
      return frame.name;
    case FrameKind::others:
      return "others";
    case FrameKind::user:
      return "[user]";
    case FrameKind::guest:
      return "[guest]";
    case FrameKind::unknown:
      return "[unknown]";
    case FrameKind::more:
      return "[more]";
  }
  return {};
}

std::vector<SampledFunction> functions_of(const SampleProfile& profile) {
  std::vector<SampledFunction> found(profile.frames.size());
  const std::vector<std::uint64_t> totals = totals_of(profile);
  std::vector<bool> of_workload(profile.nodes.size());
  for (std::size_t i = 0; i < profile.nodes.size(); ++i) {
    const SampleNode& node = profile.nodes[i];
    of_workload[i] =
        node.parent ? of_workload[*node.parent] : profile.frames[node.frame].kind == FrameKind::program;
    SampledFunction& function = found[node.frame];
    function.self += node.samples;
    if (of_workload[i]) function.workload += node.samples;
    if (!is_inner(profile, i)) function.total += totals[i];
  }
  for (std::size_t i = 0; i < found.size(); ++i) found[i].frame = static_cast<std::uint32_t>(i);
  std::erase_if(found, [&](const SampledFunction& each) { return is_root(profile.frames[each.frame].kind); });
  std::ranges::sort(found, [&](const SampledFunction& left, const SampledFunction& right) {
    const SampleFrame& a = profile.frames[left.frame];
    const SampleFrame& b = profile.frames[right.frame];
    return std::tie(right.self, right.total, a.name, a.module, a.duplicate, a.kind) <
           std::tie(left.self, left.total, b.name, b.module, b.duplicate, b.kind);
  });
  return found;
}

std::uint64_t busy_samples(const SampleProfile& profile) {
  return profile.samples - std::min(profile.idle, profile.samples);
}

std::optional<std::uint64_t> due_samples(const SampleProfile& profile) {
  if (profile.event != "cpu-clock" || !profile.skipped.empty()) return std::nullopt;
  constexpr double kNsPerSecond = 1e9, kMost = 1e18;
  const double ticks = static_cast<double>(profile.duration_ns) / kNsPerSecond *
                       static_cast<double>(profile.rate) * static_cast<double>(profile.cpus);
  // A CPU can have one more than the whole ones.
  return std::max(static_cast<std::uint64_t>(std::min(ticks, kMost)), profile.samples + profile.lost);
}

SampleShare share_of(std::uint64_t count, std::uint64_t all) {
  if (all == 0) return {};
  const auto n = static_cast<double>(all);
  const double share = static_cast<double>(std::min(count, all)) / n;
  const double squared = kZ * kZ / n;
  const double middle = (share + squared / 2) / (1 + squared);
  const double half = kZ / (1 + squared) * std::sqrt(share * (1 - share) / n + squared / (4 * n));
  return {.share = share, .low = std::max(middle - half, 0.0), .high = std::min(middle + half, 1.0)};
}

double resolution(double share, std::uint64_t all) {
  if (all == 0) return 1;
  return std::min((kZ + kPower) * std::sqrt(2 * share * (1 - share) / static_cast<double>(all)), 1.0);
}

}  // namespace netperfd
