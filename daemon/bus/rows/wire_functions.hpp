// SPDX-License-Identifier: GPL-2.0-or-later
// Converts a run's function profile to the rows that dbus/org.netperfd1.Manager.xml documents. Names are the
// kernel's or, for an imported trace, arbitrary text of its file.
#pragma once

#include "daemon/bus/rows/wire.hpp"
#include "daemon/core/ports/run_queries.hpp"
#include "daemon/model/function_profile.hpp"
#include "daemon/model/run_record.hpp"
#include "dbus/compat.hpp"

namespace netperfd::bus {

// The answer of GetFunctionProfile.
struct WireProfile {
  Row profile;
  Rows builds;
};

// Always fits into one message: excess builds are left out and counted.
[[nodiscard]] WireProfile wire_profile(const core::ProfileSummary& summary, const TrafficCount& traffic);

[[nodiscard]] Row function_profile_row(const FunctionStats& function, const TrafficCount& traffic);
[[nodiscard]] Row function_slices_row(const FunctionStats& function);
[[nodiscard]] Row call_edge_row(const core::NamedEdge& edge);
[[nodiscard]] Row call_node_row(const core::NamedNode& node);

[[nodiscard]] Row build_row(const Build& build);

}  // namespace netperfd::bus
