// SPDX-License-Identifier: GPL-2.0-or-later
// The latency of a run: a part of client/rows/views.hpp.
#pragma once

#include <vector>

#include "dbus/rows/latency.hpp"

namespace netperfctl {

using LatencyProbeView = netperfd::rows::LatencyProbe;
using LatencyPhaseView = netperfd::rows::LatencyPhase;
using LatencySpanView = netperfd::rows::LatencySpan;
using LatencyIntervalView = netperfd::rows::LatencyInterval;

struct LatencyDetails {
  std::vector<LatencyProbeView> probes;
  std::vector<LatencyPhaseView> phases;        // by probe and time
  std::vector<LatencySpanView> spans;          // by probe, phase and span
  std::vector<LatencyIntervalView> intervals;  // by probe and time
};

}  // namespace netperfctl
