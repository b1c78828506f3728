// SPDX-License-Identifier: GPL-2.0-or-later
// Daemon's calls about the latency of a run, and about the figures that its workload brought.
#include <cstdint>
#include <string>
#include <utility>

#include "client/bus/daemon.hpp"
#include "client/bus/daemon_bus.hpp"

namespace netperfctl {

Outcome<LatencyDetails> Daemon::latency(std::uint64_t run) {
  return call([&] {
    auto [probes, phases, spans] =
        bus_->ask<RowsOf<LatencyProbeView>, RowsOf<LatencyPhaseView>, RowsOf<LatencySpanView>>("GetLatency",
                                                                                               run);
    return LatencyDetails{.probes = std::move(probes),
                          .phases = std::move(phases),
                          .spans = std::move(spans),
                          .intervals = bus_->list<LatencyIntervalView>("ListLatencyIntervals", run)};
  });
}

Outcome<std::vector<NamedFigureView>> Daemon::figures(std::uint64_t run) {
  bool unheard_of = false;
  auto figures = call([&] {
    try {
      return bus_->list<NamedFigureView>("ListFigures", run);
    } catch (const sdbus::Error& error) {
      unheard_of = is_unheard_of(error);
      throw;
    }
  });
  if (unheard_of || (!figures && figures.error().exit == Exit::not_found))
    return std::vector<NamedFigureView>{};
  return figures;
}

}  // namespace netperfctl
