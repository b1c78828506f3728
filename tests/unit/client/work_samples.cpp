// SPDX-License-Identifier: GPL-2.0-or-later
// Comparisons whose costs are of a packet or a transaction.
#include <cstddef>

#include "tests/unit/client/compare_rows.hpp"
#include "tests/unit/client/compare_samples.hpp"

namespace netperfctl::samples {

CompareView forwarded() {
  CompareView view = compared("label:before", "label:after", 8);
  ComparisonView& head = view.details.comparison;
  head.figure = "cpu.packet";
  head.verdict = "regression";
  head.scenarios_a = head.scenarios_b = Words{"forward-rules"};
  head.work = "packet";
  head.offered_bits_per_second = 50e6;
  head.effect.median_a = 10'240.5;
  head.effect.median_b = 22'871.2;
  head.effect.centre_a = 10'250;
  head.effect.centre_b = 22'900;
  head.effect.ratio = 2.234;
  head.effect.low = 2.101;
  head.effect.high = 2.377;
  head.effect.level = 0.975;
  head.effect.p = 0.000155;
  ComparedFigureView& cpu = head.figures.emplace().emplace_back();
  cpu.figure = "cpu.packet";
  cpu.unit = "ns_per_packet";
  cpu.better = "lower";
  cpu.source = "nic";
  cpu.verdict = "regression";
  cpu.threshold = 0.01;
  cpu.pairing = "runs";
  cpu.effect = head.effect;
  ComparedFigureView sent = cpu;
  sent.figure = "counter.to-receiver@router.tx_packets";
  sent.unit = "per_second";
  sent.better = "higher";
  sent.verdict = "equivalent";
  sent.threshold = 0.05;
  sent.effect.median_a = 12'498.7;
  sent.effect.median_b = 12'499.2;
  sent.effect.centre_a = 12'499;
  sent.effect.centre_b = 12'500;
  sent.effect.ratio = 1.00008;
  sent.effect.low = 0.998;
  sent.effect.high = 1.002;
  sent.effect.p = 0.72;
  head.figures->push_back(sent);
  head.cpu.a = 10'250;
  head.cpu.b = 22'900;
  head.cpu.shift = 12'650;
  head.cpu.low = 11'285;
  head.cpu.high = 14'114;
  head.cpu.level = 0.975;
  head.cpu.part = "whole";
  head.not_attributed = "No functions were traced on either side.";
  head.same = Words{"kernel", "nic"};
  head.counters_tested = 44;
  view.details.counters = {counter("softirqs", "NET_RX", 2.01, 1.24, 0.01)};
  return view;
}

CompareView called() {
  CompareView view = compared("label:before", "label:after", 8);
  ComparisonView& head = view.details.comparison;
  head.figure = "rate";
  head.verdict = "regression";
  head.scenarios_a = head.scenarios_b = Words{"tcp-rr"};
  head.work = "transaction";
  head.effect.median_a = 21'052;
  head.effect.median_b = 18'310;
  head.effect.ratio = 0.8698;
  head.effect.low = 0.861;
  head.effect.high = 0.879;
  head.effect.level = 0.9504;
  ComparedFigureView& rate = head.figures.emplace().emplace_back();
  rate.figure = "rate";
  rate.unit = "transactions/s";
  rate.better = "higher";
  rate.verdict = "regression";
  rate.threshold = 0.01;
  rate.pairing = "runs";
  rate.effect = head.effect;
  ComparedFigureView cpu = rate;
  cpu.figure = "cpu.transaction";
  cpu.unit = "ns_per_transaction";
  cpu.better = "lower";
  cpu.source = "figure rate";
  cpu.effect.median_a = cpu.effect.centre_a = 47'100;
  cpu.effect.median_b = cpu.effect.centre_b = 51'920;
  cpu.effect.ratio = 1.1023;
  cpu.effect.low = 1.094;
  cpu.effect.high = 1.111;
  head.beside.emplace().push_back(cpu);
  head.cpu.a = 47'100;
  head.cpu.b = 51'920;
  head.cpu.shift = 4'820;
  head.cpu.low = 4'427;
  head.cpu.high = 5'228;
  head.cpu.level = 0.9504;
  head.cpu.part = "whole";
  head.not_attributed = "No functions were traced on either side.";
  head.sampled_runs_a = head.sampled_runs_b = 8;
  head.busy_samples_a = 16'210;
  head.busy_samples_b = 15'990;
  view.details.functions = {sampled_function("tcp_sendmsg_locked", 1'204, 6'010, 390, 0.0015),
                            sampled_function("bpf_prog_6deef7357e7b4530_count", 812, 809, 40, 1),
                            sampled_function("_copy_to_iter", 2'310, 2'300, 95, 1)};
  const double shares[][2] = {{0.0256, 0.1158}, {0.0172, 0.0156}, {0.049, 0.0443}};
  for (std::size_t i = 0; i < view.details.functions.size(); ++i) {
    view.details.functions[i].sampled_share_a = shares[i][0];
    view.details.functions[i].sampled_share_b = shares[i][1];
  }
  view.details.functions[1].module = "bpf";
  return view;
}

}  // namespace netperfctl::samples
