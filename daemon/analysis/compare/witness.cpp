// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/witness.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "daemon/analysis/compare/function_match.hpp"
#include "daemon/analysis/compare/quantiles.hpp"
#include "daemon/analysis/compare/sampled_shift.hpp"
#include "daemon/analysis/compare/shift_estimate.hpp"
#include "daemon/analysis/compare/work.hpp"
#include "daemon/model/sample_profile.hpp"
#include "dbus/rows/found.hpp"

namespace netperfd::analysis {
namespace {

constexpr double kTolerated = 0.1;  // of the larger shift
constexpr double kMatters = 0.1;    // of the change in CPU time

double ns_per_work(const ComparedRun& run) {
  return run.samples->ns_per_sample / *work_of(run);
}

RunList sampled_runs(const RunList& runs) {
  RunList sampled;
  std::ranges::copy_if(runs, std::back_inserter(sampled),
                       [](const ComparedRun* run) { return run->samples && work_of(*run); });
  return sampled;
}

FunctionLists sampled_lists(const RunList& runs) {
  FunctionLists lists;
  for (const ComparedRun* run : runs) {
    auto& list = lists.emplace_back();
    for (const SampledCost& function : run->samples->functions) list.push_back(function_key(function));
  }
  return lists;
}

std::vector<double> weights_of(const RunList& runs) {
  std::vector<double> weights;
  for (const ComparedRun* run : runs) weights.push_back(ns_per_work(*run));
  return weights;
}

SampledSide sampled_values(const RunList& runs, const std::vector<std::optional<std::size_t>>& places) {
  std::vector<std::uint64_t> counts;
  for (std::size_t i = 0; i < runs.size(); ++i)
    counts.push_back(places[i] ? runs[i]->samples->functions[*places[i]].samples : 0);
  return sampled_side(counts, weights_of(runs));
}

// The traced function below which most samples of an untraced one are, over the runs.
std::string below_of(const RunList& runs, const std::vector<std::optional<std::size_t>>& places) {
  std::map<std::string, std::uint64_t> samples;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!places[i]) continue;
    const SampledCost& function = runs[i]->samples->functions[*places[i]];
    samples[function.below] += function.samples;
  }
  const auto most = std::ranges::max_element(samples, {}, [](const auto& each) { return each.second; });
  return most == samples.end() ? std::string{} : most->first;
}

struct SampledRow {
  MatchedFunction function;
  SampledPlace place;
};

std::uint64_t busy_of(const RunList& runs) {
  std::uint64_t busy = 0;
  for (const ComparedRun* run : runs) busy += run->samples->busy;
  return busy;
}

double busy_share(std::uint64_t samples, std::uint64_t of) {
  return of == 0 ? 0 : static_cast<double>(samples) / static_cast<double>(of);
}

bool is_significant(const std::optional<double>& p_adjusted) {
  return p_adjusted && *p_adjusted <= rows::kFoundAtMost;
}

class SampledSides {
 public:
  SampledSides(const RunList& a, const RunList& b, double level)
      : a_(a),
        b_(b),
        grouping_(a, b),
        level_(level),
        // Each run has a number of samples of each function, so all functions have equally many values.
        spreads_(detectable_spreads(grouping_.samples(zeros(a), zeros(b)), level)) {}

  [[nodiscard]] SampledRow row(const MatchedFunction& function) const {
    SampledRow row{.function = function,
                   .place = sampled_place(grouping_, sampled_values(a_, function.in_a),
                                          sampled_values(b_, function.in_b), level_)};
    note_detectable(row.place, spreads_, level_);
    row.place.shift.share_a = busy_share(row.place.a.count, busy_of(a_));
    row.place.shift.share_b = busy_share(row.place.b.count, busy_of(b_));
    row.place.shift.after_interrupts_off = !sees_interrupts_off() && switches_interrupts_on(function.name);
    return row;
  }

 private:
  static RunValues zeros(const RunList& runs) { return RunValues(runs.size(), std::optional<double>{0}); }

