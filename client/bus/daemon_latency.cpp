// SPDX-License-Identifier: GPL-2.0-or-later
// Daemon's call about the latency of a run.
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

}  // namespace netperfctl
