// Daemon's question about what was counted while a run went on.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "client/daemon.hpp"
#include "client/daemon_bus.hpp"

namespace netperfctl {

Outcome<CountersView> Daemon::counters(std::uint64_t run, bool tcp) {
  return call([&] {
    CountersView view;
    for (;;) {
      auto [rows, unknown, total] = bus_->ListCounters(run, view.counters.size(), 0);
      std::ranges::move(from_rows<CounterView>(rows), std::back_inserter(view.counters));
      view.unknown = std::move(unknown);
      if (rows.empty() || view.counters.size() >= total) break;
    }
    while (tcp) {
      const auto [rows, total] = bus_->ListTcpSamples(run, view.tcp.size(), 0);
      std::ranges::move(from_rows<TcpSampleView>(rows), std::back_inserter(view.tcp));
      if (rows.empty() || view.tcp.size() >= total) break;
    }
    return view;
  });
}

}  // namespace netperfctl