  [[nodiscard]] bool sees_interrupts_off() const {
    return a_.front()->samples->sees_interrupts_off && b_.front()->samples->sees_interrupts_off;
  }

  const RunList& a_;
  const RunList& b_;
  Grouping grouping_;
  double level_;
  std::optional<double> spreads_;  // detectable_spreads()
};

FunctionDelta delta_of(const SampledRow& row, const RunList& a, const RunList& b) {
  FunctionDelta delta;
  delta.name = row.function.name;
  delta.name_b = row.function.name_b;
  delta.module = row.function.module;
  delta.duplicate = row.function.duplicate;
  delta.match = row.function.match;
  delta.sampled = row.place.shift;
  delta.traced = false;
  delta.below = row.place.b.count > 0 ? below_of(b, row.function.in_b) : below_of(a, row.function.in_a);
  return delta;
}

// The least that both shifts differ by, with half-widths larger by `factor`; 0 if they can be of one.
double least_difference(const ShiftEstimate& traced, const ShiftEstimate& sampled, double factor) {
  const double difference = *sampled.shift - *traced.shift;
  const double below = factor * std::hypot(*sampled.shift - *sampled.low, *traced.high - *traced.shift);
  const double above = factor * std::hypot(*sampled.high - *sampled.shift, *traced.shift - *traced.low);
  return std::max({0.0, difference - below, -difference - above});
}

Witness compared(const FunctionDelta& function, double factor) {
  const ShiftEstimate &traced = function.cost, &sampled = function.sampled->cost;
  const double margin = kTolerated * std::max(std::abs(*traced.shift), std::abs(*sampled.shift));
  if (least_difference(traced, sampled, factor) > margin) return Witness::disagrees;
  if (function.sampled->is_unseen) return Witness::unseen;
  return is_significant(function.cost_together.p) && is_significant(function.sampled->together.p)
             ? Witness::agrees
             : Witness::compatible;
}

// A function that matters little can be shown by the time of its calls alone.
bool is_judged(const FunctionDelta& function) {
  const bool by_trace = function.shown_by || is_significant(function.cost_together.p);
  return function.traced && function.sampled && function.cost.low && function.sampled->cost.low &&
         (by_trace || is_significant(function.sampled->together.p));
}

// Whether what both at least differ by is much of the change in CPU time, or that is not known.
bool matters(const Attribution& attribution, const FunctionDelta& function, double factor) {
  const auto& total = attribution.whole_ns_per_byte;
  if (!total || !total->shift) return true;
  return least_difference(function.cost, function.sampled->cost, factor) > kMatters * std::abs(*total->shift);
}

std::optional<Witness> judge_all(Attribution& attribution, double level, Caveats& caveats) {
  const auto judgeable = std::ranges::count_if(attribution.functions, is_judged);
  if (judgeable == 0) return std::nullopt;
  const double factor = normal_quantile(1 - (1 - level) / (2 * static_cast<double>(judgeable))) /
                        normal_quantile((1 + level) / 2);
  std::optional<Witness> all;
  std::vector<std::string> little;
  for (FunctionDelta& function : attribution.functions) {
    if (!is_judged(function)) continue;
    const Witness witness = compared(function, factor);
    function.sampled->witness = witness;
    const bool disagrees = witness == Witness::disagrees;
    function.sampled->matters = disagrees && matters(attribution, function, factor);
    if (disagrees && !function.sampled->matters) {
      little.push_back(function.name);
    } else if (!all || disagrees) {
      all = witness;
    }
  }
  if (!little.empty()) {
    caveats.add(Gravity::told, fmt::format("Samples and trace disagree on {}, by little of the change in CPU "
                                           "time.",
                                           listed(little)));
  }
  return all;
}

void note_not_sampled(const RunList& plain, const RunList& sampled, std::string_view side, Caveats& caveats) {
  if (sampled.empty() || sampled.size() == plain.size()) return;
  caveats.add(Gravity::told, fmt::format("Without samples: {} of {} plain runs of {}.",
                                         plain.size() - sampled.size(), plain.size(), side));
}

