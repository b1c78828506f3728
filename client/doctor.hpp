// What `doctor` says where netperfd itself cannot be asked.
#pragma once

#include <string>
#include <vector>

#include "client/outcome.hpp"
#include "client/views.hpp"

namespace netperfctl {

// The client's own rows: how far it came, why not further, and what to do. `bus_address` is the value of
// DBUS_SYSTEM_BUS_ADDRESS, empty where it is not set.
[[nodiscard]] std::vector<CapabilityView> unreachable_rows(const Failure& failure,
                                                           const std::string& bus_address);

}  // namespace netperfctl
