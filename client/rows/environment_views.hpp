// SPDX-License-Identifier: GPL-2.0-or-later
// The environment of a run: a part of client/rows/views.hpp.
#pragma once

#include <string>
#include <vector>

#include "dbus/rows/counters.hpp"

namespace netperfctl {

using FactView = netperfd::rows::Fact;

struct EnvironmentView {
  std::string boot_id;               // empty: not known
  std::vector<FactView> facts;       // by group, then by key
  std::vector<std::string> unknown;  // a clause each
};

}  // namespace netperfctl
