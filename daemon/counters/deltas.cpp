// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/deltas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "daemon/model/counter_figure.hpp"

namespace netperfd::counters {
namespace {

// Counters that are kept even if they are 0.
constexpr std::array<std::string_view, 27> kExpected{"IpInDiscards",
                                                     "IpOutDiscards",
                                                     "TcpInSegs",
                                                     "TcpOutSegs",
                                                     "TcpRetransSegs",
                                                     "TcpInErrs",
                                                     "UdpInDatagrams",
                                                     "UdpInErrors",
                                                     "UdpRcvbufErrors",
                                                     "UdpSndbufErrors",
                                                     "TcpExtTCPTimeouts",
                                                     "TcpExtTCPLostRetransmit",
                                                     "TcpExtTCPFastRetrans",
                                                     "TcpExtTCPSlowStartRetrans",
                                                     "TcpExtListenDrops",
                                                     "TcpExtTCPBacklogDrop",
                                                     "TcpExtTCPRcvQDrop",
                                                     "Ip6InDiscards",
                                                     "Ip6OutDiscards",
                                                     "processed",
                                                     "dropped",
                                                     "time_squeeze",
                                                     "NET_RX",
                                                     "NET_TX",
                                                     "busy",
                                                     "idle",
                                                     "steal"};

constexpr std::array<std::string_view, 9> kSpreads{
    "processed", "dropped", "time_squeeze", "received_rps", "flow_limit_count",
    "NET_RX",    "NET_TX",  "busy",         "idle"};

constexpr std::size_t kNamesInClause = 3;

bool is_expected(std::string_view name) {
  return std::ranges::find(kExpected, name) != kExpected.end();
}

bool is_spread(std::string_view name) {
  return std::ranges::find(kSpreads, name) != kSpreads.end();
}

std::string unit_of(const CounterKind& kind, std::string_view name) {
  if (!kind.unit.empty()) return std::string{kind.unit};
  const bool bytes = name.ends_with("Octets") || name.ends_with(" rx_bytes") || name.ends_with(" tx_bytes");
  return bytes ? "bytes" : "";
}

using Key = std::pair<std::string, std::optional<std::uint32_t>>;  // a name and its CPU

std::map<Key, std::uint64_t> by_key(const Readings& readings) {
  std::map<Key, std::uint64_t> found;
  for (const Reading& reading : readings) found[{reading.name, reading.cpu}] += reading.value;
  return found;
}

// Modulo 2^64, so that the sum over CPUs is right where one fell within its rounding. Absent if the counter
// went back without a possible wrap-round.
std::optional<std::uint64_t> difference(const CounterKind& kind, std::uint64_t before, std::uint64_t after) {
  if (after >= before || before - after <= kind.rounding) return after - before;
  if (kind.bits != 32) return std::nullopt;
  return static_cast<std::uint32_t>(after - before);
}

std::string clause(const CounterKind& kind, std::string_view netns, const std::set<std::string>& names) {
  std::string listed;
  std::size_t count = 0;
  for (const std::string& name : names) {
    if (count == kNamesInClause) break;
    listed += (count++ == 0 ? "" : ", ") + name;
  }
  if (names.size() > count) listed += fmt::format(" and {} more", names.size() - count);
  return fmt::format("{}{}{}: not there from the release to the end, or begun anew: {}", kind.source,
                     netns.empty() ? "" : " of ", netns, listed);
}

}  // namespace

void add_deltas(const CounterKind& kind, std::string_view netns, const Readings& before,
                const Readings& after, Counters& counters, const KeptZeros& zeros) {
  std::map<Key, std::uint64_t> first = by_key(before);
  std::map<std::string, std::uint64_t> sums;
  std::set<std::string> broken;
  const auto add = [&](std::string name, bool keep, std::uint64_t delta) {
    if (kind.rounding > 0 && static_cast<std::int64_t>(delta) < 0) delta = 0;
    std::string unit = unit_of(kind, name);
    CounterDelta counter{std::string{kind.source}, std::string{netns}, std::move(name), delta,
                         std::move(unit)};
    const auto is_asked_for = [&] {
      return !zeros.figures.empty() && zeros.figures.contains(counter_figure_of(counter));
    };
    if (delta > 0 || (keep && zeros.expected) || is_asked_for())
      counters.deltas.push_back(std::move(counter));
  };
  for (const auto& [key, value] : by_key(after)) {
    const auto& [name, cpu] = key;
    const auto found = first.find(key);
    std::optional<std::uint64_t> delta;
    if (found != first.end()) {
      delta = difference(kind, found->second, value);
      first.erase(found);
    } else if (kind.begins_at_zero) {
      delta = value;
    }
    if (!delta) {
      broken.insert(name);
      continue;
    }
    sums[name] += *delta;
    if (cpu && is_spread(name)) add(fmt::format("cpu{} {}", *cpu, name), false, *delta);
  }
  for (const auto& [key, value] : first) broken.insert(key.first);
  for (const auto& [name, delta] : sums) {
    if (!broken.contains(name)) add(name, is_expected(name), delta);
  }
  if (!broken.empty() && !kind.holds_gauges) counters.unknown.push_back(clause(kind, netns, broken));
}

void add_figures(const CounterKind& kind, std::string_view netns, const Readings& readings,
                 std::vector<std::string>& names) {
  CounterDelta counter{
      .source = std::string{kind.source}, .netns = std::string{netns}, .name = {}, .unit = {}};
  const auto add = [&](std::string name) {
    counter.name = std::move(name);
    if (std::string figure = counter_figure_of(counter); !figure.empty()) names.push_back(std::move(figure));
  };
  std::set<std::string_view> seen;
  for (const Reading& reading : readings) {
    if (seen.insert(reading.name).second) add(reading.name);
    if (reading.cpu && is_spread(reading.name)) add(fmt::format("cpu{} {}", *reading.cpu, reading.name));
  }
}

}  // namespace netperfd::counters
