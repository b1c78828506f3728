// SPDX-License-Identifier: GPL-2.0-or-later
// Calls that were taken off the socket of a connection to the bus and wait until it is their turn.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "dbus/message_head.hpp"

namespace netperfd::dbus {

// A whole call, not decoded.
struct WaitingCall {
  std::vector<unsigned char> bytes;
  std::vector<int> places;  // what libsystemd gets for its descriptors; closed if it never does

  WaitingCall() = default;
  WaitingCall(WaitingCall&&) = default;
  WaitingCall& operator=(WaitingCall&& other) noexcept {
    std::swap(bytes, other.bytes);
    std::swap(places, other.places);
    return *this;
  }
  WaitingCall(const WaitingCall&) = delete;
  WaitingCall& operator=(const WaitingCall&) = delete;
  ~WaitingCall() {
    for (const int place : places) {
      if (place >= 0) ::close(place);
    }
  }
};

// All are called within recvmsg(): they must not throw, nor use the connection.
class CallQueue {
 public:
  enum class Room : std::uint8_t {
    is_here,
    refused_with_answer,  // the owner answers it: libsystemd gets it without its arguments
    refused
  };

  CallQueue() = default;
  CallQueue(const CallQueue&) = delete;
  CallQueue& operator=(const CallQueue&) = delete;
  virtual ~CallQueue() = default;

  // Whether it is known whose call this is, or never will be. If not, nothing more is received until this is
  // asked again: at the next recvmsg().
  [[nodiscard]] virtual bool knows(const MessageHead& head) = 0;
  // For the call that put() may be called with next; null if its header cannot be read.
  [[nodiscard]] virtual Room room_for(const MessageHead* head, std::size_t bytes) = 0;
  virtual void put(WaitingCall call) = 0;
  // Whether some call's turn has come, which next() then gives.
  [[nodiscard]] virtual bool has_next() const = 0;
  [[nodiscard]] virtual WaitingCall next() = 0;
};

}  // namespace netperfd::dbus
