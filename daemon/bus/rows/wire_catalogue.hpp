// SPDX-License-Identifier: GPL-2.0-or-later
// Converts the kernel's catalogue to the rows that dbus/org.netperfd1.Manager.xml documents.
#pragma once

#include "daemon/bus/rows/wire.hpp"
#include "daemon/core/ports/catalogue.hpp"

namespace netperfd::bus {

[[nodiscard]] Row capability_row(const core::Capability& capability);
[[nodiscard]] Row module_row(const core::ModuleRow& module);
[[nodiscard]] Row function_row(const core::FunctionRow& function);
// Without the event's fields, which have rows of their own.
// `allowed`: as in ListAllowedEvents.
[[nodiscard]] Row event_row(const core::EventDetails& event, bool allowed);
[[nodiscard]] Row event_field_row(const core::EventFieldRow& field);
[[nodiscard]] Row tracer_row(const core::TracerRow& tracer);

}  // namespace netperfd::bus
