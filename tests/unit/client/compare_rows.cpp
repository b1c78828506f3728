// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/client/compare_rows.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace netperfctl::samples {

FunctionDeltaView function(const char* name, double a, double b, double half, double q) {
  FunctionDeltaView row;
  row.function = name;
  row.module = "hsr";
  row.match = "same";
  row.cost_a = a;
  row.cost_b = b;
  row.shift = b - a;
  row.low = b - a - half;
  row.high = b - a + half;
  row.level = 0.9504;
  row.p = q / 3;
  row.q = q;
  row.p_adjusted = std::min(1.0, q * 1.5);
  row.detectable = 2 * half;
  row.packets_per_byte_a = row.packets_per_byte_b = 0.000704;
  row.calls_per_packet_a = row.calls_per_packet_b = 2;
  row.ns_per_call_a = a / 0.001408;
  row.ns_per_call_b = b / 0.001408;
  return row;
}

CounterChangeView counter(const char* source, const char* name, double a, double b, double q) {
  CounterChangeView row;
  row.source = source;
  row.name = name;
  row.per_gigabyte_a = a;
  row.per_gigabyte_b = b;
  row.shift = b - a;
  row.low = b - a - 0.1 * (a + b);
  row.high = b - a + 0.1 * (a + b);
  row.level = 0.9504;
  row.p = q / 2;
  row.q = q;
  return row;
}

FactChangeView fact(const char* group, const char* key, Words a, Words b, bool declared, bool explains) {
  FactChangeView row;
  row.group = group;
  row.key = key;
  row.a = std::move(a);
  row.b = std::move(b);
  row.declared = declared;
  row.explains = explains;
  return row;
}

FactChangeView hsr_build() {
  return fact("module:hsr", "build-id", {"3f9c21d0a7b44e019c3d8f5e6a7b1c2d3e4f5a6b"},
              {"71ab0c44f0e94b7d8c1a2b3c4d5e6f7081920a1b"}, true, true);
}

// One is faster per call, one is called less often, one is new, one was renamed, and two are unchanged. In
// the order of the daemon.
std::vector<FunctionDeltaView> ring_functions() {
  std::vector<FunctionDeltaView> functions = {function("hsr_get_node", 18.41, 1.32, 0.9, 0.001),
                                              function("hsr_addr_is_self", 0.97, 0.62, 0.06, 0.001),
                                              function("hsr_forward_skb", 0.81, 0.76, 0.04, 0.041),
                                              function("hsr_create_tagged_frame", 0.47, 0.471, 0.03, 0.72)};
  FunctionDeltaView& fewer = functions[1];
  fewer.calls_per_packet_b = 1.28;
  fewer.ns_per_call_b = fewer.ns_per_call_a;
  FunctionDeltaView added = function("hsr_hash_addr", 0, 0.21, 0.02, 0.001);
  added.match = "only B";
  added.cost_a = added.shift = added.low = added.high = added.level = added.p = added.q = added.p_adjusted =
      added.detectable = std::nullopt;
  added.packets_per_byte_a = added.calls_per_packet_a = added.ns_per_call_a = std::nullopt;
  FunctionDeltaView renamed = function("is_supervision_frame.isra.0", 0.071, 0.069, 0.004, 0.4);
  renamed.match = "renamed";
  renamed.function_b = "is_supervision_frame.constprop.0";
  functions.insert(functions.begin() + 3, renamed);
  functions.push_back(added);
  functions[0].share = 0.961;
  functions[0].share_low = 0.912;
  functions[0].share_high = 1.008;
  functions[1].share = 0.02;
  functions[2].share = 0.003;
  return functions;
}

void give_samples(FunctionDeltaView& row, double a, double b, double half) {
  row.sampled_a = a;
  row.sampled_b = b;
  row.sampled_shift = b - a;
  row.sampled_low = b - a - half;
  row.sampled_high = b - a + half;
  row.sampled_level = 0.9504;
}

FunctionDeltaView sampled_function(const char* name, double a, double b, double half, double p_adjusted) {
  FunctionDeltaView row;
  row.function = name;
  row.match = "same";
  row.not_traced = true;
  give_samples(row, a, b, half);
  row.sampled_p_adjusted = p_adjusted;
  return row;
}

}  // namespace netperfctl::samples
