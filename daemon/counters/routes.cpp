// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/routes.hpp"

#include <arpa/inet.h>
#include <net/route.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#include "daemon/counters/proc_file.hpp"

namespace netperfd::counters {
namespace {

constexpr std::string_view kLoopback = "lo";
constexpr std::array<std::uint8_t, 12> kMappedPrefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

struct Route {
  std::vector<std::uint8_t> prefix;
  unsigned bits = 0;  // length of the prefix
  std::uint32_t metric = 0;
  std::uint32_t flags = 0;
  std::string_view device;
};

std::optional<std::uint32_t> number(std::string_view word, int base) {
  return parse_number<std::uint32_t>(word, base);
}

bool lies_in(const Address& address, const Route& route) {
  if (address.bytes.size() != route.prefix.size() || route.bits > 8 * route.prefix.size()) return false;
  const std::size_t whole = route.bits / 8;
  if (!std::equal(route.prefix.begin(), route.prefix.begin() + static_cast<std::ptrdiff_t>(whole),
                  address.bytes.begin())) {
    return false;
  }
  const unsigned rest = route.bits % 8;
  return rest == 0 || (address.bytes[whole] ^ route.prefix[whole]) >> (8 - rest) == 0;
}

// The kernel writes the address's bytes as one number in host byte order.
std::vector<std::uint8_t> ipv4_bytes(std::uint32_t value) {
  std::vector<std::uint8_t> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// Iface Destination Gateway Flags RefCnt Use Metric Mask ...
std::optional<Route> parse_ipv4_route(std::string_view line) {
  const auto words = words_of(line);
  if (words.size() < 8) return std::nullopt;
  const auto destination = number(words[1], 16);
  const auto flags = number(words[3], 16);
  const auto metric = number(words[6], 10);
  const auto mask = number(words[7], 16);
  if (!destination || !flags || !metric || !mask) return std::nullopt;
  return Route{ipv4_bytes(*destination), static_cast<unsigned>(std::popcount(*mask)), *metric, *flags,
               words[0]};
}

// Destination and its length, source and its length, gateway, metric, RefCnt, Use, flags, device.
std::optional<Route> parse_ipv6_route(std::string_view line) {
  const auto words = words_of(line);
  if (words.size() < 10 || words[0].size() != 32) return std::nullopt;
  Route route;
  for (std::size_t at = 0; at < words[0].size(); at += 2) {
    const auto byte = number(words[0].substr(at, 2), 16);
    if (!byte) return std::nullopt;
    route.prefix.push_back(static_cast<std::uint8_t>(*byte));
  }
  const auto bits = number(words[1], 16);
  const auto metric = number(words[5], 16);
  const auto flags = number(words[8], 16);
  if (!bits || !metric || !flags) return std::nullopt;
  route.bits = *bits;
  route.metric = *metric;
  route.flags = *flags;
  route.device = words[9];
  return route;
}

// The most specific route; if there are several, the one with the lowest metric.
template <class Parse>
std::optional<Route> best_route(const Address& address, std::string_view text, Parse parse) {
  std::optional<Route> best;
  while (!text.empty()) {
    const std::optional<Route> route = parse(take_line(text));
    if (!route || (route->flags & RTF_UP) == 0 || !lies_in(address, *route)) continue;
    if (!address.device.empty() && route->device != address.device) continue;
    const bool better =
        !best || route->bits > best->bits || (route->bits == best->bits && route->metric < best->metric);
    if (better) best = route;
  }
  return best;
}

// A trie of prefixes, each with its type in the lines below it:
//   |-- 192.0.2.2
//      /32 host LOCAL
bool is_own_ipv4(const Address& address, std::string_view trie) {
  std::vector<std::uint8_t> prefix;
  while (!trie.empty()) {
    const auto words = words_of(take_line(trie));
    if (words.size() == 2 && words[0] == "|--") {
      const std::optional<Address> parsed = parse_address(words[1]);
      prefix = parsed ? parsed->bytes : std::vector<std::uint8_t>{};
    } else if (words.size() >= 3 && words[0].starts_with('/') && words[2] == "LOCAL") {
      const auto bits = number(words[0].substr(1), 10);
      if (bits && lies_in(address, {prefix, *bits, 0, 0, {}})) return true;
    }
  }
  return false;
}

}  // namespace

std::optional<Address> parse_address(std::string_view text) {
  Address address;
  const std::size_t percent = std::min(text.find('%'), text.size());
  address.device = text.substr(std::min(percent + 1, text.size()));
  const std::string digits(text.substr(0, percent));
  std::array<std::uint8_t, 16> bytes{};
  if (::inet_pton(AF_INET, digits.c_str(), bytes.data()) == 1) {
    address.bytes.assign(bytes.begin(), bytes.begin() + 4);
  } else if (::inet_pton(AF_INET6, digits.c_str(), bytes.data()) == 1) {
    const bool mapped = std::equal(kMappedPrefix.begin(), kMappedPrefix.end(), bytes.begin());
    address.bytes.assign(bytes.begin() + (mapped ? kMappedPrefix.size() : 0), bytes.end());
  } else {
    return std::nullopt;
  }
  return address;
}

RouteTexts read_route_texts(const std::string& net) {
  const auto text_of = [&net](const char* name) {
    return read_file(net + "/" + name, kLargestText).value_or("");
  };
  return {text_of("route"), text_of("fib_trie"), text_of("ipv6_route")};
}

std::optional<std::string> device_to(const Address& address, const RouteTexts& texts) {
  std::optional<Route> route;
  if (address.bytes.size() == 4) {
    if (is_own_ipv4(address, texts.fib_trie)) return std::string(kLoopback);
    route = best_route(address, texts.route, parse_ipv4_route);
  } else {
    route = best_route(address, texts.ipv6_route, parse_ipv6_route);
    // The namespace's own address is listed with the device that has it, but its packets go through loopback.
    if (route && (route->flags & RTF_LOCAL) != 0) return std::string(kLoopback);
  }
  if (!route || (route->flags & RTF_REJECT) != 0) return std::nullopt;
  return std::string(route->device);
}

}  // namespace netperfd::counters
