// The methods of org.netperfd1.Manager about what was counted while a run went on.
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "daemon/bus/errors.hpp"
#include "daemon/bus/manager_object.hpp"
#include "daemon/bus/options.hpp"
#include "daemon/bus/wire.hpp"
#include "daemon/bus/wire_counters.hpp"

namespace netperfd::bus {
namespace {

constexpr std::uint32_t kPageLimit = 2000;

}  // namespace

std::tuple<ManagerObject::Dicts, std::vector<std::string>, std::uint64_t> ManagerObject::ListCounters(
    const std::uint64_t& run, const std::uint64_t& offset, const std::uint32_t& limit) {
  return dbus::guarded([&] {
    const Counters found = value_or_throw(ports_.queries.counters(value_or_throw(parse_id(run, "run"))));
    return std::tuple{fitting_part(found.deltas.size(), offset, page_limit(limit, kPageLimit),
                                   [&](std::size_t i) { return counter_row(found.deltas[i]); }),
                      unknown_counters(found), std::uint64_t{found.deltas.size()}};
  });
}

std::tuple<ManagerObject::Dicts, std::uint64_t> ManagerObject::ListTcpSamples(const std::uint64_t& run,
                                                                              const std::uint64_t& offset,
                                                                              const std::uint32_t& limit) {
  return dbus::guarded([&] {
    const Counters found = value_or_throw(ports_.queries.counters(value_or_throw(parse_id(run, "run"))));
    return std::tuple{fitting_part(found.tcp.size(), offset, page_limit(limit, kPageLimit),
                                   [&](std::size_t i) { return tcp_sample_row(found.tcp[i]); }),
                      std::uint64_t{found.tcp.size()}};
  });
}

}  // namespace netperfd::bus
