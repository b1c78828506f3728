// SPDX-License-Identifier: GPL-2.0-or-later
// The rows of functions in a comparison.
#include "daemon/bus/rows/put_shift.hpp"
#include "daemon/bus/rows/row_maker.hpp"
#include "daemon/bus/rows/wire_comparison.hpp"
#include "daemon/bus/rows/wire_text.hpp"
#include "dbus/rows/comparison.hpp"

namespace netperfd::bus {
namespace {

void put_sampled(rows::FunctionDelta& row, const FunctionDelta& function) {
  if (!function.sampled) return;
  const SampledShift& sampled = *function.sampled;
  row.sampled_a = sampled.cost.centre_a;
  row.sampled_b = sampled.cost.centre_b;
  row.sampled_shift = sampled.cost.shift;
  row.sampled_low = sampled.low();
  row.sampled_high = sampled.high();
  if (sampled.low()) row.sampled_level = sampled.level();
  row.sampled_share_a = sampled.share_a;
  row.sampled_share_b = sampled.share_b;
  row.sampled_p_adjusted = sampled.together.p;
  row.sampled_detectable = sampled.detectable;
  if (sampled.witness) row.witness = to_string(*sampled.witness);
  if (sampled.after_interrupts_off) row.after_interrupts_off = true;
}

void put_tested(rows::FunctionDelta& row, const FunctionDelta& function) {
  row.together_low = function.cost_together.low;
  row.together_high = function.cost_together.high;
  if (const Together& together = function.call_time_together; together.p) {
    row.call_time_a = function.call_time.centre_a;
    row.call_time_b = function.call_time.centre_b;
    row.call_time_shift = function.call_time.shift;
    row.call_time_low = together.low;
    row.call_time_high = together.high;
    row.call_time_p_adjusted = together.p;
  }
  if (const Together& together = function.calls_together; together.p) {
    row.calls_a = function.calls.centre_a;
    row.calls_b = function.calls.centre_b;
    row.calls_shift = function.calls.shift;
    row.calls_low = together.low;
    row.calls_high = together.high;
    row.calls_p_adjusted = together.p;
  }
  if (function.shown_by) row.shown_by = to_string(*function.shown_by);
  row.shown_least = function.shown_least;
}

}  // namespace

Row function_delta_row(const FunctionDelta& function) {
  rows::FunctionDelta row;
  row.function = function.name;
  row.function_b = if_any(function.name_b);
  row.module = if_any(function.module);
  if (function.duplicate > 0) row.duplicate = function.duplicate;
  row.match = to_string(function.match);
  put_sampled(row, function);
  if (!function.traced) {
    row.not_traced = true;
    row.below = if_any(function.below);
    return to_wire(row);
  }
  const bool on_a = function.match != FunctionMatch::only_b;
  const bool on_b = function.match != FunctionMatch::only_a;
  const ShiftEstimate& cost = function.cost;
  if (!cost.shift && cost.centre_a == 0 && cost.centre_b == 0) {  // the number of bytes is unknown
    if (on_a) row.ns_per_call_a = function.a.ns_per_call;
    if (on_b) row.ns_per_call_b = function.b.ns_per_call;
    return to_wire(row);
  }
  if (on_a) row.cost_a = function.cost.centre_a;
  if (on_b) row.cost_b = function.cost.centre_b;
  put_shift(row, function.cost);
  row.p_adjusted = function.cost_together.p;
  row.detectable = function.detectable;
  put_tested(row, function);
  row.share = function.share;
  row.share_low = function.share_low;
  row.share_high = function.share_high;
  if (function.first) {
    row.first_shift = function.first->shift;
    row.first_low = function.first->low;
    row.first_high = function.first->high;
  }
  row.agrees = function.agrees;
  if (on_a) {
    row.packets_per_byte_a = function.a.packets_per_byte;
    row.calls_per_packet_a = function.a.calls_per_packet;
    row.ns_per_call_a = function.a.ns_per_call;
  }
  if (on_b) {
    row.packets_per_byte_b = function.b.packets_per_byte;
    row.calls_per_packet_b = function.b.calls_per_packet;
    row.ns_per_call_b = function.b.ns_per_call;
  }
  return to_wire(row);
}

}  // namespace netperfd::bus
