// SPDX-License-Identifier: GPL-2.0-or-later
// Compares the kernel's drop counters with the events of skb:kfree_skb.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/rows/counter_views.hpp"
#include "client/rows/views.hpp"

namespace netperfctl {

// A kind of drop for which the kernel has both a counter and a reason.
struct DropCheck {
  std::string reason;         // "SOCKET_RCVBUFF"
  std::string counter;        // "UdpRcvbufErrors", or several with " + "
  std::uint64_t counted = 0;  // by the counters, in the run's network namespaces
  std::uint64_t seen = 0;     // by the tracepoint, on the whole machine
};

struct DropChecks {
  std::vector<DropCheck> kinds;      // those with a value other than 0
  std::uint64_t seen_uncounted = 0;  // for reasons without one of these counters
};

[[nodiscard]] DropChecks check_drops(const std::vector<DropView>& drops,
                                     const std::vector<CounterView>& counters);

}  // namespace netperfctl
