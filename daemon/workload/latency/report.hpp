// SPDX-License-Identifier: GPL-2.0-or-later
// Reads what `netperfd-echo probe` wrote: one JSON object per line (daemon/echo). The interval lines have the
// histograms of each probe; those of a phase are merged here, which is exact.
#pragma once

#include <string_view>

#include "daemon/model/latency.hpp"

namespace netperfd::workload {

// Never fails: what cannot be read is an error or a flag of the result. Lines of a later version that are not
// known are ignored.
[[nodiscard]] ParsedLatency parse_latency(std::string_view prober_stdout, const LatencyOrder& order);

}  // namespace netperfd::workload
