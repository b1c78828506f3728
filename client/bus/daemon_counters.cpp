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
      auto page = bus_->ListCounters(run, cursor, 0);
      view.unknown = std::move(std::get<3>(page));
      return page;
    });
    if (tcp) {
      view.tcp = all_pages<TcpSampleView>(
          [&](const std::string& cursor) { return bus_->ListTcpSamples(run, cursor, 0); });
    }
    if (queues) {
      view.queues = all_pages<QueueSampleView>(
          [&](const std::string& cursor) { return bus_->ListQueueSamples(run, cursor, 0); });
    }
    return view;
  });
}

}  // namespace netperfctl
