#include "daemon/bus/wire_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/bus/row_maker.hpp"
#include "daemon/bus/wire_text.hpp"

namespace netperfd::bus {
namespace {

// Compare's first row holds lists of texts, each of which has its limit; rows get what it leaves. Facts
// refuse a verdict and counters explain one, so neither may be crowded out by functions.
constexpr std::size_t kLeftOutBytes = 256;  // three numbers that tell of rows left out
static_assert(7 * kListBytes + kLongTextBytes < kRowsBudgetBytes / 2);
constexpr std::size_t kListsShare = 4;  // of the room: a quarter at most

// A figure of samples that is not finite (of a division by nothing) is not known.
void put_figure(RowMaker& row, const char* key, double value) {
  if (std::isfinite(value)) row.put(key, value);
}
void put_figure(RowMaker& row, const char* key, const std::optional<double>& value) {
  if (value) put_figure(row, key, *value);
}

std::vector<std::uint64_t> numbers_of(const std::vector<RunId>& runs) {
  return {runs.begin(), runs.end()};
}

void put_effect(RowMaker& row, const RatioEstimate& effect) {
  row.put("samples_a", effect.n_a);
  row.put("samples_b", effect.n_b);
  if (effect.n_a > 0) put_figure(row, "median_a", effect.median_a);
  if (effect.n_b > 0) put_figure(row, "median_b", effect.median_b);
  put_figure(row, "ratio", effect.ratio);
  put_figure(row, "ratio_low", effect.low);
  put_figure(row, "ratio_high", effect.high);
  if (effect.low || effect.high) put_figure(row, "level", effect.level);
  put_figure(row, "p", effect.p);
  put_figure(row, "cliffs_delta", effect.cliffs_delta);
  put_figure(row, "detectable", effect.detectable);
  row.put("needed", effect.needed);
}

void put_attribution(RowMaker& row, const Attribution& attribution) {
  if (attribution.ns_per_byte) {
    const ShiftEstimate& cost = *attribution.ns_per_byte;
    put_figure(row, "ns_per_byte_a", cost.median_a);
    put_figure(row, "ns_per_byte_b", cost.median_b);
    put_figure(row, "ns_per_byte_shift", cost.shift);
    put_figure(row, "ns_per_byte_low", cost.low);
    put_figure(row, "ns_per_byte_high", cost.high);
    if (cost.low || cost.high) put_figure(row, "ns_per_byte_level", cost.level);
    put_figure(row, "ns_per_byte_p", cost.p);
  }
  put_figure(row, "explained", attribution.explained);
  put_figure(row, "explained_low", attribution.explained_low);
  put_figure(row, "explained_high", attribution.explained_high);
  put_figure(row, "residual_ns_per_byte", attribution.residual_ns_per_byte);
  put_figure(row, "traced_to_plain", attribution.traced_to_plain);
  if (!attribution.functions.empty()) row.put("tested", attribution.tested);
  row.put_if_any("not_attributed", attribution.not_attributed, kLongTextBytes);
}

void put_shift(RowMaker& row, const ShiftEstimate& estimate) {
  put_figure(row, "shift", estimate.shift);
  put_figure(row, "low", estimate.low);
  put_figure(row, "high", estimate.high);
  if (estimate.low || estimate.high) put_figure(row, "level", estimate.level);
  put_figure(row, "p", estimate.p);
  put_figure(row, "q", estimate.q);
}

// The keys of one side's factors.
struct FactorKeys {
  const char* packets_per_byte;
  const char* calls_per_packet;
  const char* ns_per_call;
};

void put_factors(RowMaker& row, const CostFactors& factors, const FactorKeys& keys) {
  put_figure(row, keys.packets_per_byte, factors.packets_per_byte);
  put_figure(row, keys.calls_per_packet, factors.calls_per_packet);
  put_figure(row, keys.ns_per_call, factors.ns_per_call);
}

void put_self_test(RowMaker& row, const core::SelfTest& test) {
  row.put("selftest_job", static_cast<std::uint64_t>(test.job));
  row.put("selftest_started_us", test.started);
  row.put("selftest_verdict", to_string(test.verdict));
  row.put("selftest_samples", std::min(test.effect.n_a, test.effect.n_b));
  put_figure(row, "selftest_ratio", test.effect.ratio);
  put_figure(row, "selftest_low", test.effect.low);
  put_figure(row, "selftest_high", test.effect.high);
  if (test.effect.low || test.effect.high) put_figure(row, "selftest_level", test.effect.level);
  put_figure(row, "selftest_detectable", test.effect.detectable);
}

RowMaker make_head(const core::ComparedSelections& compared) {
  const Comparison& comparison = compared.comparison;
  RowMaker row;
  row.put("figure", comparison.figure);
  row.put("verdict", to_string(comparison.verdict));
  row.put("threshold", comparison.threshold);
  row.put("pairing", to_string(comparison.pairing));
  row.put("runs_a", numbers_of(comparison.a));
  row.put("runs_b", numbers_of(comparison.b));
  row.put("scenarios_a", compared.a.scenarios);
  row.put("scenarios_b", compared.b.scenarios);
  row.put("labels_a", compared.a.labels);
  row.put("labels_b", compared.b.labels);
  row.put("first_started_a_us", compared.a.first_started);
  row.put("last_started_a_us", compared.a.last_started);
  row.put("first_started_b_us", compared.b.first_started);
  row.put("last_started_b_us", compared.b.last_started);
  put_effect(row, comparison.effect);
  put_attribution(row, comparison.attribution);
  if (comparison.counters_tested > 0) row.put("counters_tested", comparison.counters_tested);
  row.put("changed", comparison.changed);
  row.put("same", comparison.same);
  row.put("caveats", comparison.caveats);
  if (compared.self_test) put_self_test(row, *compared.self_test);
  return row;
}

}  // namespace

WireRow function_delta_row(const FunctionDelta& function) {
  RowMaker row;
  row.put("function", function.name);
  row.put_if_any("function_b", function.name_b);
  row.put_if_any("module", function.module);
  if (function.duplicate > 0) row.put("duplicate", function.duplicate);
  row.put("match", to_string(function.match));
  const bool on_a = function.match != FunctionMatch::only_b;
  const bool on_b = function.match != FunctionMatch::only_a;
  const ShiftEstimate& cost = function.cost;
  if (!cost.shift && cost.median_a == 0 && cost.median_b == 0) {  // no bytes are known to divide by
    if (on_a) put_figure(row, "ns_per_call_a", function.a.ns_per_call);
    if (on_b) put_figure(row, "ns_per_call_b", function.b.ns_per_call);
    return row.take();
  }
  if (on_a) put_figure(row, "cost_a", function.cost.median_a);
  if (on_b) put_figure(row, "cost_b", function.cost.median_b);
  put_shift(row, function.cost);
  put_figure(row, "share", function.share);
  if (on_a) put_factors(row, function.a, {"packets_per_byte_a", "calls_per_packet_a", "ns_per_call_a"});
  if (on_b) put_factors(row, function.b, {"packets_per_byte_b", "calls_per_packet_b", "ns_per_call_b"});
  return row.take();
}

WireRow plan_row(const core::RunPlan& plan) {
  RowMaker row;
  row.put("pairing", to_string(plan.pairing));
  row.put("samples", plan.samples);
  put_figure(row, "sd", plan.sd);
  put_figure(row, "effect", plan.effect);
  put_figure(row, "power", plan.power);
  row.put("needed", plan.needed);
  put_figure(row, "seconds", plan.seconds);
  put_figure(row, "detectable", plan.detectable);
  put_figure(row, "repeat_seconds", plan.repeat_seconds);
  return row.take();
}

WireRow counter_change_row(const CounterChange& counter) {
  RowMaker row;
  row.put("source", counter.source);
  row.put("name", counter.name);
  row.put_if_any("unit", counter.unit);
  put_figure(row, "per_gigabyte_a", counter.per_gigabyte.median_a);
  put_figure(row, "per_gigabyte_b", counter.per_gigabyte.median_b);
  put_shift(row, counter.per_gigabyte);
  return row.take();
}

WireRow fact_change_row(const FactChange& fact) {
  RowMaker row;
  row.put("group", fact.group);
  row.put("key", fact.key);
  row.put("a", fact.a);
  row.put("b", fact.b);
  row.put("declared", fact.declared);
  row.put("explains", fact.explains);
  return row.take();
}

WireComparison wire_comparison(const core::ComparedSelections& compared) {
  const Comparison& comparison = compared.comparison;
  RowMaker head = make_head(compared);
  WireComparison wire;
  std::size_t room = kRowsBudgetBytes - kLeftOutBytes - head.bytes();
  const std::size_t share = room / kListsShare;
  const auto put_rows = [&](const char* left_out, const auto& items, auto make_row, std::size_t limit) {
    dbus::Rows rows = fitting_rows(items, make_row, limit, room);
    if (rows.size() < items.size()) head.put(left_out, std::uint64_t{items.size() - rows.size()});
    return rows;
  };
  wire.facts = put_rows("facts_left_out", comparison.facts, fact_change_row, share);
  wire.counters = put_rows("counters_left_out", comparison.counters, counter_change_row, share);
  wire.functions = put_rows("functions_left_out", comparison.attribution.functions, function_delta_row, room);
  wire.comparison = head.take().row;
  return wire;
}

}  // namespace netperfd::bus
