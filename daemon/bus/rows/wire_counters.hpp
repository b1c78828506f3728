// SPDX-License-Identifier: GPL-2.0-or-later
// Converts a run's counters to the rows that dbus/org.netperfd1.Manager.xml documents.
#pragma once

#include <string>
#include <vector>

#include "daemon/bus/rows/wire.hpp"
#include "daemon/model/counters.hpp"

namespace netperfd::bus {

[[nodiscard]] Row counter_row(const CounterDelta& delta);
[[nodiscard]] Row tcp_sample_row(const TcpSample& sample);
[[nodiscard]] Row queue_sample_row(const QueueSample& sample);
// As many clauses as fit into a message beside its rows.
[[nodiscard]] std::vector<std::string> unknown_counters(const Counters& counters);

}  // namespace netperfd::bus
