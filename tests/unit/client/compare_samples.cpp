// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/client/compare_samples.hpp"

#include <string>
#include <utility>

#include "tests/unit/client/compare_rows.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl::samples {
namespace {

std::vector<std::uint64_t> numbers(std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> runs;
  for (std::uint64_t i = 0; i < count; ++i) runs.push_back(first + i);
  return runs;
}

}  // namespace

CompareView compared(const std::string& a, const std::string& b, std::uint64_t runs) {
  CompareView view;
  view.asked.a = a;
  view.asked.b = b;
  view.command = "netperfctl compare " + a + " " + b;
  ComparisonView& head = view.details.comparison;
  head.figure = "received";
  head.threshold = 0.01;
  head.pairing = "runs";
  head.runs_a = numbers(41, runs);
  head.runs_b = numbers(61, runs);
  head.scenarios_a = head.scenarios_b = Words{"hsr-ring"};
  head.labels_a = Words{"before"};
  head.labels_b = Words{"after"};
  head.first_started_a_us = kNow - 200 * kMinute;
  head.last_started_a_us = kNow - 198 * kMinute;
  head.first_started_b_us = kNow - 20 * kMinute;
  head.last_started_b_us = kNow - 18 * kMinute;
  head.effect.samples_a = head.effect.samples_b = static_cast<std::uint32_t>(runs);
  return view;
}

CompareView hash_table() {
  CompareView view = compared("label:before", "label:after", 8);
  ComparisonView& head = view.details.comparison;
  head.verdict = "improvement";
  head.effect.median_a = 118.0e6;
  head.effect.median_b = 320.4e6;
  head.effect.ratio = 2.714;
  head.effect.low = 2.582;
  head.effect.high = 2.853;
  head.effect.level = 0.9504;
  head.effect.p = 0.000155;
  head.reach.cliffs_delta = 1;
  head.cpu.a = 20.42;
  head.cpu.b = 2.63;
  head.cpu.shift = -17.79;
  head.cpu.low = -18.61;
  head.cpu.high = -16.99;
  head.cpu.level = 0.9504;
  head.cpu.part = "counted";
  ComparedFigureView& cpu = head.beside.emplace().emplace_back();
  cpu.figure = "cpu";
  cpu.unit = "ns_per_byte";
  cpu.better = "lower";
  cpu.verdict = "improvement";
  cpu.threshold = 0.01;
  cpu.pairing = "runs";
  cpu.effect.samples_a = cpu.effect.samples_b = 8;
  cpu.effect.median_a = 20.5;
  cpu.effect.median_b = 2.6;
  cpu.effect.centre_a = 20.42;
  cpu.effect.centre_b = 2.63;
  cpu.effect.ratio = 0.1288;
  cpu.effect.low = 0.0886;
  cpu.effect.high = 0.168;
  cpu.effect.level = 0.9504;
  head.explained.value = 0.962;
  head.explained.low = 0.911;
  head.explained.high = 1.012;
  head.traced.shift = -18.12;
  head.traced.low = -18.9;
  head.traced.high = -17.3;
  head.functions.shift = -17.44;
  head.functions.low = -18.3;
  head.functions.high = -16.6;
  head.tracer.shift = -0.41;
  head.residual.value = -0.68;
  head.residual.low = -1.1;
  head.residual.high = -0.2;
  head.traced_to_plain = 0.68;
  head.tested = 5;
  head.counters_tested = 61;
  head.changed = Words{"module:hsr"};
  head.same = Words{"kernel", "cpu", "nic", "sysctl", "clock", "iperf3", "topology", "trace"};
  head.caveats =
      Words{"One boot each: not separable from boot-to-boot variation.",
            "All runs of A came before those of B: what changed in between with time is in the result."};
  view.details.functions = ring_functions();
  view.details.counters = {counter("netstat", "TcpRetransSegs", 12.2, 0.4, 0.01),
                           counter("softirqs", "NET_RX", 703'400, 702'900, 0.61),
                           counter("nic", "veth0 tx_packets", 704'112, 704'090, 0.8)};
  view.details.counters.push_back(counter("cpu", "softirq", 1.9e9, 0.8e9, 0.02));
  view.details.counters.back().unit = "ns";
  view.details.facts = {hsr_build()};
  head.selftest_job = 31;
  head.selftest_started_us = kNow - 2880 * kMinute;
  head.selftest.verdict = "equivalent";
  head.selftest.samples = 6;
  head.selftest.ratio = 1.001;
  head.selftest.low = 0.9968;
  head.selftest.high = 1.0081;
  head.selftest.level = 0.9688;
  head.selftest.detectable = 1.011;
  return view;
}

