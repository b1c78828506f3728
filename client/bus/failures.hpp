// SPDX-License-Identifier: GPL-2.0-or-later
// Maps D-Bus errors to messages for the user and exit codes.
#pragma once

#include <chrono>
#include <string>

#include "client/base/outcome.hpp"
#include "dbus/compat.hpp"

namespace netperfctl {

[[nodiscard]] Failure failure_of(const sdbus::Error& error);
// If membership in `group` would have helped, as the daemon's message says, adds how to get it; other
// failures stay as they are.
[[nodiscard]] Failure with_membership_hint(Failure failure, const std::string& group);
[[nodiscard]] Failure unreachable(Step step, const std::string& reason);

// A call that the bus does not pass on, since its receiver has too much to read, has reached nobody: it may
// be made again. Nobody tells when there is room.
class Retries {
 public:
  // If that is what the error says, waits a little, 10 s in all. Returns whether to call again.
  [[nodiscard]] bool wait_after(const sdbus::Error& error);

 private:
  std::chrono::milliseconds waited_{0};
};

// For an error while connecting: a bus that exists but hangs up refuses this user.
[[nodiscard]] Step step_of_connecting(const sdbus::Error& error);

// As failure_of(), for a submitted job: if this machine cannot do what the job asks, the job is at fault, not
// netperfd, and nothing was started.
[[nodiscard]] Failure failure_of_job(const sdbus::Error& error);

}  // namespace netperfctl
