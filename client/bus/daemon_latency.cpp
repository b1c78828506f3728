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
    const auto [probes, phases, spans] = bus_->GetLatency(run);
    return LatencyDetails{.probes = from_rows<LatencyProbeView>(probes),
                          .phases = from_rows<LatencyPhaseView>(phases),
                          .spans = from_rows<LatencySpanView>(spans),
                          .intervals = all_pages<LatencyIntervalView>([&](const std::string& cursor) {
                            return bus_->ListLatencyIntervals(run, cursor, 0);
                          })};
  });
}

}  // namespace netperfctl
