// D-Bus errors to what the user is told and the exit code that goes with it.
#pragma once

#include "client/outcome.hpp"
#include "dbus/compat.hpp"

namespace netperfctl {

[[nodiscard]] Failure failure_of(const sdbus::Error& error);
// Tells somebody who may not change things how to be allowed to; other failures stay as they are.
[[nodiscard]] Failure with_membership_hint(Failure failure);
[[nodiscard]] Failure unreachable(Step step, const std::string& reason);

// Of an error of the first words with the bus: a bus that is there and hangs up refuses who asks.
[[nodiscard]] Step step_of_connecting(const sdbus::Error& error);

// As failure_of(), of a job that was handed in: what this machine cannot do is no error of netperfd, the job
// is wrong for it, and nothing was started.
[[nodiscard]] Failure failure_of_job(const sdbus::Error& error);

}  // namespace netperfctl