CompareView witnessed() {
  CompareView view = hash_table();
  ComparisonView& head = view.details.comparison;
  head.witness = "agrees";
  head.sampled_runs_a = head.sampled_runs_b = 8;
  head.busy_samples_a = 16'210;
  head.busy_samples_b = 15'990;
  auto& functions = view.details.functions;
  give_samples(functions[0], 18.6, 1.4, 0.7);
  functions[0].sampled_p_adjusted = 0.0015;
  functions[0].witness = "agrees";
  give_samples(functions[1], 0.9, 0.61, 0.3);
  functions[1].witness = "unclear";
  functions.push_back(sampled_function("_raw_spin_unlock_irqrestore", 0.4, 0.6, 0.1, 0.0031));
  functions.back().after_interrupts_off = true;
  functions.push_back(sampled_function("tcp_ack", 0.31, 0.46, 0.06, 0.0046));
  functions.back().below = "hsr_dev_xmit";
  functions.push_back(sampled_function("copyin", 1.02, 1.04, 0.09, 1));
  return view;
}

CompareView noisy() {
  CompareView view = compared("job:31", "job:32", 8);
  ComparisonView& head = view.details.comparison;
  head.verdict = "inconclusive";
  head.scenarios_a = head.scenarios_b = Words{"veth-tcp"};
  head.labels_a = head.labels_b = Words{""};
  head.effect.median_a = 24.9e9;
  head.effect.median_b = 24.6e9;
  head.effect.ratio = 0.988;
  head.effect.low = 0.960;
  head.effect.high = 1.019;
  head.effect.level = 0.9504;
  head.effect.p = 0.44;
  head.reach.cliffs_delta = -0.25;
  head.reach.detectable = 1.034;
  head.reach.needed = 91;
  head.reach.needed_for_equivalence = 122;
  head.same = Words{"kernel", "cpu", "nic", "sysctl", "clock", "iperf3", "topology"};
  head.not_attributed = "No functions were traced on either side.";
  head.caveats = Words{"Nothing is known to have changed between A and B."};
  head.counters_tested = 58;
  view.details.counters = {counter("netstat", "TcpRetransSegs", 4, 5, 0.9)};
  return view;
}

CompareView one_run_a_side() {
  CompareView view = compared("41", "61", 1);
  ComparisonView& head = view.details.comparison;
  head.verdict = "too few";
  head.last_started_a_us = head.first_started_a_us;
  head.last_started_b_us = head.first_started_b_us;
  head.effect.median_a = 118.0e6;
  head.effect.median_b = 96.2e6;
  head.effect.ratio = 0.8153;
  ComparedFigureView received;
  received.figure = head.figure;
  received.unit = "bits_per_second";
  received.better = "higher";
  received.verdict = head.verdict;
  received.threshold = 0.01;
  received.pairing = "runs";
  received.effect = head.effect;
  received.fewest = 4;
  head.figures = {received};
  head.changed = Words{"kernel"};
  head.same = Words{"cpu", "nic"};
  head.caveats = Words{"One run a side: their difference may be no more than that between any two runs."};
  for (FunctionDeltaView& row : view.details.functions = hash_table().details.functions) {
    row.low = row.high = row.level = row.p = row.q = row.p_adjusted = row.detectable = std::nullopt;
    row.share = row.share_low = row.share_high = std::nullopt;
  }
  for (CounterChangeView& row : view.details.counters = hash_table().details.counters) {
    row.low = row.high = row.level = row.p = row.q = std::nullopt;
  }
  view.details.facts = {
      fact("kernel", "release", {"6.12.117+deb13-amd64"}, {"6.12.120+deb13-amd64"}, true, true),
      fact("kernel", "command line", {"quiet"}, {}, true, true),
      fact("trace", "functions", {"73"}, {"74"}, false, false)};
  return view;
}

