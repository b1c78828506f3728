// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/run/host_faults.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "daemon/model/noise.hpp"

namespace netperfd::core {
namespace {

using std::chrono::microseconds;

constexpr std::size_t kMostShown = 6;

// 0 if it may come from the reading of the clocks.
microseconds significant(microseconds difference) {
  return std::chrono::abs(difference) < kLeastClockDifference ? microseconds{0} : difference;
}

microseconds passed(const HostChanges& changes) {
  return changes.after.boot - changes.before.boot;
}

double seconds_of(microseconds time) {
  return std::chrono::duration<double>(time).count();
}

std::string suspension(const HostChanges& changes) {
  const microseconds slept = asleep(changes);
  const auto& [before, after] = std::tie(changes.before.suspends, changes.after.suspends);
  const std::uint64_t times = before && after && *after > *before ? *after - *before : 0;
  if (times == 0 && slept == microseconds{0}) return "";
  std::string text = "the host was suspended";
  if (times > 1) text += fmt::format(" {} times", times);
  if (slept > microseconds{0}) {
    text += fmt::format(" for {:.2f} s", seconds_of(slept));
  } else {
    text += ", and its clocks do not tell for how long";
  }
  return text;
}

std::string cpu_changes(const HostChanges& changes) {
  if (!changes.cpus.empty()) {
    const std::size_t shown = std::min(changes.cpus.size(), kMostShown);
    const auto end = changes.cpus.begin() + static_cast<std::ptrdiff_t>(shown);
    std::string text = fmt::format("{}", fmt::join(changes.cpus.begin(), end, ", "));
    if (shown < changes.cpus.size())
      text += fmt::format(", and {} more changes", changes.cpus.size() - shown);
    return text;
  }
  const std::string &before = changes.before.cpus, &after = changes.after.cpus;
  if (before == after || before.empty() || after.empty()) return "";
  return fmt::format("the CPUs {} were online at the start and {} at the end", before, after);
}

}  // namespace

microseconds set_by(const HostChanges& changes) {
  return significant((changes.after.wall - changes.before.wall) - passed(changes));
}

microseconds asleep(const HostChanges& changes) {
  return significant(passed(changes) - (changes.after.awake - changes.before.awake));
}

std::vector<QualityFlag> host_flags(const HostChanges& changes) {
  std::vector<QualityFlag> flags;
  const auto flag = [&](std::string_view code, std::string message) {
    if (!message.empty()) flags.push_back({std::string{code}, std::move(message)});
  };
  flag(noise::kSuspended, suspension(changes));
  flag(noise::kCpusChanged, cpu_changes(changes));
  if (const microseconds step = set_by(changes); step != microseconds{0}) {
    flag(noise::kClockSet,
         fmt::format("the wall clock was set {} by {:.2f} s: the end of the run is its start "
                     "and the {:.2f} s that passed",
                     step < microseconds{0} ? "back" : "forward", std::abs(seconds_of(step)),
                     seconds_of(passed(changes))));
  }
  return flags;
}

void add_host_faults(const HostChanges& changes, RunRecord& record) {
  std::ranges::move(host_flags(changes), std::back_inserter(record.flags));
  if (record.started && set_by(changes) != microseconds{0}) record.ended = *record.started + passed(changes);
}

}  // namespace netperfd::core
