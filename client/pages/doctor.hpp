// SPDX-License-Identifier: GPL-2.0-or-later
// The rows of `doctor` if netperfd cannot be reached.
#pragma once

#include <string>
#include <vector>

#include "client/base/outcome.hpp"
#include "client/rows/views.hpp"

namespace netperfctl {

// The client's own rows: the step that failed, the reason, and what to do. `bus_address` is the value of
// DBUS_SYSTEM_BUS_ADDRESS, empty if it is not set.
[[nodiscard]] std::vector<CapabilityView> unreachable_rows(const Failure& failure,
                                                           const std::string& bus_address);

}  // namespace netperfctl
