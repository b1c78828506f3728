// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/figure_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/problems.hpp"
#include "daemon/model/wording.hpp"

namespace netperfd {
namespace {

std::string key_of_figure(std::size_t index, std::string_view key) {
  return fmt::format("figures[{}].{}", index, key);
}

}  // namespace

MeasuredByJob measured_by(const JobSpec& spec) {
  MeasuredByJob measured;
  if (spec.latency) {
    std::vector<std::string>& probes = measured.probes.emplace();
    for (const ProbeSpec& probe : spec.latency->probes) probes.push_back(probe.name);
    measured.phases = {LatencyPhase::idle};
    if (spec.workload.makes_traffic) {
      if (spec.test.traffic.omit.count() > 0) measured.phases.push_back(LatencyPhase::omitted);
      measured.phases.insert(measured.phases.end(), {LatencyPhase::load, LatencyPhase::after});
    }
  }
  if (spec.command) {
    for (const DeclaredFigure& figure : spec.command->figures) {
      measured.own.push_back(figure.name);
      measured.own_units.push_back(figure.unit);
    }
  }
  measured.path = spec.workload.measures_path;
  measured.counters = !spec.workload.of_files;
  if (!has_traffic(spec)) return measured;
  measured.tcp = spec.test.traffic.protocol == Protocol::tcp;
  measured.udp = spec.test.traffic.protocol == Protocol::udp;
  measured.sctp = spec.test.traffic.protocol == Protocol::sctp;
  return measured;
}

std::vector<JobProblem> check_figures(const JobSpec& spec) {
  Problems problems;
  const std::vector<FigureChoice>& figures = spec.figures;
  if (figures.size() > kMostFigures) {
    problems.add("figures",
                 fmt::format("has {} figures; at most {} can be compared", figures.size(), kMostFigures));
  }
  const MeasuredByJob measured = measured_by(spec);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const std::string key = key_of_figure(i, "figure");
    const std::string name = in_quotes(to_string(figures[i].figure));
    const auto first = std::ranges::find(figures, figures[i].figure, &FigureChoice::figure);
    const auto before = static_cast<std::size_t>(first - figures.begin());
    if (before < i) problems.add(key, name + " is there a second time", {key_of_figure(before, "figure")});
    if (const std::string why = why_not_measured(figures[i].figure, measured); !why.empty()) {
      if (is_own(figures[i].figure)) {
        problems.add(key, no_such_figure(figures[i].figure.name, measured.own));
      } else {
        problems.add(key, fmt::format("{} {}", name, why), {"workload"});
      }
    }
    if (!figures[i].threshold) continue;
    if (const std::string wrong = wrong_threshold(figures[i].figure, *figures[i].threshold); !wrong.empty())
      problems.add(key_of_figure(i, "threshold"), wrong);
  }
  return problems.take();
}

}  // namespace netperfd
