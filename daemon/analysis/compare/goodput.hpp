// SPDX-License-Identifier: GPL-2.0-or-later
// The bytes that the figures of a function profile are divided by.
#pragma once

#include <cstdint>
#include <optional>

#include "daemon/model/run_record.hpp"

namespace netperfd::analysis {

// Bytes that arrived in the whole run, over all directions. The omitted part is included because a trace
// covers it too. Absent if the received bytes of any direction are unknown. If the client sends, iperf3
// reports only the sent bytes of the omitted part. For datagrams, the share that arrived is then taken from
// the counted part.
[[nodiscard]] std::optional<std::uint64_t> goodput_of(const WorkloadReport& report);

}  // namespace netperfd::analysis