void note_starts(const RunList& a, const RunList& b, Caveats& caveats) {
  std::size_t with_start = 0;
  for (const RunList* side : {&a, &b})
    with_start += static_cast<std::size_t>(
        std::ranges::count_if(*side, [](const ComparedRun* run) { return run->samples->with_start; }));
  if (with_start == 0 || with_start == a.size() + b.size()) return;
  caveats.add(Gravity::weakens,
              fmt::format("The samples of {} of {} runs include what iperf3 does before its test begins, as "
                          "an older netperfd or iperf3 leaves it: functions that fill its buffers may only "
                          "seem to differ.",
                          with_start, a.size() + b.size()));
}

}  // namespace

void add_witness(const RunList& plain_a, const RunList& plain_b, const ComparisonSettings& settings,
                 Attribution& attribution, Caveats& caveats) {
  const RunList a = sampled_runs(plain_a), b = sampled_runs(plain_b);
  if (a.empty() || b.empty()) return;
  note_not_sampled(plain_a, a, "A", caveats);
  note_not_sampled(plain_b, b, "B", caveats);
  note_starts(a, b, caveats);
  SampleEvidence& evidence = attribution.samples.emplace();
  evidence.runs_a = static_cast<std::uint32_t>(a.size());
  evidence.runs_b = static_cast<std::uint32_t>(b.size());
  evidence.samples_a = busy_of(a);
  evidence.samples_b = busy_of(b);

  const SampledSides sides(a, b, settings.level);
  const double least = settings.least_share * static_cast<double>(evidence.samples_a + evidence.samples_b);
  std::map<FunctionKey, FunctionDelta*> traced;
  for (FunctionDelta& function : attribution.functions) traced.emplace(function_key(function), &function);
  // No sample in any run says something, too.
  const MatchedFunction unseen{.name = {},
                               .name_b = {},
                               .module = {},
                               .in_a = std::vector<std::optional<std::size_t>>(a.size()),
                               .in_b = std::vector<std::optional<std::size_t>>(b.size())};
  for (FunctionDelta& function : attribution.functions) {
    function.sampled = sides.row(unseen).place.shift;
    function.sampled->is_unseen = true;
  }
  const FunctionLists lists_a = sampled_lists(a), lists_b = sampled_lists(b);
  std::vector<SampledRow> tested;
  for (const MatchedFunction& function : match_functions(lists_a, lists_b).functions) {
    SampledRow row = sides.row(function);
    const bool is_frequent = static_cast<double>(row.place.a.count + row.place.b.count) >= least;
    if (const auto found = traced.find(function_key(function)); found != traced.end()) {
      found->second->sampled = row.place.shift;
    }
    if (is_frequent) tested.push_back(std::move(row));
  }
  std::vector<SampledPlace*> places;
  std::ranges::transform(tested, std::back_inserter(places), [](SampledRow& row) { return &row.place; });
  test_together(places, settings.level, sharers_of(settings.level, settings.looked));
  std::vector<FunctionDelta> others;
  for (const SampledRow& row : tested) {
    if (const auto found = traced.find(function_key(row.function)); found != traced.end()) {
      found->second->sampled = row.place.shift;
    } else {
      others.push_back(delta_of(row, a, b));
    }
  }
  evidence.witness = judge_all(attribution, settings.level, caveats);
  std::ranges::move(others, std::back_inserter(attribution.functions));
}

std::string disagreement(const Attribution& attribution, WorkUnit work) {
  for (const FunctionDelta& function : attribution.functions) {
    if (!function.sampled || !function.sampled->matters) continue;
    return fmt::format(
        "The samples of the plain runs disagree with the trace on {}: {} ns a {} by samples, {} in the "
        "traced runs.",
        function.name, in_words(function.sampled->cost), to_string(work), in_words(function.cost));
  }
  return {};
}

}  // namespace netperfd::analysis
