// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/allowed_places.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <tuple>
#include <utility>

#include "daemon/model/problems.hpp"

namespace netperfd {
namespace {

constexpr std::size_t kMaxRule = 255;
constexpr std::string_view kAnyHost = "*";

// Of IPv4 as mapped into IPv6, so that one comparison of bits is enough.
using Bits = std::array<std::uint8_t, 16>;
constexpr unsigned kMappedBits = 96;

struct Network {
  Bits address{};
  unsigned length = 128;  // of what is compared, in bits
};

Bits mapped(const in_addr& v4) {
  Bits bits{};
  bits[10] = bits[11] = 0xff;
  std::memcpy(&bits[12], &v4, sizeof v4);
  return bits;
}

bool is_mapped(const Bits& bits) {
  constexpr Bits kPrefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return std::equal(bits.begin(), bits.begin() + 12, kPrefix.begin());
}

std::optional<Bits> parse_strict(const std::string& text) {
  if (text.contains('\0')) return std::nullopt;
  in_addr v4{};
  if (::inet_pton(AF_INET, text.c_str(), &v4) == 1) return mapped(v4);
  Bits v6{};
  if (::inet_pton(AF_INET6, text.c_str(), v6.data()) == 1) return v6;
  return std::nullopt;
}

// As the resolver and the kernel would take it.
std::optional<Bits> parse_address(const std::string& host) {
  auto bits = parse_strict(host.substr(0, host.find('%')));
  in_addr v4{};
  if (!bits && !host.contains('\0') && ::inet_aton(host.c_str(), &v4) != 0) bits = mapped(v4);
  if (!bits) return std::nullopt;
  if (*bits == Bits{}) return parse_strict("::1");
  if (*bits == mapped({})) return parse_strict("127.0.0.1");
  return bits;
}

bool is_within(const Bits& address, const Network& network) {
  for (unsigned bit = 0; bit < network.length; ++bit) {
    const unsigned mask = 0x80U >> (bit % 8);
    if ((address.at(bit / 8) & mask) != (network.address.at(bit / 8) & mask)) return false;
  }
  return true;
}

// "10.0.0.0/8", or an address alone. No bit beyond the length may be set: that is a mistake. Nor is IPv4
// written as IPv6: a network of both would be.
std::optional<Network> parse_network(std::string_view text) {
  const auto slash = text.find('/');
  const auto address = parse_strict(std::string(text.substr(0, slash)));
  if (!address || (text.contains(':') && is_mapped(*address))) return std::nullopt;
  const unsigned first = is_mapped(*address) ? kMappedBits : 0;
  Network network{.address = *address};
  if (slash == std::string_view::npos) return network;
  const std::string_view digits = text.substr(slash + 1);
  unsigned length = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
  if (error != std::errc{} || end != digits.data() + digits.size() || length > 128 - first)
    return std::nullopt;
  network.length = first + length;
  for (unsigned bit = network.length; bit < 128; ++bit) {
    if ((network.address.at(bit / 8) & (0x80U >> (bit % 8))) != 0) return std::nullopt;
  }
  return network;
}

struct Ports {
  unsigned first = 0, last = 0;
};

std::optional<Ports> parse_ports(std::string_view text) {
  constexpr unsigned kMost = 65'535;
  const auto parse = [](std::string_view digits) -> std::optional<unsigned> {
    unsigned number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc{} && end == digits.data() + digits.size() ? std::optional(number)
                                                                        : std::nullopt;
  };
  const auto dash = text.find('-');
  const auto first = parse(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse(text.substr(dash + 1));
  if (!first || !last) return std::nullopt;
  const Ports ports{.first = *first, .last = *last};
  const bool fits = ports.first >= 1 && ports.first <= ports.last && ports.last <= kMost;
  return fits ? std::optional(ports) : std::nullopt;
}

bool has_only(std::string_view text, std::string_view more) {
  const auto fits = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || more.contains(c);
  };
  return !text.empty() && text.size() <= kMaxRule && std::ranges::all_of(text, fits);
}

std::string name_of(std::string_view host) {
  std::string name(host);
  if (name.ends_with('.')) name.pop_back();
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return name;
}

bool fits_pattern(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), FNM_NOESCAPE) == 0;
}

bool fits_port(const std::vector<std::string>& rules, unsigned port) {
  return std::ranges::any_of(rules, [port](const std::string& rule) {
    const auto ports = parse_ports(rule);
    return ports && port >= ports->first && port <= ports->last;
  });
}

std::string not_allowed(const std::string& value, const char* part, const std::vector<std::string>& rules) {
  const std::string allowed =
      rules.empty() ? std::string("nothing") : fmt::format("{}", fmt::join(rules, ", "));
  return fmt::format(
      "{} is not allowed: the key allow.{} of netperfd's configuration allows {}; other values are for "
      "root, and for scenarios that root installed, with their own ends",
      value, part, allowed);
}

std::vector<PortOfJob> ports_of(const JobSpec& spec) {
  return spec.workload.ports ? spec.workload.ports(spec) : std::vector<PortOfJob>{};
}

// Of A and of B, in a sweep at each point.
std::vector<std::vector<MachineSetting>> settings_of(const JobSpec& spec) {
  if (!spec.design || !spec.design->has_settings()) return {};
  std::vector<std::vector<MachineSetting>> all;
  const std::uint32_t points = spec.design->points();
  for (std::uint32_t point = std::min(points, 1U); point <= points; ++point) {
    for (const char side : {'A', 'B'}) all.push_back(spec.design->settings_of(side, point));
  }
  return all;
}

