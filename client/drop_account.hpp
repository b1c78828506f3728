// What the kernel's counters say was dropped, beside what skb:kfree_skb saw.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/counter_views.hpp"
#include "client/views.hpp"

namespace netperfctl {

// One kind of drop, known to the kernel both as a counter and as a reason.
struct DropAccount {
  std::string reason;         // "SOCKET_RCVBUFF"
  std::string counter;        // "UdpRcvbufErrors", or several with " + "
  std::uint64_t counted = 0;  // by the counters, in the run's network namespaces
  std::uint64_t seen = 0;     // by the tracepoint, on the whole machine
};

struct DropAccounts {
  std::vector<DropAccount> kinds;    // those of which either is not 0
  std::uint64_t seen_uncounted = 0;  // for reasons that no counter of these stands for
};

[[nodiscard]] DropAccounts account_drops(const std::vector<DropView>& drops,
                                         const std::vector<CounterView>& counters);

}  // namespace netperfctl
