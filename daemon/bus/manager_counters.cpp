// SPDX-License-Identifier: GPL-2.0-or-later
// The methods of org.netperfd1.Manager for a run's counters.
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "daemon/bus/errors.hpp"
#include "daemon/bus/manager_object.hpp"
#include "daemon/bus/options.hpp"
#include "daemon/bus/wire.hpp"
#include "daemon/bus/wire_counters.hpp"

namespace netperfd::bus {
namespace {

template <class Item, class MakeRow>
std::tuple<dbus::Rows, std::string, std::uint64_t> part_of(const std::vector<Item>& items,
                                                           const std::string& cursor, std::uint32_t limit,
                                                           MakeRow make_row) {
  const std::uint64_t offset = value_or_throw(parse_cursor(cursor));
  auto rows = fitting_part(items.size(), offset, page_limit(limit, kMaxRows),
                           [&](std::size_t i) { return make_row(items[i]); });
  std::string next = next_cursor(offset, rows.size(), items.size());
  return {std::move(rows), std::move(next), items.size()};
}

}  // namespace

std::tuple<ManagerObject::Dicts, std::string, std::uint64_t, std::vector<std::string>>
ManagerObject::ListCounters(const std::uint64_t& run, const std::string& cursor, const std::uint32_t& limit) {
  return dbus::guarded([&] {
    const Counters found = value_or_throw(ports_.queries.counters(value_or_throw(parse_id(run, "run"))));
    auto [rows, next, total] = part_of(found.deltas, cursor, limit, counter_row);
    return std::tuple{std::move(rows), std::move(next), total, unknown_counters(found)};
  });
}

ManagerObject::ListPage ManagerObject::ListTcpSamples(const std::uint64_t& run, const std::string& cursor,
                                                      const std::uint32_t& limit) {
  return dbus::guarded([&] {
    const Counters found = value_or_throw(ports_.queries.counters(value_or_throw(parse_id(run, "run"))));
    return part_of(found.tcp, cursor, limit, tcp_sample_row);
  });
}

}  // namespace netperfd::bus
