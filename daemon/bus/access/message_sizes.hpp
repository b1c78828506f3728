// SPDX-License-Identifier: GPL-2.0-or-later
// Refuses calls that are too large (message_limits.hpp) before they are decoded, and tells of those who send
// them. Of a call with too many bytes, libsystemd has only the header; nothing else of it was received. Those
// that are refused for another reason before they are received are answered here too.
#pragma once

#include <systemd/sd-bus.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "daemon/bus/access/senders.hpp"
#include "dbus/guarded_socket.hpp"

namespace netperfd::bus {

class MessageSizes {
 public:
  // Calls that were received without their arguments and wait to be answered. If they are more, which takes a
  // question of the daemon that blocks, further ones are not answered.
  static constexpr std::size_t kMostCut = 64;

  // All are borrowed and must outlive this object.
  MessageSizes(dbus::SocketGuard& guard, sd_bus* bus, Senders& senders);
  MessageSizes(const MessageSizes&) = delete;
  MessageSizes& operator=(const MessageSizes&) = delete;
  ~MessageSizes();

  // Answers this call, of which libsystemd is about to get the header alone. False if it cannot.
  [[nodiscard]] bool answer(const dbus::MessageHead& call, const char* error, const std::string& why);

 private:
  struct UnrefSlot {
    void operator()(sd_bus_slot* slot) const { sd_bus_slot_unref(slot); }
  };
  struct Cut {
    std::string sender;
    std::uint64_t serial;
    const char* error;
    std::string why;
  };

  [[nodiscard]] bool refuse(const dbus::MessageHead* head, std::size_t bytes);
  static int on_message(sd_bus_message* message, void* self, sd_bus_error* error);

  dbus::SocketGuard& guard_;
  Senders& senders_;
  std::deque<Cut> cut_;  // in the order of their arrival
  std::unique_ptr<sd_bus_slot, UnrefSlot> filter_;
};

}  // namespace netperfd::bus
