// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/echo/ping.hpp"

#include <algorithm>

namespace netperfd::echo {
namespace {

constexpr std::byte kEcho4{8}, kEchoReply4{0}, kEcho6{128}, kEchoReply6{129};

}  // namespace

std::span<const std::byte> make_ping(std::span<const std::byte> payload, bool six, std::uint32_t sequence,
                                     std::span<std::byte> into) {
  std::ranges::fill(into.first(kPingHeader), std::byte{0});
  into[0] = six ? kEcho6 : kEcho4;
  into[6] = static_cast<std::byte>((sequence >> 8U) & 0xffU);
  into[7] = static_cast<std::byte>(sequence & 0xffU);
  std::ranges::copy(payload, into.subspan(kPingHeader).begin());
  return into.first(kPingHeader + payload.size());
}

std::span<std::byte> ping_payload(std::span<std::byte> message, bool six) {
  if (message.size() < kPingHeader || message[0] != (six ? kEchoReply6 : kEchoReply4)) return {};
  return message.subspan(kPingHeader);
}

}  // namespace netperfd::echo
