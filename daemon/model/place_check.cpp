// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/place_check.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

#include "daemon/model/text.hpp"
#include "daemon/model/units.hpp"

namespace netperfd {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr milliseconds kMaxServerWait = 1h;

struct DscpName {
  std::string_view name;
  std::uint32_t value;
};
// RFC 2474, RFC 2597 and RFC 3246.
constexpr DscpName kDscpNames[] = {
    {"af11", 10}, {"af12", 12}, {"af13", 14}, {"af21", 18}, {"af22", 20}, {"af23", 22}, {"af31", 26},
    {"af32", 28}, {"af33", 30}, {"af41", 34}, {"af42", 36}, {"af43", 38}, {"cs0", 0},   {"cs1", 8},
    {"cs2", 16},  {"cs3", 24},  {"cs4", 32},  {"cs5", 40},  {"cs6", 48},  {"cs7", 56},  {"ef", 46}};
// iperf3 takes these as the whole byte of which a DSCP is a part.
constexpr std::string_view kTosNames[] = {"lowdelay", "throughput", "reliability"};

// Limits of the kernel: IFNAMSIZ without the final NUL, NAME_MAX; and of the DNS: the length of a host name.
constexpr std::size_t kMaxInterfaceName = 15;
constexpr std::size_t kMaxNetns = 255;
constexpr std::size_t kMaxHost = 253;
constexpr std::size_t kMaxHostLabel = 63;

// A name whose last label is a number, such as 10.0.0.256, is a mistyped address.
bool is_host_name(std::string_view text) {
  if (text.empty() || text.size() > kMaxHost) return false;
  std::string_view label;
  while (!text.empty()) {
    const auto dot = std::min(text.find('.'), text.size());
    label = text.substr(0, dot);
    if (!is_word(label, "-_", kMaxHostLabel)) return false;
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return !std::ranges::all_of(label, [](char c) { return c >= '0' && c <= '9'; });
}

void check_family(const TestSpec& test, const char* key, Family family, WorkloadProblems& problems) {
  const bool contradicts = (family == Family::v4 && test.path.ip_version == IpVersion::v6) ||
                           (family == Family::v6 && test.path.ip_version == IpVersion::v4);
  if (contradicts) {
    problems.add_here(key,
                      fmt::format("is no IPv{} address, but ip_version is {}",
                                  to_string(test.path.ip_version), to_string(test.path.ip_version)),
                      {"ip_version"});
  }
}

void check_address(const TestSpec& test, const char* key, const std::string& address,
                   WorkloadProblems& problems) {
  const Family family = family_of(address);
  if (family == Family::none) {
    problems.add_here(key, fmt::format("\"{}\" is not an IPv4 or IPv6 address", address));
  }
  check_family(test, key, family, problems);
}

void check_netns(const char* key, const std::string& netns, WorkloadProblems& problems) {
  if (netns.empty() || is_word(netns, "._-+@:", kMaxNetns)) return;
  problems.add_here(
      key,
      fmt::format("\"{}\" is not the name of a network namespace (as `ip netns` lists it; no path)", netns));
}

}  // namespace

Family family_of(const std::string& address) {
  const auto percent = address.find('%');
  const std::string host = address.substr(0, percent);
  // inet_pton stops at a NUL; more text could hide behind it.
  if (host.contains('\0')) return Family::none;
  in6_addr v6{};
  if (inet_pton(AF_INET6, host.c_str(), &v6) == 1) {
    const bool zone_fits = percent == std::string::npos ||
                           is_word(std::string_view(address).substr(percent + 1), "._-", kMaxInterfaceName);
    return zone_fits ? Family::v6 : Family::none;
  }
  in_addr v4{};
  return percent == std::string::npos && inet_pton(AF_INET, host.c_str(), &v4) == 1 ? Family::v4
                                                                                    : Family::none;
}

std::optional<std::uint32_t> dscp_of(const std::string& text) {
  const auto* const named = std::ranges::find(kDscpNames, std::string_view(text), &DscpName::name);
  if (named != std::end(kDscpNames)) return named->value;
  const auto number = parse_bytes(text);
  // iperf3 reads a leading 0 as octal: "010" would be 8 there and 10 to the reader.
  if (!number || *number > 63 || std::to_string(*number) != text) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

bool is_dscp(const std::string& text) {
  return dscp_of(text).has_value() || std::ranges::find(kTosNames, text) != std::end(kTosNames);
}

void check_place(const TestSpec& test, WorkloadProblems& problems) {
  check_netns("netns", test.path.netns, problems);
  if (test.path.local) {
    check_netns("local.netns", test.path.local->netns, problems);
    check_address(test, "local.bind", test.path.local->bind, problems);
    if (test.path.local->bind == "0.0.0.0" || test.path.local->bind == "::") {
      problems.add_here("local.bind", "must be one address, since the client connects to it");
    }
    if (test.path.server != test.path.local->bind) {
      problems.add_here("server", "stands beside `local`; a job has one of the two", {"local", "local.bind"});
    }
  } else if (test.path.server.empty()) {
    problems.add_here("server",
                      "is missing: the host to measure against, or `local` for a server of netperfd's own",
                      {"local"});
  } else if (const Family family = family_of(test.path.server); family != Family::none) {
    check_family(test, "server", family, problems);
  } else if (!is_host_name(test.path.server)) {
    problems.add_here("server", fmt::format("\"{}\" is not a host name or an address", test.path.server));
  }
  if (!test.path.bind.empty()) check_address(test, "bind", test.path.bind, problems);
  problems.require_range("server_wait", test.path.server_wait, 0ms, kMaxServerWait);
  if (test.path.local && test.path.server_wait > 0ms) {
    problems.add_here("server_wait", "stands beside `local`, whose server netperfd itself starts", {"local"});
  }
}

void check_place_of_any(const TestSpec& test, WorkloadProblems& problems) {
  const bool has_server = test.path.local || !test.path.server.empty();
  if (has_server) return check_place(test, problems);
  check_netns("netns", test.path.netns, problems);
}

}  // namespace netperfd
