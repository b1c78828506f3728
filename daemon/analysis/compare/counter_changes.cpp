// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/counter_changes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "daemon/analysis/compare/many_tests.hpp"
#include "daemon/analysis/compare/shift_estimate.hpp"
#include "daemon/analysis/compare/work.hpp"
#include "daemon/model/noise.hpp"

namespace netperfd::analysis {
namespace {

constexpr double kGigabyte = 1e9;
constexpr double kLeastQ = 0.05;
constexpr std::size_t kMostUntested = 10;
constexpr std::string_view kRetransmits = "TcpRetransSegs";

using CounterKey = std::pair<std::string, std::string>;  // source, name

struct CounterRow {
  CounterChange change;
  RunValues a, b;
};

// Devices in two namespaces may share a name without being the same device.
CounterKey key_of(const CounterDelta& delta) {
  if (delta.source != "nic" || delta.netns.empty()) return {delta.source, delta.name};
  const std::size_t end = std::min(delta.name.find(' '), delta.name.size());
  return {delta.source, delta.name.substr(0, end) + "@" + delta.netns + delta.name.substr(end)};
}

class RunCounters {
 public:
  explicit RunCounters(const ComparedRun& run) {
    const bool is_of_bytes = !run.work || run.work->unit == WorkUnit::byte;
    work_ = work_of(run).value_or(0) / (is_of_bytes ? kGigabyte : 1);
    for (const CounterDelta& delta : run.counters) {
      if (delta.source == noise::kSource) continue;  // side_noise.hpp compares the noise
      deltas_[key_of(delta)] += delta.delta;
      units_[key_of(delta)] = delta.unit;
      sources_.insert(delta.source);
    }
  }

  [[nodiscard]] const std::map<CounterKey, std::string>& units() const { return units_; }
  [[nodiscard]] bool has(const CounterKey& key) const { return deltas_.contains(key); }
  // A source leaves out counters that did not move. If the source itself is missing, it was not read.
  [[nodiscard]] std::optional<double> per_work(const CounterKey& key) const {
    if (work_ <= 0 || !sources_.contains(key.first)) return std::nullopt;
    const auto delta = deltas_.find(key);
    return delta == deltas_.end() ? 0 : static_cast<double>(delta->second) / work_;
  }

 private:
  double work_ = 0;  // gigabytes, packets or transactions
  std::map<CounterKey, std::uint64_t> deltas_;
  std::map<CounterKey, std::string> units_;
  std::set<std::string> sources_;
};

std::vector<RunCounters> counters_of(const RunList& runs) {
  std::vector<RunCounters> counters;
  for (const ComparedRun* run : runs) counters.emplace_back(*run);
  return counters;
}

RunValues values(const std::vector<RunCounters>& runs, const CounterKey& key) {
  RunValues values;
  for (const RunCounters& run : runs) values.push_back(run.per_work(key));
  return values;
}

bool is_retransmits(const CounterKey& key) {
  return key.second == kRetransmits;
}

bool is_constant(const RunValues& a, const RunValues& b) {
  std::set<double> met;
  for (const RunValues* side : {&a, &b}) {
    for (const auto& value : *side) {
      if (value) met.insert(*value);
    }
  }
  return met.size() < 2;
}

bool selected(const std::vector<RunCounters>& a, const std::vector<RunCounters>& b, const CounterKey& key) {
  const auto has = [&key](const RunCounters& run) { return run.has(key); };
  const auto having = std::ranges::count_if(a, has) + std::ranges::count_if(b, has);
  return 2 * static_cast<std::size_t>(having) >= a.size() + b.size();
}

double proportion(const ShiftEstimate& change) {
  const double whole = std::abs(change.centre_a) + std::abs(change.centre_b);
  return whole > 0 ? std::abs(change.shift.value_or(0)) / whole : 0;
}

void discover(std::vector<CounterChange>& changes, double looks) {
  std::vector<double> p;
  for (const CounterChange& change : changes) p.push_back(*change.per_work.p);
  const std::vector<double> q = benjamini_hochberg(p);
  for (std::size_t i = 0; i < changes.size(); ++i) changes[i].per_work.q = std::min(1.0, q[i] * looks);
  std::erase_if(changes, [](const CounterChange& change) {
    return *change.per_work.q >= kLeastQ && change.name != kRetransmits;
  });
  std::ranges::stable_sort(changes, {}, [](const CounterChange& change) {
    const ShiftEstimate& moved = change.per_work;
    return std::tuple(*moved.q >= kLeastQ, *moved.p, -proportion(moved));
  });
}

void keep_farthest(std::vector<CounterChange>& changes) {
  std::ranges::stable_sort(changes, std::greater<>{},
                           [](const CounterChange& change) { return proportion(change.per_work); });
  std::size_t kept = 0;
  std::erase_if(changes, [&kept](const CounterChange& change) {
    const bool keep = proportion(change.per_work) > 0 && kept < kMostUntested;
    if (keep) ++kept;
    return !keep && change.name != kRetransmits;
  });
  for (CounterChange& change : changes) change.per_work.p.reset();
}

}  // namespace

CounterChanges counter_changes(const Grouping& grouping, double level, double looks) {
  const auto runs_a = counters_of(grouping.a()), runs_b = counters_of(grouping.b());
  std::map<CounterKey, std::string> keys;
  for (const auto* side : {&runs_a, &runs_b}) {
    for (const RunCounters& run : *side) keys.insert(run.units().begin(), run.units().end());
  }
  std::vector<CounterChange> changes;
  bool testable = false;
  for (const auto& [key, unit] : keys) {
    if (!is_retransmits(key) && !selected(runs_a, runs_b, key)) continue;
    const RunValues a = values(runs_a, key), b = values(runs_b, key);
    if (!is_retransmits(key) && is_constant(a, b)) continue;
    CounterChange change{.source = key.first,
                         .name = key.second,
                         .per_work = estimate_shift(grouping, a, b, level),
                         .unit = unit};
    if (!change.per_work.shift) continue;
    testable = testable || change.per_work.low.has_value();
    changes.push_back(std::move(change));
  }
  const auto tested = testable ? static_cast<std::uint32_t>(changes.size()) : 0;
  if (testable) {
    discover(changes, looks);
  } else {
    keep_farthest(changes);
  }
  return {std::move(changes), tested};
}

}  // namespace netperfd::analysis
