// SPDX-License-Identifier: GPL-2.0-or-later
// The counters of a run: a part of client/rows/views.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dbus/rows/counters.hpp"

namespace netperfctl {

using CounterView = netperfd::rows::Counter;
using TcpSampleView = netperfd::rows::TcpSample;
using QueueSampleView = netperfd::rows::QueueSample;

struct CountersView {
  std::vector<CounterView> counters;    // by source, netns and name
  std::vector<TcpSampleView> tcp;       // by time
  std::vector<QueueSampleView> queues;  // by time
  std::vector<std::string> unknown;     // a clause each
};

}  // namespace netperfctl
