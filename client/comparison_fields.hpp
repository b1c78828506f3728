// The keys of the rows about comparisons: a part of client/fields.hpp, which says what each_field() is.
#pragma once

#include "client/comparison_views.hpp"
#include "client/plan_views.hpp"
#include "client/row_of.hpp"

namespace netperfctl {

template <RowOf<ComparisonView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("figure", row.figure);
  visit("verdict", row.verdict);
  visit("threshold", row.threshold);
  visit("pairing", row.pairing);
  visit("runs_a", row.runs_a);
  visit("runs_b", row.runs_b);
  visit("scenarios_a", row.scenarios_a);
  visit("scenarios_b", row.scenarios_b);
  visit("labels_a", row.labels_a);
  visit("labels_b", row.labels_b);
  visit("first_started_a_us", row.first_started_a_us);
  visit("last_started_a_us", row.last_started_a_us);
  visit("first_started_b_us", row.first_started_b_us);
  visit("last_started_b_us", row.last_started_b_us);
  visit("samples_a", row.samples_a);
  visit("samples_b", row.samples_b);
  visit("median_a", row.median_a);
  visit("median_b", row.median_b);
  visit("ratio", row.ratio);
  visit("ratio_low", row.ratio_low);
  visit("ratio_high", row.ratio_high);
  visit("level", row.level);
  visit("p", row.p);
  visit("cliffs_delta", row.cliffs_delta);
  visit("detectable", row.detectable);
  visit("needed", row.needed);
  visit("ns_per_byte_a", row.ns_per_byte_a);
  visit("ns_per_byte_b", row.ns_per_byte_b);
  visit("ns_per_byte_shift", row.ns_per_byte_shift);
  visit("ns_per_byte_low", row.ns_per_byte_low);
  visit("ns_per_byte_high", row.ns_per_byte_high);
  visit("ns_per_byte_level", row.ns_per_byte_level);
  visit("ns_per_byte_p", row.ns_per_byte_p);
  visit("explained", row.explained);
  visit("explained_low", row.explained_low);
  visit("explained_high", row.explained_high);
  visit("residual_ns_per_byte", row.residual_ns_per_byte);
  visit("traced_to_plain", row.traced_to_plain);
  visit("tested", row.tested);
  visit("not_attributed", row.not_attributed);
  visit("counters_tested", row.counters_tested);
  visit("changed", row.changed);
  visit("same", row.same);
  visit("caveats", row.caveats);
  visit("selftest_job", row.selftest_job);
  visit("selftest_started_us", row.selftest_started_us);
  visit("selftest_verdict", row.selftest_verdict);
  visit("selftest_samples", row.selftest_samples);
  visit("selftest_ratio", row.selftest_ratio);
  visit("selftest_low", row.selftest_low);
  visit("selftest_high", row.selftest_high);
  visit("selftest_level", row.selftest_level);
  visit("selftest_detectable", row.selftest_detectable);
  visit("functions_left_out", row.functions_left_out);
  visit("counters_left_out", row.counters_left_out);
  visit("facts_left_out", row.facts_left_out);
}

template <RowOf<FunctionDeltaView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("function", row.function);
  visit("function_b", row.function_b);
  visit("duplicate", row.duplicate);
  visit("module", row.module);
  visit("match", row.match);
  visit("cost_a", row.cost_a, "_ns_per_byte");
  visit("cost_b", row.cost_b, "_ns_per_byte");
  visit("shift", row.shift, "_ns_per_byte");
  visit("low", row.low, "_ns_per_byte");
  visit("high", row.high, "_ns_per_byte");
  visit("level", row.level);
  visit("p", row.p);
  visit("q", row.q);
  visit("share", row.share);
  visit("packets_per_byte_a", row.packets_per_byte_a);
  visit("packets_per_byte_b", row.packets_per_byte_b);
  visit("calls_per_packet_a", row.calls_per_packet_a);
  visit("calls_per_packet_b", row.calls_per_packet_b);
  visit("ns_per_call_a", row.ns_per_call_a);
  visit("ns_per_call_b", row.ns_per_call_b);
}

template <RowOf<CounterChangeView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("source", row.source);
  visit("name", row.name);
  visit("unit", row.unit);
  visit("per_gigabyte_a", row.per_gigabyte_a);
  visit("per_gigabyte_b", row.per_gigabyte_b);
  visit("shift", row.shift);
  visit("low", row.low);
  visit("high", row.high);
  visit("level", row.level);
  visit("p", row.p);
  visit("q", row.q);
}

template <RowOf<FactChangeView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("group", row.group);
  visit("key", row.key);
  visit("a", row.a);
  visit("b", row.b);
  visit("declared", row.declared);
  visit("explains", row.explains);
}

template <RowOf<PlanView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("pairing", row.pairing);
  visit("samples", row.samples);
  visit("sd", row.sd);
  visit("effect", row.effect);
  visit("power", row.power);
  visit("needed", row.needed);
  visit("seconds", row.seconds);
  visit("detectable", row.detectable);
  visit("repeat_seconds", row.repeat_seconds);
}

}  // namespace netperfctl
