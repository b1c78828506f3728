// SPDX-License-Identifier: GPL-2.0-or-later
// The bus itself, as a peer on the bus.
#pragma once

namespace netperfd::bus {

constexpr const char* kBusService = "org.freedesktop.DBus";
constexpr const char* kBusPath = "/org/freedesktop/DBus";

}  // namespace netperfd::bus
