// D-Bus errors to what the user is told and the exit code that goes with it.
#pragma once

#include "client/outcome.hpp"
#include "dbus/compat.hpp"

namespace netperfctl {

[[nodiscard]] Failure failure_of(const sdbus::Error& error);
// Tells somebody who may not change things how to be allowed to; other failures stay as they are.
[[nodiscard]] Failure with_membership_hint(Failure failure);
[[nodiscard]] Failure unreachable(Step step, const std::string& reason);

}  // namespace netperfctl
