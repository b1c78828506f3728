// Which part of a tally an event is for.
#pragma once

#include <cstdint>
#include <string_view>

namespace netperfd::trace {

// What is done with an event besides counting it.
enum class Role : std::uint8_t { sampled, call, print, drop, kernel_stack, user_stack, unknown };

// Of an event by its name, "skb:kfree_skb"; never unknown.
[[nodiscard]] Role role_of(std::string_view name);

// It belongs to the event before it and is counted with that.
[[nodiscard]] inline bool is_stack(Role role) {
  return role == Role::kernel_stack || role == Role::user_stack;
}

}  // namespace netperfd::trace
