// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/work.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "daemon/model/counter_figure.hpp"
#include "daemon/model/noise.hpp"

namespace netperfd::analysis {
namespace {

constexpr std::array<std::string_view, 3> kCpuFigures{kCpuFigure, kCpuPerPacket, kCpuPerTransaction};

// A side without runs is no obstacle.
bool some_knows(const std::vector<ComparedRun>& runs, WorkUnit unit) {
  return runs.empty() ||
         std::ranges::any_of(runs, [unit](const ComparedRun& run) { return work_in(run, unit).has_value(); });
}

// The unit that an own figure of that name has in some run.
std::optional<WorkUnit> own_unit(const std::vector<ComparedRun>& runs, std::string_view name) {
  for (const ComparedRun& run : runs) {
    const auto own = std::ranges::find(run.own_figures, name, &NamedFigure::name);
    if (own == run.own_figures.end()) continue;
    const auto work = netperfd::work_in(own->unit);
    return work ? std::optional{work->unit} : std::nullopt;
  }
  return std::nullopt;
}

std::optional<WorkUnit> meant_by(const Figure& figure, const std::vector<ComparedRun>& runs) {
  if (figure.name == kCpuPerPacket) return WorkUnit::packet;
  if (figure.name == kCpuPerTransaction) return WorkUnit::transaction;
  if (is_counter_figure(figure.name) && figure.name.contains("packets")) return WorkUnit::packet;
  return own_unit(runs, figure.name);
}

bool reached(const ComparedRun& run, double asked, double threshold) {
  const bool missed = std::ranges::find(run.flags, noise::kRateMissed) != run.flags.end();
  return !missed && run.received_bits_per_second && *run.received_bits_per_second >= (1 - threshold) * asked;
}

}  // namespace

std::optional<double> work_in(const ComparedRun& run, WorkUnit unit) {
  if (unit == WorkUnit::byte && run.goodput_bytes)
    return *run.goodput_bytes > 0 ? std::optional{static_cast<double>(*run.goodput_bytes)} : std::nullopt;
  const auto window = noise::figure(run.counters, noise::kWindow);
  const auto seconds = window ? std::optional{static_cast<double>(*window) / 1e9} : std::nullopt;
  if (const auto own = own_work(run.own_figures, unit, seconds)) return own->amount;
  if (unit == WorkUnit::packet && run.packets.value_or(0) > 0) return static_cast<double>(*run.packets);
  return std::nullopt;
}

std::string_view cpu_figure_of(WorkUnit unit) {
  const auto index = static_cast<std::size_t>(unit);
  return index < kCpuFigures.size() ? kCpuFigures.at(index) : std::string_view{};
}

WorkUnit choose_work(std::vector<ComparedRun>& a, std::vector<ComparedRun>& b,
                     const std::vector<ComparedFigure>& figures) {
  WorkUnit chosen = WorkUnit::byte;
  bool is_chosen = false;
  for (const ComparedFigure& each : figures) {
    const auto meant = meant_by(each.figure, a.empty() ? b : a);
    if (is_chosen || !meant || !some_knows(a, *meant) || !some_knows(b, *meant)) continue;
    chosen = *meant;
    is_chosen = true;
  }
  for (const WorkUnit unit : {WorkUnit::byte, WorkUnit::transaction, WorkUnit::packet}) {
    const bool is_known = (!a.empty() && some_knows(a, unit)) || (!b.empty() && some_knows(b, unit));
    if (is_chosen || !is_known) continue;
    chosen = unit;
    is_chosen = true;
  }
  for (auto* side : {&a, &b}) {
    for (ComparedRun& run : *side) run.work = {.unit = chosen, .amount = work_in(run, chosen)};
  }
  return chosen;
}

std::optional<double> work_of(const ComparedRun& run) {
  return run.work ? run.work->amount : work_in(run, WorkUnit::byte);
}

std::optional<double> offered_rate(const std::vector<ComparedRun>& a, const std::vector<ComparedRun>& b,
                                   double threshold) {
  std::optional<double> offered;
  for (const auto* side : {&a, &b}) {
    bool has_plain = false;
    for (const ComparedRun& run : *side) {
      if (!is_plain(run)) continue;
      has_plain = true;
      const auto asked = noise::figure(run.counters, noise::kAskedRate);
      if (!asked || (offered && static_cast<double>(*asked) != *offered)) return std::nullopt;
      offered = static_cast<double>(*asked);
      if (*offered <= 0 || !reached(run, *offered, threshold)) return std::nullopt;
    }
    if (!has_plain) return std::nullopt;
  }
  return offered;
}

}  // namespace netperfd::analysis
