// SPDX-License-Identifier: GPL-2.0-or-later
// ICMP echo messages of the kernel's ping sockets, which set identifier and checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace netperfd::echo {

inline constexpr std::size_t kPingHeader = 8;

// `payload` with a header before it, in `into`, which has room for it.
[[nodiscard]] std::span<const std::byte> make_ping(std::span<const std::byte> payload, bool six,
                                                   std::uint32_t sequence, std::span<std::byte> into);
// Of an echo reply; of anything else nothing.
[[nodiscard]] std::span<std::byte> ping_payload(std::span<std::byte> message, bool six);

}  // namespace netperfd::echo
