// SPDX-License-Identifier: GPL-2.0-or-later
// What calls of systemd's manager have in common.
#pragma once

#include <systemd/sd-bus.h>

#include <memory>
#include <string>

namespace netperfd::command {

inline constexpr const char* kService = "org.freedesktop.systemd1";
inline constexpr const char* kPath = "/org/freedesktop/systemd1";
inline constexpr const char* kManager = "org.freedesktop.systemd1.Manager";

struct UnrefMessage {
  void operator()(sd_bus_message* message) const { sd_bus_message_unref(message); }
};
using Message = std::unique_ptr<sd_bus_message, UnrefMessage>;

struct UnrefSlot {
  void operator()(sd_bus_slot* slot) const { sd_bus_slot_unref(slot); }
};
using Slot = std::unique_ptr<sd_bus_slot, UnrefSlot>;

inline std::string words_of(const sd_bus_error& error) {
  return error.message != nullptr ? error.message : error.name != nullptr ? error.name : "no reason given";
}

}  // namespace netperfd::command
