// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the device for packets to an address, from the texts in /proc/PID/net.
//
// None of these texts has rules of policy routing, or tables other than main and local. If such a rule
// redirects packets, the answer is wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace netperfd::counters {

// 4 or 16 bytes, in network order.
struct Address {
  std::vector<std::uint8_t> bytes;
  std::string device;  // after a "%", for link-local addresses; otherwise empty

  bool operator==(const Address&) const = default;
};

// Absent if `text` is a host name. An IPv4-mapped IPv6 address becomes an IPv4 address.
[[nodiscard]] std::optional<Address> parse_address(std::string_view text);

struct RouteTexts {
  std::string route;       // the main table of IPv4
  std::string fib_trie;    // the namespace's own addresses of IPv4
  std::string ipv6_route;  // all tables of IPv6
};

// Reads them from a directory such as /proc/PID/net; what cannot be read is empty.
[[nodiscard]] RouteTexts read_route_texts(const std::string& net);

// "lo" for an address of the namespace itself. Absent if there is no route or none can be read.
[[nodiscard]] std::optional<std::string> device_to(const Address& address, const RouteTexts& texts);

}  // namespace netperfd::counters
