// SPDX-License-Identifier: GPL-2.0-or-later
// The header of a D-Bus message, for deciding about its size and its descriptors before it is received. The
// bus has validated it. Anything unusual is no header here: then the descriptors are not received, and no
// long message is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace netperfd::dbus {

enum class MessageType : std::uint8_t { call = 1, reply = 2, error = 3, signal = 4 };

constexpr std::string_view to_string(MessageType type) {
  constexpr std::string_view kNames[] = {"call", "reply", "error", "signal"};  // NOLINT
  return kNames[static_cast<std::size_t>(type) - 1];
}

// Number of bytes that every message begins with, and that its size is in.
inline constexpr std::size_t kFixedHead = 16;

struct MessageSize {
  std::size_t head = 0;   // its header, without the padding after it
  std::size_t whole = 0;  // all of it
};

struct MessageHead {
  MessageType type = MessageType::call;
  std::uint32_t serial = 0;
  std::uint32_t descriptors = 0;  // UNIX_FDS
  std::size_t signature_at = 0;   // where the field SIGNATURE begins, with its number; 0: there is none
  // They point into the bytes; empty if absent.
  std::string_view path, interface, member, sender;
};

// Nothing if no message begins with these bytes.
[[nodiscard]] std::optional<MessageSize> size_of_message(std::span<const unsigned char, kFixedHead> bytes);
// `bytes` are exactly the header. Nothing if it has a field that the specification does not know, has it
// twice or with another type, or ends within one.
[[nodiscard]] std::optional<MessageHead> read_head(std::span<const unsigned char> bytes);

}  // namespace netperfd::dbus
