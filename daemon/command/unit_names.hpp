// SPDX-License-Identifier: GPL-2.0-or-later
// Units are called netperfd-KIND-OWNER-PID-N.service. A netperfd with another store, perhaps in a container,
// may have units in the same systemd. Only OWNER, whose lock this process has, tells them from those of a
// dead one: the PID is one of its own PID namespace.
#pragma once

#include <fmt/format.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace netperfd::command {

[[nodiscard]] inline std::string unit_name(std::string_view kind, std::string_view owner, pid_t pid,
                                           std::uint64_t number) {
  return fmt::format("netperfd-{}-{}-{}-{}.service", kind, owner, pid, number);
}

// A pattern that matches those of one owner and no others.
[[nodiscard]] inline std::string units_of(std::string_view kind, std::string_view owner) {
  return fmt::format("netperfd-{}-{}-*.service", kind, owner);
}

}  // namespace netperfd::command
