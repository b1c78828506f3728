// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/trace_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>

namespace netperfd::trace {
namespace {

std::string losses(const TraceRecord& record) {
  std::vector<std::string> parts;
  for (const TraceCpu& cpu : record.cpus) {
    const std::uint64_t lost = lost_of(cpu);
    if (lost == 0) continue;
    const auto all = static_cast<double>(cpu.records + lost);
    parts.push_back(fmt::format("{} of {} on cpu {} ({:.2g} %)", lost, cpu.records + lost, cpu.cpu,
                                100.0 * static_cast<double>(lost) / all));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
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
                                     const Status& restored) {
  std::vector<QualityFlag> flags;
  if (!record.broken.empty()) flags.push_back({"trace-broken", record.broken});
  if (const auto lost = losses(record); !lost.empty()) {
    flags.push_back({"events-lost", fmt::format("records lost: {}; counts are of what was read", lost)});
  }
  std::uint64_t damaged = 0;
  for (const TraceCpu& cpu : record.cpus) damaged += cpu.damaged;
  if (damaged > 0) {
    flags.push_back(
        {"trace-damaged", fmt::format("{} sub-buffers could not be decoded to their end", damaged)});
  }
  if (record.profile) add_call_flags(*record.profile, flags);
  if (!neighbours.empty()) {
    flags.push_back({"other-tracer", fmt::format("at the same time: {}", fmt::join(neighbours, "; "))});
  }
  if (!restored) flags.push_back({"tracefs-not-restored", restored.error().message});
  return flags;
}

}  // namespace netperfd::trace
