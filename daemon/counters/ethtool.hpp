// What `ethtool` shows of a device's settings, by SIOCETHTOOL, which every driver answers and for which
// nobody needs a privilege.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "daemon/base/fd.hpp"

namespace netperfd::counters {

struct NicSettings {
  std::vector<std::pair<std::string, std::string>> settings;  // "ring rx" and "512", in no order
  std::string driver;                                         // empty: not known
  int error_number = 0;                                       // not 0: nothing could be asked
};

// Of the device `name` in the network namespace that `socket` was made in. What a driver does not have is
// left out, and so is a feature that is off and cannot be turned on.
[[nodiscard]] NicSettings read_nic_settings(const Fd& socket, const std::string& name);

}  // namespace netperfd::counters
