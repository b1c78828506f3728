// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/trace_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "dbus/rows/plain_number.hpp"

namespace netperfd::trace {
namespace {

// Whether nobody knows how many records the CPU lost: the kernel's statistics may have their number.
bool is_uncounted(const TraceCpu& cpu, const std::set<std::uint32_t>& uncounted) {
  return cpu.lost_events > cpu.overrun && uncounted.contains(cpu.cpu);
}

std::string losses(const TraceRecord& record, const std::set<std::uint32_t>& uncounted) {
  std::vector<std::string> parts;
  for (const TraceCpu& cpu : record.cpus) {
    const std::uint64_t lost = lost_of(cpu);
    if (lost == 0) continue;
    if (is_uncounted(cpu, uncounted)) {
      parts.push_back(fmt::format("at least {} on cpu {}", lost, cpu.cpu));
      continue;
    }
    const auto all = static_cast<double>(cpu.records + lost);
    parts.push_back(fmt::format("{} of {} on cpu {} ({} %)", lost, cpu.records + lost, cpu.cpu,
                                rows::plain_percent(100 * static_cast<double>(lost) / all, 2)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

void add_loss_flags(const TraceRecord& record, const std::set<std::uint32_t>& uncounted,
                    std::vector<QualityFlag>& flags) {
  if (const auto lost = losses(record, uncounted); !lost.empty()) {
    flags.push_back({"events-lost", fmt::format("records lost: {}; counts are of what was read", lost)});
  }
  std::vector<std::uint32_t> unknown;
  for (const TraceCpu& cpu : record.cpus) {
    if (is_uncounted(cpu, uncounted)) unknown.push_back(cpu.cpu);
  }
  if (unknown.empty()) return;
  flags.push_back(
      {"losses-uncounted",
       fmt::format("how many records were lost on cpu {} is not known: the trace only says where, "
                   "and each place counts as one",
                   fmt::join(unknown, ", "))});
}

// Nodes of the tree whose calls are shorter than those that they made.
std::uint64_t too_short(const FunctionProfile& profile) {
  std::vector<std::uint64_t> within(profile.tree.size());
  for (const CallNode& node : profile.tree) {
    if (node.parent) within[*node.parent] += node.total_ns.value_or(0);
  }
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < within.size(); ++i) {
    const CallNode& node = profile.tree[i];
    // A text cuts its durations off after seven digits.
    if (node.total_ns && node.hits > 0 && within[i] > *node.total_ns + *node.total_ns / 1'000'000 + node.hits)
      ++found;
  }
  return found;
}

// What is wrong with the times of calls. A corrected time below 0 is no contradiction, and counts as clipped,
// too: with a calibration, only the tree tells.
void add_time_flags(const FunctionProfile& profile, std::vector<QualityFlag>& flags) {
  const std::uint64_t contradicting = profile.calibration ? too_short(profile) : profile.damage.clipped;
  if (contradicting > 0) {
    flags.push_back(
        {"times-contradict",
         fmt::format("{} call(s) took less time than what happened within them: calls that they made, "
                     "interrupts and sleep; their self times were taken for 0",
                     contradicting)});
  }
  const bool timed_calls = std::ranges::any_of(
      profile.functions, [](const FunctionStats& function) { return !function.histogram.buckets.empty(); });
  std::uint64_t untimed = 0, without_self = 0;
  std::string name;
  for (const FunctionStats& function : profile.functions) {
    std::uint64_t timed = 0;
    for (const auto& [bucket, calls] : function.histogram.buckets) timed += calls;
    if (function.total_ns && !function.self_ns) without_self += function.hits;
    if (!timed_calls || timed >= function.hits) continue;
    if (untimed == 0) name = function.name;
    untimed += function.hits - timed;
  }
  if (untimed > 0) {
    flags.push_back({"call-times-unknown",
                     fmt::format("the time of {} call(s) is unknown, such as of {}: the recorded duration is "
                                 "missing or cannot be (the return before the call, or 100 days later)",
                                 untimed, name)});
  }
  if (without_self > 0) {
    flags.push_back(
        {"only-returns",
         fmt::format("the trace has {} ends of calls and no beginning, as with tracing_thresh: calls "
                     "shorter than its threshold are not in it; callers and self times are unknown, "
                     "and the times hold interrupts and sleep",
                     without_self)});
  }
}

void add_call_flags(const FunctionProfile& profile, std::vector<QualityFlag>& flags) {
  const CallDamage& damage = profile.damage;
  std::uint64_t calls = 0;
  for (const FunctionStats& function : profile.functions) calls += function.hits;
  const std::uint64_t unmatched = damage.unmatched_exits + damage.unmatched_entries + damage.over_losses;
  constexpr std::uint64_t kOneIn = 1'000;
  if (unmatched * kOneIn > calls) {
    flags.push_back(
        {"calls-unmatched",
         fmt::format("{} exits without an entry, {} entries without an exit, {} calls over losses, "
                     "beside {} whole calls",
                     damage.unmatched_exits, damage.unmatched_entries, damage.over_losses, calls)});
  }
  if (damage.depth_overruns > 0) {
    flags.push_back({"depth-overrun", fmt::format("{} calls were nested too deep for the kernel to follow",
                                                  damage.depth_overruns)});
  }
  if (damage.out_of_order > 0) {
    flags.push_back({"events-out-of-order",
                     fmt::format("{} records came after later ones of their task", damage.out_of_order)});
  }
  add_time_flags(profile, flags);
  if (!profile.calibration) return;
  // No call takes less time than the tracer adds to it.
  constexpr std::uint64_t kEnough = 1'000;
  constexpr double kTolerance = 0.75;
  for (const FunctionStats& function : profile.functions) {
    if (!function.p50_ns) continue;
    const auto shortest = static_cast<double>(*function.p50_ns);
    if (function.hits < kEnough || shortest >= kTolerance * profile.calibration->entry_ns) continue;
    flags.push_back(
        {"calibration-disagrees",
         fmt::format("half of the calls of {} took less than {} ns, the tracer's own cost was measured as "
                     "{:.0f} ns",
                     function.name, *function.p50_ns, profile.calibration->entry_ns)});
    return;
  }
}

}  // namespace

std::vector<QualityFlag> trace_flags(const TraceRecord& record, const std::vector<std::string>& neighbours,
                                     const Status& restored, const std::set<std::uint32_t>& uncounted) {
  std::vector<QualityFlag> flags;
  if (!record.broken.empty()) flags.push_back({"trace-broken", record.broken});
  add_loss_flags(record, uncounted, flags);
  std::uint64_t damaged = 0;
  for (const TraceCpu& cpu : record.cpus) damaged += cpu.damaged;
  if (damaged > 0) {
    flags.push_back(
        {"trace-damaged", fmt::format("{} sub-buffers could not be decoded to their end", damaged)});
  }
  if (record.profile) add_call_flags(*record.profile, flags);
  if (!neighbours.empty()) {
    flags.push_back(
        {"other-tracer", fmt::format("other instances of tracefs were in use when the run began: {}",
                                     fmt::join(neighbours, "; "))});
  }
  if (!restored) flags.push_back({"tracefs-not-restored", restored.error().message});
  return flags;
}

}  // namespace netperfd::trace
