// D-Bus errors to what the user is told and the exit code that goes with it.
#pragma once

#include "client/outcome.hpp"
#include "dbus/compat.hpp"

namespace netperfctl {

[[nodiscard]] Failure failure_of(const sdbus::Error& error);
[[nodiscard]] Failure unreachable(const std::string& reason);

}  // namespace netperfctl
