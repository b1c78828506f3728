// SPDX-License-Identifier: GPL-2.0-or-later
// The device settings that `ethtool` shows, read by SIOCETHTOOL, which every driver supports and which needs
// no privilege.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "daemon/base/fd.hpp"

namespace netperfd::counters {

struct NicSettings {
  std::vector<std::pair<std::string, std::string>> settings;  // "ring rx" and "512", unordered
  std::string driver;                                         // empty: unknown
  int error_number = 0;                                       // not 0: the query failed
};

// Settings of the device `name` in the network namespace of `socket`. Left out are settings that a driver
// does not have, and features that are off and cannot be turned on.
[[nodiscard]] NicSettings read_nic_settings(const Fd& socket, const std::string& name);

}  // namespace netperfd::counters
