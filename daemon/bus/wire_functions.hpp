// A run's function profile, as the rows that dbus/org.netperfd1.Manager.xml documents. Names are the kernel's
// or, of an imported trace, whatever its file says.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/bus/wire.hpp"
#include "daemon/model/function_profile.hpp"
#include "daemon/model/run_record.hpp"
#include "dbus/compat.hpp"

namespace netperfd::bus {

// The answer of GetFunctionProfile.
struct WireProfile {
  dbus::Row profile;
  dbus::Rows builds;
};

// Of a profile with its edges and tree. Always fits into one message: builds that do not are left out and
// counted.
[[nodiscard]] WireProfile wire_profile(const FunctionProfile& profile, const Traffic& traffic);

// `timed` is FunctionProfile::timed here and below: without it rows have no key of a time.
[[nodiscard]] WireRow function_profile_row(const FunctionStats& function, const Traffic& traffic, bool timed);
[[nodiscard]] WireRow function_slices_row(const FunctionStats& function, bool timed);
// `functions` and `profile` are what the edge and the node point into; both throw std::out_of_range where
// they point beyond.
[[nodiscard]] WireRow call_edge_row(const CallEdge& edge, const std::vector<FunctionStats>& functions);
[[nodiscard]] WireRow call_node_row(const CallNode& node, std::uint32_t depth,
                                    const FunctionProfile& profile);

// How deep each node lies, 0 for a root; throws std::out_of_range where a parent stands behind its child.
[[nodiscard]] std::vector<std::uint32_t> call_depths(const std::vector<CallNode>& tree);

}  // namespace netperfd::bus
