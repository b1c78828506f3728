// SPDX-License-Identifier: GPL-2.0-or-later
// The methods of org.netperfd1.Manager for a run's counters.
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "daemon/bus/errors.hpp"
#include "daemon/bus/list_part.hpp"
#include "daemon/bus/manager_object.hpp"
#include "daemon/bus/wire_counters.hpp"

namespace netperfd::bus {
std::tuple<ManagerObject::Dicts, std::string, std::uint64_t, std::vector<std::string>>
ManagerObject::ListCounters(const std::uint64_t& run, const std::string& cursor, const std::uint32_t& limit) {
  return dbus::guarded([&] {
    const Counters found = value_or_throw(ports_.queries.counters(value_or_throw(parse_id(run, "run"))));
    auto [rows, next, total] = list_part(found.deltas, cursor, limit, counter_row);
    return std::tuple{std::move(rows), std::move(next), total, unknown_counters(found)};
  });
}

ManagerObject::ListPage ManagerObject::ListTcpSamples(const std::uint64_t& run, const std::string& cursor,
                                                      const std::uint32_t& limit) {
  return dbus::guarded([&] {
    const Counters found = value_or_throw(ports_.queries.counters(value_or_throw(parse_id(run, "run"))));
    return list_part(found.tcp, cursor, limit, tcp_sample_row);
  });
}

ManagerObject::ListPage ManagerObject::ListQueueSamples(const std::uint64_t& run, const std::string& cursor,
                                                        const std::uint32_t& limit) {
  return dbus::guarded([&] {
    const Counters found = value_or_throw(ports_.queries.counters(value_or_throw(parse_id(run, "run"))));
    return list_part(found.queues, cursor, limit, queue_sample_row);
  });
}

}  // namespace netperfd::bus
