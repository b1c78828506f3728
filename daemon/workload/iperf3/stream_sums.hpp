// SPDX-License-Identifier: GPL-2.0-or-later
// The sums that an output of iperf3 lacks, computed from its streams.
#pragma once

#include <optional>
#include <vector>

#include "daemon/workload/iperf3/document.hpp"

namespace netperfd::workload {

// Of the streams with this `sender`.
[[nodiscard]] Figures sum_of_streams(const std::vector<Figures>& streams, std::optional<bool> sender);

// One for each `sender` that a stream has.
[[nodiscard]] std::vector<Figures> sums_of_streams(const std::vector<Figures>& streams);

}  // namespace netperfd::workload
