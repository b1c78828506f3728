// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/drop_check.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace netperfctl {
namespace {

// Reasons of include/net/dropreason-core.h, each with the counters that the kernel increments with it.
struct Kind {
  std::string_view reason;
  std::array<std::string_view, 4> counters;  // empty ones at the end
};

constexpr std::array<Kind, 11> kKinds{{{"CPU_BACKLOG", {"dropped"}},
                                       {"SOCKET_RCVBUFF", {"UdpRcvbufErrors", "Udp6RcvbufErrors"}},
                                       {"PROTO_MEM", {"UdpMemErrors", "Udp6MemErrors", "TcpExtTCPRcvQDrop"}},
                                       {"SOCKET_BACKLOG", {"TcpExtTCPBacklogDrop"}},
                                       {"TCP_ZEROWINDOW", {"TcpExtTCPZeroWindowDrop"}},
                                       {"TCP_CSUM", {"TcpInCsumErrors"}},
                                       {"UDP_CSUM", {"UdpInCsumErrors", "Udp6InCsumErrors"}},
                                       {"IP_CSUM", {"IpExtInCsumErrors"}},
                                       {"IP_INHDR", {"IpInHdrErrors", "Ip6InHdrErrors"}},
                                       {"IP_NOPROTO", {"IpInUnknownProtos", "Ip6InUnknownProtos"}},
                                       {"IP_OUTNOROUTES", {"IpOutNoRoutes", "Ip6OutNoRoutes"}}}};

const Kind* kind_of(const DropView& drop) {
  const auto found =
      std::ranges::find(kKinds, std::string_view{drop.reason ? *drop.reason : ""}, &Kind::reason);
  return found == kKinds.end() ? nullptr : &*found;
}

}  // namespace

DropChecks check_drops(const std::vector<DropView>& drops, const std::vector<CounterView>& counters) {
  DropChecks checks;
  for (const Kind& kind : kKinds) {
    DropCheck check{std::string{kind.reason}, {}, 0, 0};
    for (const std::string_view name : kind.counters) {
      if (name.empty()) break;
      // Of softnet alone it is a counter of all of the CPUs; drivers have words of their own.
      const auto sum = [&](const CounterView& each) {
        const bool known = each.source == "softnet" || each.source == "snmp" || each.source == "netstat" ||
                           each.source == "snmp6";
        return known && each.name == name ? each.delta : 0;
      };
      std::uint64_t counted = 0;
      for (const CounterView& each : counters) counted += sum(each);
      if (counted == 0 && name != kind.counters.front()) continue;
      check.counted += counted;
      check.counter += (check.counter.empty() ? "" : " + ") + std::string{name};
    }
    for (const DropView& drop : drops) {
      if (kind_of(drop) == &kind) check.seen += drop.count.value_or(0);
    }
    if (check.counted > 0 || check.seen > 0) checks.kinds.push_back(std::move(check));
  }
  for (const DropView& drop : drops) {
    if (kind_of(drop) == nullptr) checks.seen_uncounted += drop.count.value_or(0);
  }
  return checks;
}

}  // namespace netperfctl
