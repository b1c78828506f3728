// Which device the packets to an address leave by, from the texts in /proc/PID/net.
//
// Rules of policy routing and other tables than main and local stand in none of them: where such a rule sends
// packets another way, the answer is wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace netperfd::counters {

// 4 or 16 bytes, as they go over the wire.
struct Address {
  std::vector<std::uint8_t> bytes;
  std::string device;  // behind a "%", as addresses of one link have it; else empty

  bool operator==(const Address&) const = default;
};

// Nothing where `text` is a host name. An IPv4 address written as an IPv6 one is an IPv4 address.
[[nodiscard]] std::optional<Address> parse_address(std::string_view text);

struct RouteTexts {
  std::string route;       // the main table of IPv4
  std::string fib_trie;    // the addresses of IPv4 that are this namespace's own
  std::string ipv6_route;  // all tables of IPv6
};

// "lo" for an address of the namespace's own. Nothing where no route leads there or none can be read.
[[nodiscard]] std::optional<std::string> device_to(const Address& address, const RouteTexts& texts);

}  // namespace netperfd::counters