auto place_of(const JobSpec& spec) {
  const TestSpec& test = spec.test;
  return std::tuple(spec.workload, test.path.server, test.path.local, test.path.netns, test.path.bind,
                    test.path.ip_version, ports_of(spec));
}

}  // namespace

bool is_namespace_rule(std::string_view text) {
  return has_only(text, "._-+@:*?");
}

bool is_host_rule(std::string_view text) {
  if (parse_network(text)) return true;
  // A pattern of names. One without a letter but with a digit is an address or a network that was mistyped.
  const auto any_of = [text](auto is) { return std::ranges::any_of(text, is); };
  const bool letters = any_of([](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
  const bool digits = any_of([](char c) { return c >= '0' && c <= '9'; });
  return has_only(text, "._-*?") && (letters || !digits) && !parse_address(std::string(text));
}

bool is_port_rule(std::string_view text) {
  return parse_ports(text).has_value();
}

bool fits_host(const std::vector<std::string>& rules, std::string_view host) {
  const auto address = parse_address(std::string(host));
  return std::ranges::any_of(rules, [&](const std::string& rule) {
    if (rule == kAnyHost) return true;
    const auto network = parse_network(rule);
    if (network.has_value() != address.has_value()) return false;
    return network ? is_within(*address, *network) : fits_pattern(name_of(rule), name_of(host));
  });
}

std::vector<JobProblem> check_allowed(const JobSpec& spec, const AllowedPlaces& allowed) {
  Problems problems;
  // The installed module may stand beside an allowed file of it. Alone, it would be any of the machine.
  const auto is_beside_file = [&](const MachineSetting& setting, const std::optional<Variant>& other) {
    return setting.value == kInstalled && other &&
           std::ranges::any_of(other->settings, [&](const MachineSetting& each) {
             return each.target == setting.target && not_allowed(each, allowed.settings).empty();
           });
  };
  const auto check_side = [&](const char* key, const std::optional<Variant>& side,
                              const std::optional<Variant>& other) {
    if (!side) return;
    for (const MachineSetting& setting : side->settings) {
      std::string why = not_allowed(setting, allowed.settings);
      if (!why.empty() && !is_beside_file(setting, other)) problems.add(key, std::move(why));
    }
  };
  if (spec.design) {
    check_side("design.a.machine", spec.design->a, spec.design->b);
    check_side("design.b.machine", spec.design->b, spec.design->a);
    for (const SweepAxis& axis : spec.design->sweep) {
      if (!axis.is_of_machine()) continue;
      for (const std::string& value : axis.values) {
        if (std::string why = not_allowed({axis.key, value}, allowed.settings); !why.empty())
          problems.add("sweep." + axis.key, std::move(why));
      }
    }
  }
  const TestSpec& place = spec.test;
  const std::string above = fmt::format("workload.{}.", spec.workload.name);
  const auto check_netns = [&](const std::string& key, const std::string& netns) {
    if (netns.empty() || !allowed.namespaces) return;
    const bool fits = std::ranges::any_of(*allowed.namespaces,
                                          [&](const std::string& rule) { return fits_pattern(rule, netns); });
    if (!fits)
      problems.add(above + key, not_allowed(fmt::format("\"{}\"", netns), "namespaces", *allowed.namespaces));
  };
  const bool has_path = spec.workload.measures_path;
  if (has_path) check_netns("netns", place.path.netns);
  if (has_path && place.path.local) check_netns("local.netns", place.path.local->netns);
  if (has_path && allowed.hosts && !fits_host(*allowed.hosts, place.path.server)) {
    problems.add(above + (place.path.local ? "local.bind" : "server"),
                 not_allowed(fmt::format("\"{}\"", place.path.server), "hosts", *allowed.hosts));
  }
  for (PortOfJob& port : ports_of(spec)) {
    if (allowed.ports && !fits_port(*allowed.ports, port.port))
      problems.add(std::move(port.key), not_allowed(std::to_string(port.port), "ports", *allowed.ports));
  }
  return problems.take();
}

bool is_same_place(const JobSpec& a, const JobSpec& b) {
  return place_of(a) == place_of(b);
}

bool sets_no_more(const JobSpec& job, const JobSpec& other) {
  const auto known = settings_of(other);
  return std::ranges::all_of(settings_of(job), [&](const std::vector<MachineSetting>& side) {
    return side.empty() || std::ranges::find(known, side) != known.end();
  });
}

std::string describe(const AllowedPlaces& allowed) {
  const auto part = [](const std::optional<std::vector<std::string>>& rules, const char* one,
                       const char* many) {
    if (!rules) return fmt::format("any {}", one);
    return rules->empty() ? fmt::format("no {}", one) : fmt::format("{} {}", many, fmt::join(*rules, ", "));
  };
  std::string text = fmt::format("{}; {}; {}", part(allowed.namespaces, "named namespace", "namespaces"),
                                 part(allowed.hosts, "host", "hosts"), part(allowed.ports, "port", "ports"));
  if (allowed.settings != AllowedSettings{}) text += "; " + describe(allowed.settings);
  return text;
}

}  // namespace netperfd
