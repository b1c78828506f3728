// SPDX-License-Identifier: GPL-2.0-or-later
// Comparisons that judge several figures, and on what runs were measured.
#include <string>

#include "tests/unit/client/compare_samples.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl::samples {

ComparedFigureView figure_of(const std::string& name, const std::string& verdict, double ratio) {
  ComparedFigureView figure;
  figure.figure = name;
  figure.unit = name == "received" ? "bits_per_second" : "ns";
  figure.better = name == "received" ? "higher" : "lower";
  figure.verdict = verdict;
  figure.threshold = name == "received" ? 0.01 : 0.05;
  figure.pairing = "blocks";
  figure.effect.samples_a = figure.effect.samples_b = 8;
  figure.effect.median_a = name == "received" ? 1.18e9 : 1.204e6;
  figure.effect.median_b = *figure.effect.median_a * ratio;
  figure.effect.ratio = ratio;
  figure.effect.low = ratio * 0.97;
  figure.effect.high = ratio * 1.03;
  figure.effect.level = 0.9766;
  figure.effect.p = 0.0078;
  figure.p_adjusted = 0.0156;
  figure.reach.cliffs_delta = ratio > 1 ? 1 : -1;
  figure.reach.detectable = 1.04;
  figure.reach.needed = 12;
  figure.fewest = 7;
  figure.selftest.verdict = "equivalent";
  figure.selftest.samples = 8;
  figure.selftest.low = 0.992;
  figure.selftest.high = 1.006;
  return figure;
}

CompareView trade_off() {
  CompareView view = ring_sides();
  ComparisonView& head = view.details.comparison;
  head.figures = {figure_of("received", "improvement", 1.2), figure_of("latency.p99", "regression", 2.5)};
  head.verdict = "trade-off";
  head.effect.samples_a = head.effect.samples_b = 8;
  return view;
}

CompareView with_settings(CompareView view) {
  SettingView setting{.run = tcp().details.run, .environment = {}};
  setting.environment =
      EnvironmentView{.boot_id = "f82f6326-ae1e-4c2a-89bf-2193da7f8464",
                      .facts = {{"cpu", "governor", "performance"},
                                {"cpu", "model", "Intel(R) Xeon(R) Gold 6252 CPU @ 2.10GHz"},
                                {"cpu", "online", "0-3"},
                                {"kernel", "command line", "root=/dev/vda1 ro quiet"},
                                {"kernel", "release", "6.1.0-40-amd64"},
                                {"nic", "eth0 driver", "mlx5_core"},
                                {"nic", "eth0 firmware", "16.35.1012"},
                                {"nic", "hsr0@ring-a driver", "hsr"},
                                {"nic", "veth0@ring-a driver", "veth"},
                                {"nic", "veth0@ring-a firmware", ""},
                                {"nic", "veth1@ring-b driver", "veth"}},
                      .unknown = {}};
  view.setting_a = view.setting_b = setting;
  return view;
}

}  // namespace netperfctl::samples