CompareView offload_differs() {
  CompareView view = compared("label:before", "label:after", 8);
  ComparisonView& head = view.details.comparison;
  head.verdict = "refused";
  head.remedy = "declare";
  head.effect.median_a = 320.4e6;
  head.effect.median_b = 301.9e6;
  head.effect.ratio = 0.942;
  head.effect.low = 0.931;
  head.effect.high = 0.955;
  head.effect.level = 0.9504;
  head.effect.p = 0.000155;
  head.reach.cliffs_delta = -1;
  head.changed = Words{"module:hsr"};
  head.same = Words{"kernel", "sysctl", "clock", "iperf3", "topology", "trace"};
  head.caveats =
      Words{"nic and cpu differ too, and what either does to the throughput cannot be told from the change."};
  view.details.facts = {hsr_build(), fact("nic", "veth0@ring-a feature rx-gro", {"on"}, {"off"}, false, true),
                        fact("cpu", "governor", {"performance"}, {"schedutil", "powersave"}, false, true),
                        fact("trace", "functions", {"73"}, {"74"}, false, false)};
  return view;
}

CompareView offload_despite() {
  CompareView view = offload_differs();
  view.asked.despite = true;
  view.command += " --despite";
  ComparisonView& head = view.details.comparison;
  head.verdict = "regression";
  head.remedy.reset();
  return view;
}

CompareView paced() {
  CompareView view = compared("label:plain", "label:patched", 20);
  ComparisonView& head = view.details.comparison;
  head.verdict = "equivalent";
  head.labels_a = Words{"plain"};
  head.labels_b = Words{"patched"};
  head.pairing = "blocks";
  head.effect.samples_a = head.effect.samples_b = 10;
  head.effect.median_a = 941.4e6;
  head.effect.median_b = 941.2e6;
  head.effect.ratio = 0.9998;
  head.effect.low = 0.9991;
  head.effect.high = 1.0004;
  head.effect.level = 0.9512;
  head.effect.p = 0.63;
  head.reach.cliffs_delta = -0.08;
  head.reach.detectable = 1.0009;
  head.cpu.a = 3.31;
  head.cpu.b = 2.98;
  head.cpu.shift = -0.33;
  head.cpu.low = -0.41;
  head.cpu.high = -0.24;
  head.not_attributed =
      "Not CPU-bound: the busiest CPU was busy for 41 % of the time, so that cheaper functions cannot show "
      "in "
      "the throughput.";
  head.changed = Words{"module:hsr"};
  head.same = Words{"kernel", "cpu"};
  view.details.functions = {function("hsr_get_node", 1.61, 1.32, 0.04, 0.001)};
  view.details.facts = {hsr_build()};
  return view;
}

CompareView hardly_known() {
  CompareView view;
  view.asked.a = "41";
  view.asked.b = "42,43";
  view.command = "netperfctl compare 41 42,43";
  view.details.comparison.figure = "received";
  view.details.comparison.verdict = "too few";
  return view;
}

