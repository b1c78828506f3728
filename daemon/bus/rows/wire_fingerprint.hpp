// SPDX-License-Identifier: GPL-2.0-or-later
// The environment of a run, as the rows that dbus/org.netperfd1.Manager.xml documents.
#pragma once

#include "daemon/bus/rows/wire.hpp"
#include "daemon/model/fingerprint.hpp"

namespace netperfd::bus {

[[nodiscard]] Row fact_row(const Fact& fact);

}  // namespace netperfd::bus
