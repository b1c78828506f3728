// SPDX-License-Identifier: GPL-2.0-or-later
// The properties of transient units, and how they are sent.
#pragma once

#include <systemd/sd-bus.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/core/ports/program_units.hpp"

namespace netperfd::command {

struct UnitExec {  // one command; its words are not expanded
  std::vector<std::string> argv;
  bool operator==(const UnitExec&) const = default;
};
struct UnitDescriptor {
  int fd = -1;
  bool operator==(const UnitDescriptor&) const = default;
};
using UnitMounts = std::vector<std::pair<std::string, std::string>>;  // place, options

// As D-Bus types: s, b, i, u, t, as, a(ss), a(sasas), h.
using UnitValue = std::variant<std::string, bool, std::int32_t, std::uint32_t, std::uint64_t,
                               std::vector<std::string>, UnitMounts, UnitExec, UnitDescriptor>;

struct UnitProperty {
  const char* name = "";
  UnitValue value;
};

// A program's own user is root, so the sandbox keeps it from what root's user could do without capabilities.
[[nodiscard]] std::vector<UnitProperty> properties_of_program(const core::UnitOrder& order,
                                                              int standard_input);

// As libsystemd returns: negative after an error.
[[nodiscard]] int append_properties(sd_bus_message* message, const std::vector<UnitProperty>& properties);

}  // namespace netperfd::command
