// SPDX-License-Identifier: GPL-2.0-or-later
// Daemon's call about the counters of a run.
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "client/bus/daemon.hpp"
#include "client/bus/daemon_bus.hpp"

namespace netperfctl {

Outcome<CountersView> Daemon::counters(std::uint64_t run, bool tcp, bool queues) {
  return call([&] {
    CountersView view;
    view.counters = all_pages<CounterView>([&](const std::string& cursor) {
      auto page = bus_->ask<RowsOf<CounterView>, std::string, std::uint64_t, std::vector<std::string>>(
          "ListCounters", run, cursor, std::uint32_t{0});
      view.unknown = std::move(std::get<3>(page));
      return page;
    });
    if (tcp) {
      view.tcp = bus_->list<TcpSampleView>("ListTcpSamples", run);
    }
    if (queues) {
      view.queues = bus_->list<QueueSampleView>("ListQueueSamples", run);
    }
    return view;
  });
}

}  // namespace netperfctl
