// SPDX-License-Identifier: GPL-2.0-or-later
// The header of a D-Bus message, for deciding about its descriptors before they are received. The bus has
// validated it. Anything unusual is no header here: then the descriptors are not received.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace netperfd::dbus {

enum class MessageType : std::uint8_t { call = 1, reply = 2, error = 3, signal = 4 };

// Number of bytes that every message begins with, and that its size is in.
inline constexpr std::size_t kFixedHead = 16;

struct MessageSize {
  std::size_t head = 0;   // its header, without the padding after it
  std::size_t whole = 0;  // all of it
};

struct MessageHead {
  MessageType type = MessageType::call;
  std::uint32_t descriptors = 0;  // UNIX_FDS
  // They point into the bytes; empty if absent.
  std::string_view path, interface, member, sender;
};

// Nothing if no message begins with these bytes.
[[nodiscard]] std::optional<MessageSize> size_of_message(std::span<const unsigned char, kFixedHead> bytes);
// `bytes` are exactly the header. Nothing if it has a field that the specification does not know, has it
// twice or with another type, or ends within one.
[[nodiscard]] std::optional<MessageHead> read_head(std::span<const unsigned char> bytes);

}  // namespace netperfd::dbus
