// SPDX-License-Identifier: GPL-2.0-or-later
// Assigns an event to the part of the tally that handles it.
#pragma once

#include <cstdint>
#include <string_view>

namespace netperfd::trace {

// How an event is handled besides being counted.
enum class Role : std::uint8_t { sampled, call, print, drop, kernel_stack, user_stack, unknown };

// The role of an event by its name, such as "skb:kfree_skb"; never unknown.
[[nodiscard]] Role role_of(std::string_view name);

// It belongs to the event before it and is counted with that event.
[[nodiscard]] inline bool is_stack(Role role) {
  return role == Role::kernel_stack || role == Role::user_stack;
}

}  // namespace netperfd::trace
