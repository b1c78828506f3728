// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the objects of iperf3's document that have figures. Only for the files that read JSON, since it
// includes nlohmann/json.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "daemon/workload/iperf3/document.hpp"
#include "daemon/workload/iperf3/values.hpp"

namespace netperfd::workload {

[[nodiscard]] Figures read_figures(ValueReader& reader, const nlohmann::json& object);

// Absent if there is no such object.
[[nodiscard]] std::optional<Figures> read_part(ValueReader& reader, const nlohmann::json& object,
                                               const char* key);

// The sums of an interval, one for each direction.
[[nodiscard]] std::vector<Figures> read_sums(ValueReader& reader, const nlohmann::json& interval);

// An element of `intervals`. Sums that it lacks are computed from its streams.
[[nodiscard]] IntervalFigures read_interval(ValueReader& reader, const nlohmann::json& object);

}  // namespace netperfd::workload
