// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/trace_quality.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dbus/rows/plain_number.hpp"

namespace netperfd::analysis {
namespace {

// Share of all calls. Some functions never return, and every trace has a few entries without an exit.
constexpr double kManyUnmatched = 0.001;
constexpr double kManyClipped = 0.01;
// Of the records. Larger losses are unlikely to have hit all functions alike.
constexpr double kMostLost = 0.01;

struct SideQuality {
  std::uint64_t calls = 0, lost = 0, unmatched = 0, overruns = 0, clipped = 0;
  std::vector<std::string> broken;
  std::set<std::string> missing;
  std::string left_out;
  std::set<std::uint32_t> filters;  // numbers of functions in them
  bool uncounted = false;           // a trace only says where it lost records, and not how many
  std::size_t not_calibrated = 0;
  std::size_t with_sleep = 0;
  std::set<std::optional<std::uint32_t>> depths;
};

SideQuality quality_of(const RunList& runs) {
  SideQuality side;
  for (const ComparedRun* run : runs) {
    const ComparedTrace& trace = *run->trace;
    side.calls += trace.calls;
    side.lost += trace.lost;
    side.uncounted = side.uncounted || std::ranges::any_of(run->flags, [](const std::string& code) {
                       return code == "losses-uncounted";
                     });
    side.unmatched += trace.unmatched_calls;
    side.overruns += trace.depth_overruns;
    side.clipped += trace.clipped;
    if (!trace.broken.empty()) side.broken.push_back(fmt::format("run {}: {}", run->id, trace.broken));
    side.missing.insert(trace.missing_functions.begin(), trace.missing_functions.end());
    side.filters.insert(trace.traced_functions);
    if (!trace.left_out.empty()) side.left_out = trace.left_out;
    if (!trace.cost) ++side.not_calibrated;
    if (!trace.off_cpu_known) ++side.with_sleep;
    side.depths.insert(trace.depth);
  }
  return side;
}

double share(std::uint64_t part, std::uint64_t rest) {
  if (part == 0) return 0;
  return static_cast<double>(part) / (static_cast<double>(part) + static_cast<double>(rest));
}

std::string as_percent(double of_one) {
  return rows::plain_percent(100 * of_one, 2) + " %";
}

// Absent if it is not known. A call is two records.
std::optional<double> lost_share(const SideQuality& side) {
  if (side.lost > 0 && side.uncounted) return std::nullopt;
  return share(side.lost, 2 * side.calls);
}

std::string refusal_of_side(const SideQuality& side, std::string_view name) {
  if (!side.broken.empty())
    return fmt::format("A trace of {} is doubtful: {}.", name, listed(side.broken, 1));
  const std::optional<double> lost = lost_share(side);
  if (!lost) return fmt::format("The traces of {} lost records, and how many is not known.", name);
  if (*lost > kMostLost) {
    return fmt::format("The traces of {} lost {} % of their records.", name,
                       rows::plain_percent(100 * *lost, 2));
  }
  return {};
}

void note_side(const SideQuality& side, std::string_view name, Caveats& caveats) {
  const std::optional<double> lost = lost_share(side);
  if (!lost) {
    caveats.add(
        Gravity::weakens,
        fmt::format("The traces of {} lost at least {} records; how many is not known.", name, side.lost));
  } else if (side.lost > 0) {
    caveats.add(Gravity::weakens,
                fmt::format("The traces of {} lost {} records ({}).", name, side.lost, as_percent(*lost)));
  }
  if (const double unmatched = share(side.unmatched, side.calls); unmatched > kManyUnmatched) {
    caveats.add(Gravity::weakens, fmt::format("In the traces of {} {} of the calls have no entry or no exit.",
                                              name, as_percent(unmatched)));
  }
  if (side.overruns > 0) {
    caveats.add(
        Gravity::weakens,
        fmt::format("Calls too deep for the kernel to follow, whose time is in their callers: {1} in the "
                    "traces of {0}.",
                    name, side.overruns));
  }
  if (const double clipped = share(side.clipped, side.calls); clipped > kManyClipped) {
    caveats.add(Gravity::weakens,
                fmt::format("In the traces of {} {} of the times came out negative and were taken for 0.",
                            name, as_percent(clipped)));
  }
  if (!side.missing.empty()) {
    caveats.add(Gravity::weakens,
                fmt::format("Asked for but not traceable on side {}, so that their time is in "
                            "their callers: {}.",
                            name, listed(side.missing)));
  }
}

std::string depth_words(const SideQuality& side) {
  std::set<std::string> words;
  for (const auto& depth : side.depths) {
    words.insert(depth ? fmt::format("{} deep", *depth) : "of any depth");
  }
  return listed(words);
}

// Notes time in the self times of a side that is not its functions' own work.
void note_foreign_time(const SideQuality& a, const SideQuality& b, std::size_t traces, Caveats& caveats) {
  if (const std::size_t asleep = a.with_sleep + b.with_sleep; asleep > 0) {
    const char* side = b.with_sleep == 0 ? "; all are of A" : a.with_sleep == 0 ? "; all are of B" : "";
    caveats.add(Gravity::weakens,
                fmt::format("In {} of {} traces it is not known when tasks slept: sleep is in their self "
                            "times{}.",
                            asleep, traces, side));
  }
  if (a.depths != b.depths && !a.depths.empty() && !b.depths.empty()) {
    caveats.add(Gravity::weakens,
                fmt::format("A traces calls {} and B {}: deeper ones have no self time of their own, but are "
                            "in that of their callers.",
                            depth_words(a), depth_words(b)));
  }
}

}  // namespace

std::string refusal_of_traces(const RunList& a, const RunList& b) {
  const SideQuality side_a = quality_of(a), side_b = quality_of(b);
  std::string refusal = refusal_of_side(side_a, "A");
  return refusal.empty() ? refusal_of_side(side_b, "B") : refusal;
}

void note_traces(const RunList& a, const RunList& b, Caveats& caveats) {
  const SideQuality side_a = quality_of(a), side_b = quality_of(b);
  note_side(side_a, "A", caveats);
  note_side(side_b, "B", caveats);
  if (!side_a.left_out.empty() && side_a.left_out == side_b.left_out) {
    caveats.add(Gravity::told, side_a.left_out);
  }
  if (side_a.filters != side_b.filters && !side_a.filters.empty() && !side_b.filters.empty()) {
    caveats.add(
        Gravity::weakens,
        fmt::format("A traces {} functions and B {}: the tracer's cost of one that only one side traces "
                    "counts on that side alone.",
                    *side_a.filters.rbegin(), *side_b.filters.rbegin()));
  }
  note_foreign_time(side_a, side_b, a.size() + b.size(), caveats);
  if (const std::size_t raw = side_a.not_calibrated + side_b.not_calibrated; raw > 0) {
    caveats.add(
        Gravity::weakens,
        fmt::format("Not calibrated: {} of {} traces. All self times are raw, with the tracer's own cost in "
                    "them.",
                    raw, a.size() + b.size()));
  }
}

}  // namespace netperfd::analysis
