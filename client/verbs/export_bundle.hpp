// SPDX-License-Identifier: GPL-2.0-or-later
// What `export --format bundle` asks of the daemon.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "client/base/owned_fd.hpp"
#include "client/bus/daemon.hpp"

namespace netperfctl {

inline constexpr const char* kBundle = "bundle";

struct BundleTarget {
  std::uint64_t job = 0;
  std::uint64_t run = 0;  // only this one; 0: all runs of the job
};

// Of "job:12", "12", which is a run, or "last".
[[nodiscard]] Outcome<BundleTarget> bundle_target(Daemon& daemon, const std::string& words);

// Opens the bundle, with the page about its job unless it is redacted.
[[nodiscard]] Outcome<OwnedFd> open_bundle(Daemon& daemon, const BundleTarget& target, bool redact,
                                           bool recordings);

}  // namespace netperfctl
