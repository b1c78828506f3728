// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/rows/wire_comparison.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "daemon/bus/rows/put_shift.hpp"
#include "daemon/bus/rows/row_maker.hpp"
#include "daemon/bus/rows/wire_text.hpp"
#include "dbus/rows/comparison.hpp"
#include "dbus/rows/plan.hpp"

namespace netperfd::bus {
namespace {

// Compare's first row holds lists of texts, each with its limit; the other rows get the remaining bytes.
// Facts can refuse a verdict and counters explain one, so functions must not crowd them out.
constexpr std::size_t kLeftOutBytes = 256;  // three numbers of rows left out
static_assert(7 * kListBytes + kLongTextBytes < kRowsBudgetBytes / 2);
constexpr std::size_t kListsShare = 4;  // of the room: a quarter at most

std::vector<std::uint64_t> numbers_of(const std::vector<RunId>& runs) {
  return {runs.begin(), runs.end()};
}

void put_owners(const core::ComparedSide& side, std::optional<std::vector<std::uint32_t>>& owners,
                std::optional<std::vector<std::uint32_t>>& runs) {
  if (side.owners.empty()) return;
  owners.emplace();
  runs.emplace();
  for (const auto& [owner, count] : side.owners) {
    owners->push_back(owner);
    runs->push_back(count);
  }
}

rows::SelfTest self_test_of(Verdict verdict, const RatioEstimate& effect) {
  rows::SelfTest row;
  row.verdict = to_string(verdict);
  row.samples = std::min(effect.n_a, effect.n_b);
  row.ratio = effect.ratio;
  row.low = effect.low;
  row.high = effect.high;
  if (effect.low || effect.high) row.level = effect.level;
  row.detectable = effect.detectable;
  return row;
}

rows::CpuTime cpu_time_of(const ShiftEstimate& cost, bool of_counted_part) {
  rows::CpuTime row;
  row.a = cost.centre_a;
  row.b = cost.centre_b;
  row.shift = cost.shift;
  row.low = cost.low;
  row.high = cost.high;
  if (cost.low || cost.high) row.level = cost.level;
  row.p = cost.p;
  row.part = of_counted_part ? "counted" : "whole";
  return row;
}

rows::Shift shift_of(const ShiftEstimate& estimate) {
  return {.shift = estimate.shift, .low = estimate.low, .high = estimate.high};
}

void put_attribution(rows::Comparison& row, const Attribution& attribution) {
  if (attribution.ns_per_byte) row.cpu = cpu_time_of(*attribution.ns_per_byte, attribution.of_counted_part);
  row.explained = {
      .value = attribution.explained, .low = attribution.explained_low, .high = attribution.explained_high};
  if (attribution.account) {
    const TracedAccount& account = *attribution.account;
    row.traced = shift_of(account.time);
    row.functions = shift_of(account.functions);
    row.tracer = shift_of(account.tracer);
    row.residual = {.value = account.rest.shift, .low = account.rest.low, .high = account.rest.high};
  }
  row.traced_to_plain = attribution.traced_to_plain;
  if (attribution.samples) {
    const SampleEvidence& samples = *attribution.samples;
    if (samples.witness) row.witness = to_string(*samples.witness);
    row.sampled_runs_a = samples.runs_a;
    row.sampled_runs_b = samples.runs_b;
    row.busy_samples_a = samples.samples_a;
    row.busy_samples_b = samples.samples_b;
  }
  row.tracer_share_a = attribution.tracer_share_a;
  row.tracer_share_b = attribution.tracer_share_b;
  if (!attribution.functions.empty()) {
    row.tested = attribution.tested;
    row.few_calls = attribution.few_calls;
  }
  row.not_attributed = if_any(attribution.not_attributed);
}

std::vector<rows::ComparedFigure> figures_of(const core::ComparedSelections& compared,
                                             const std::vector<FigureResult>& results) {
  std::vector<rows::ComparedFigure> figures;
  for (const FigureResult& figure : results) {
    rows::ComparedFigure& row = figures.emplace_back();
    row.figure = figure.name;
    row.unit = figure.unit;
    row.better = to_string(figure.better);
    if (!figure.source.empty()) row.source = figure.source;
    row.verdict = to_string(figure.verdict);
    if (figure.leaning) row.leaning = to_string(*figure.leaning);
    row.threshold = figure.threshold;
    row.pairing = to_string(figure.pairing);
    row.boot_spread = figure.luck_spread;
    row.resolution = figure.resolution;
    if (!figure.reason.empty()) row.reason = figure.reason;
    row.effect = effect_of(figure.effect);
    row.reach = reach_of(figure.effect);
    row.p_adjusted = figure.p_adjusted;
    if (figure.fewest > 0) row.fewest = figure.fewest;
    if (!compared.self_test) continue;
    const auto& tested = compared.self_test->figures;
    const auto found = std::ranges::find(tested, figure.name, &FigureResult::name);
    if (found != tested.end()) row.selftest = self_test_of(found->verdict, found->effect);
  }
  return figures;
}

rows::Comparison make_head(const core::ComparedSelections& compared) {
  const Comparison& comparison = compared.comparison;
  rows::Comparison row;
  row.figure = comparison.figure;
  row.verdict = to_string(comparison.verdict);
  if (comparison.leaning) row.leaning = to_string(*comparison.leaning);
  if (comparison.remedy) row.remedy = to_string(*comparison.remedy);
  row.threshold = comparison.threshold;
  row.pairing = to_string(comparison.pairing);
  if (!comparison.of_one.empty()) {
    row.of_one.emplace();
    for (const Level level : comparison.of_one) row.of_one->emplace_back(to_string(level));
  }
  row.boot_spread = comparison.luck_spread;
  row.resolution = comparison.resolution;
  row.runs_a = numbers_of(comparison.a);
  row.runs_b = numbers_of(comparison.b);
  row.scenarios_a = compared.a.scenarios;
  row.scenarios_b = compared.b.scenarios;
  row.labels_a = compared.a.labels;
  row.labels_b = compared.b.labels;
  put_owners(compared.a, row.owners_a, row.owner_runs_a);
  put_owners(compared.b, row.owners_b, row.owner_runs_b);
  row.first_started_a_us = microseconds(compared.a.first_started);
  row.last_started_a_us = microseconds(compared.a.last_started);
  row.first_started_b_us = microseconds(compared.b.first_started);
  row.last_started_b_us = microseconds(compared.b.last_started);
  row.effect = effect_of(comparison.effect);
  row.reach = reach_of(comparison.effect);
  put_attribution(row, comparison.attribution);
  if (comparison.counters_tested > 0) row.counters_tested = comparison.counters_tested;
  row.changed = comparison.changed;
  row.same = comparison.same;
  row.caveats = comparison.caveats;
  if (!comparison.figures.empty()) row.figures = figures_of(compared, comparison.figures);
  if (!comparison.beside.empty()) row.beside = figures_of(compared, comparison.beside);
  if (comparison.work != WorkUnit::byte) row.work = to_string(comparison.work);
  row.offered_bits_per_second = comparison.offered;
  if (!compared.self_test) return row;
  const core::SelfTest& test = *compared.self_test;
  row.selftest_job = static_cast<std::uint64_t>(test.job);
  row.selftest_started_us = microseconds(test.started);
  if (test.figures.empty()) {
    row.selftest.verdict = to_string(test.verdict);
  } else {
    row.selftest = self_test_of(test.verdict, test.figures.front().effect);
  }
  return row;
}

// The same facts, beginning with one of each group for each use: what a group means must not depend on room.
std::vector<FactChange> each_group_first(const std::vector<FactChange>& facts) {
  std::set<std::tuple<std::string_view, bool, bool>> told;
  std::vector<FactChange> first, rest;
  for (const FactChange& fact : facts)
    (told.emplace(fact.group, fact.declared, fact.explains).second ? first : rest).push_back(fact);
  first.insert(first.end(), rest.begin(), rest.end());
  return first;
}

}  // namespace

rows::Effect effect_of(const RatioEstimate& effect) {
  rows::Effect row;
  row.samples_a = effect.n_a;
  row.samples_b = effect.n_b;
  if (effect.n_a > 0) row.median_a = effect.median_a;
  if (effect.n_b > 0) row.median_b = effect.median_b;
  if (effect.ratio) {
    row.centre_a = effect.centre_a;
    row.centre_b = effect.centre_b;
  }
  row.ratio = effect.ratio;
  row.low = effect.low;
  row.high = effect.high;
  if (effect.low || effect.high) row.level = effect.level;
  row.p = effect.p;
  return row;
}

rows::Reach reach_of(const RatioEstimate& effect) {
  return {.cliffs_delta = effect.cliffs_delta,
          .detectable = effect.detectable,
          .needed = effect.needed,
          .needed_for_equivalence = effect.needed_for_equivalence};
}

void put_until(rows::Plan& row, const core::RunPlan::Until& until) {
  row.until_most = until.most;
  row.until_blocks = until.different.blocks;
  row.until_blocks_same = until.same.blocks;
  row.until_decided = until.different.decided;
  row.until_decided_same = until.same.decided;
  if (!until.block_seconds) return;
  row.until_seconds = *until.block_seconds * until.different.blocks;
  row.until_seconds_same = *until.block_seconds * until.same.blocks;
  row.until_most_seconds = *until.block_seconds * until.most;
}

Row plan_row(const core::RunPlan& plan) {
  rows::Plan row;
  row.figure = to_string(plan.figure);
  row.level = plan.level;
  if (plan.together.size() > 1) {
    row.figures.emplace();
    for (const FigureChoice& choice : plan.together) row.figures->push_back(to_string(choice.figure));
  }
  row.pairing = to_string(plan.pairing);
  row.samples = plan.samples;
  row.sd = plan.sd;
  row.effect = plan.effect;
  row.power = plan.power;
  row.threshold = plan.threshold;
  row.needed = plan.needed;
  row.needed_for_equivalence = plan.needed_for_equivalence;
  row.blocks_each = plan.blocks_each;
  row.seconds = plan.seconds;
  row.detectable = plan.detectable;
  row.repeat_seconds = plan.repeat_seconds;
  row.boot_seconds = plan.boot_seconds;
  if (plan.until) put_until(row, *plan.until);
  return to_wire(row);
}

Row counter_change_row(const CounterChange& counter) {
  rows::CounterChange row;
  row.source = counter.source;
  row.name = counter.name;
  row.unit = if_any(counter.unit);
  row.per_gigabyte_a = counter.per_work.centre_a;
  row.per_gigabyte_b = counter.per_work.centre_b;
  put_shift(row, counter.per_work);
  return to_wire(row);
}

Row fact_change_row(const FactChange& fact) {
  rows::FactChange row;
  row.group = fact.group;
  row.key = fact.key;
  row.a = fact.a;
  row.b = fact.b;
  row.runs_a = fact.runs_a;
  row.runs_b = fact.runs_b;
  row.declared = fact.declared;
  row.explains = fact.explains;
  return to_wire(row);
}

WireComparison wire_comparison(const core::ComparedSelections& compared,
                               const std::optional<NamedPoint>& point) {
  const Comparison& comparison = compared.comparison;
  rows::Comparison head = make_head(compared);
  if (compared.confirms) head.confirms = static_cast<std::uint64_t>(*compared.confirms);
  if (point) {
    head.point = point->point;
    head.point_name = point->name;
  }
  WireComparison wire;
  std::size_t room = kRowsBudgetBytes - kLeftOutBytes - to_wire(head).bytes();
  const std::size_t share = room / kListsShare;
  const auto put_rows = [&](std::optional<std::uint64_t>& left_out, const auto& items, auto make,
                            std::size_t limit) {
    Rows rows = fitting_rows(items, make, limit, room);
    if (rows.size() < items.size()) left_out = items.size() - rows.size();
    return rows;
  };
  const std::size_t before_facts = room;
  wire.facts = put_rows(head.facts_left_out, comparison.facts, fact_change_row, share);
  if (head.facts_left_out) {
    room = before_facts;
    wire.facts = put_rows(head.facts_left_out, each_group_first(comparison.facts), fact_change_row, share);
  }
  wire.counters = put_rows(head.counters_left_out, comparison.counters, counter_change_row, share);
  wire.functions =
      put_rows(head.functions_left_out, comparison.attribution.functions, function_delta_row, room);
  wire.comparison = to_wire(head);
  return wire;
}

}  // namespace netperfd::bus
