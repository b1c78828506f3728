// SPDX-License-Identifier: GPL-2.0-or-later
// How long the service waits for those that it asks about a caller.
#pragma once

#include <chrono>

namespace netperfd::bus {

struct PolkitTimeouts {
  // Less than the 25 s that a caller waits by default.
  std::chrono::milliseconds plain = std::chrono::seconds{15};
  // While a person is asked for a password.
  std::chrono::milliseconds interactive = std::chrono::minutes{3};
};

struct AuthorizationTimeouts {
  std::chrono::milliseconds credentials = std::chrono::seconds{5};
  PolkitTimeouts polkit = {};
};

}  // namespace netperfd::bus
