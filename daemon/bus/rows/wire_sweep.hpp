// SPDX-License-Identifier: GPL-2.0-or-later
// The comparison of a sweep, as the rows that dbus/org.netperfd1.Manager.xml documents.
#pragma once

#include "daemon/bus/rows/wire.hpp"
#include "daemon/model/sweep_comparison.hpp"

namespace netperfd::bus {

// The answer of CompareSweep.
struct WireSweep {
  Row sweep;
  Rows figures, trends;
};

// Throws Unsupported if it does not fit into one message.
[[nodiscard]] WireSweep wire_sweep(const SweepComparison& compared);

}  // namespace netperfd::bus