CompareView ring_sides() {
  CompareView view = hash_table();
  ComparisonView& head = view.details.comparison;
  view.asked.job = 33;
  view.asked.a = "job:33 variant:list";
  view.asked.b = "job:33 variant:hash";
  view.name_a = "list";
  view.name_b = "hash";
  view.command = "netperfctl compare job:33";
  head.pairing = "blocks";
  head.runs_a = numbers(101, 24);
  head.runs_b = numbers(125, 24);
  head.labels_a = head.labels_b = Words{""};
  head.effect.samples_a = head.effect.samples_b = 6;
  head.first_started_b_us = *head.first_started_a_us + kMinute / 5;
  head.last_started_b_us = head.last_started_a_us;
  head.caveats = Words{"One boot each: not separable from boot-to-boot variation."};
  view.details.functions[1].duplicate = 2;
  return view;
}

CompareView tracing_cost() {
  CompareView view = ring_sides();
  view.name_a = view.name_b = "";
  view.asked.a = "job:33 arm:plain";
  view.asked.b = "job:33 arm:traced";
  ComparisonView& head = view.details.comparison;
  head.verdict = "regression";
  head.runs_a = numbers(101, 6);
  head.runs_b = numbers(107, 6);
  head.effect.median_a = 320.4e6;
  head.effect.median_b = 217.9e6;
  head.effect.ratio = 0.68;
  head.effect.low = 0.671;
  head.effect.high = 0.694;
  head.effect.level = 0.9688;
  head.effect.p = 0.0313;
  head.reach.cliffs_delta = -1;
  head.changed = Words{"trace"};
  head.same = Words{"kernel", "module:hsr", "cpu"};
  head.caveats.reset();
  head.explained.value = head.explained.low = head.explained.high = head.residual.value =
      head.traced_to_plain = std::nullopt;
  head.counters_tested.reset();
  head.cpu.shift = head.cpu.a = head.cpu.b = std::nullopt;
  head.not_attributed = "Functions were traced on one side only.";
  view.details.functions.clear();
  view.details.counters.clear();
  view.details.facts = {fact("trace", "tracer", {"none"}, {"function_graph"}, true, true)};
  return view;
}

CompareView self_equivalent() {
  CompareView view = compared("job:34 variant:A", "job:34 variant:B", 12);
  view.asked.job = 34;
  view.name_a = "A";
  view.name_b = "B";
  view.command = "netperfctl selftest veth-tcp";
  ComparisonView& head = view.details.comparison;
  head.verdict = "equivalent";
  head.pairing = "blocks";
  head.scenarios_a = head.scenarios_b = Words{"veth-tcp"};
  head.labels_a = head.labels_b = Words{"selftest"};
  head.effect.samples_a = head.effect.samples_b = 6;
  head.last_started_b_us = head.last_started_a_us;
  head.first_started_b_us = *head.first_started_a_us;
  head.effect.median_a = 24.9e9;
  head.effect.median_b = 24.92e9;
  head.effect.ratio = 1.001;
  head.effect.low = 0.9968;
  head.effect.high = 1.0081;
  head.effect.level = 0.9688;
  head.effect.p = 0.69;
  head.reach.cliffs_delta = 0.11;
  head.reach.detectable = 1.011;
  head.same = Words{"kernel", "cpu", "nic", "sysctl", "clock", "iperf3", "topology"};
  head.counters_tested = 58;
  view.details.counters = {counter("netstat", "TcpRetransSegs", 4, 5, 0.9)};
  return view;
}

CompareView self_inconclusive() {
  CompareView view = self_equivalent();
  ComparisonView& head = view.details.comparison;
  head.verdict = "inconclusive";
  head.effect.low = 0.962;
  head.effect.high = 1.031;
  head.reach.detectable = 1.038;
  head.reach.needed = 85;
  head.reach.needed_for_equivalence = 114;
  return view;
}

CompareView self_fooled() {
  CompareView view = self_equivalent();
  ComparisonView& head = view.details.comparison;
  head.verdict = "regression";
  head.effect.median_b = 23.78e9;
  head.effect.ratio = 0.955;
  head.effect.low = 0.941;
  head.effect.high = 0.968;
  head.effect.p = 0.0313;
  return view;
}

}  // namespace netperfctl::samples
