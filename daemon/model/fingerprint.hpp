// SPDX-License-Identifier: GPL-2.0-or-later
// The facts of the environment that could explain why one run differs from another, recorded with every run.
//
// A fact belongs to a group; a declared change names groups. Values that change by themselves from run to run
// (a temperature, a free-running counter) are not facts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "dbus/rows/field.hpp"

namespace netperfd {

struct Fact {
  // kernel, module:NAME, sysctl:KEY, nic, cpu, irq, rps, xps, qdisc, clock, iperf3, latency, command,
  // netperf, sockperf, table, machine, topology or trace.
  std::string group;
  std::string key;    // unique in its group: "release", "veth0@ring-a feature rx-gro"
  std::string value;  // as the kernel or the tool has it; one line

  bool operator==(const Fact&) const = default;
  auto operator<=>(const Fact&) const = default;
};
template <>
inline constexpr auto rows::kFields<Fact> =
    std::tuple{rows::field("group", &netperfd::Fact::group), rows::field("key", &netperfd::Fact::key),
               rows::field("value", &netperfd::Fact::value)};
static_assert(rows::kDescribed<Fact>);

// The group of the facts about the trace; the plain runs of a design lack them.
inline constexpr std::string_view kTraceFacts = "trace";
inline constexpr std::string_view kMachineFacts = "machine";  // what the sides of a design set
// Of iperf3: its version and its options. If a key has a full stop, it is a place in iperf3's document, such
// as "test_start.tos", and only an imported document has it.
inline constexpr std::string_view kIperf3Facts = "iperf3";
// The value of a fact that is known to be absent.
inline constexpr std::string_view kAbsentValue = "(absent)";
// The clause of Fingerprint::unknown that covers all other groups, used for imported documents.
inline constexpr std::string_view kAllElse = "everything but what the iperf3 document tells";

struct Fingerprint {
  std::string boot_id;      // /proc/sys/kernel/random/boot_id: identifies the runs of one boot
  std::vector<Fact> facts;  // by group, then by key
  // Unknown facts, a clause each: "nic: veth0@ring-a: ethtool: Operation not permitted", or kAllElse. Groups
  // are compared without them, and the comparison says so.
  std::vector<std::string> unknown;

  bool operator==(const Fingerprint&) const = default;
};

// A clause on what is wrong with a group that somebody declares to change; absent if facts may belong to it.
// The names of modules and sysctls may be patterns: "sysctl:net.ipv4.tcp_*".
[[nodiscard]] std::optional<std::string> wrong_fact_group(std::string_view group);
// Whether `group` is one of the declared groups, or fits one of their patterns.
[[nodiscard]] bool is_declared(const std::vector<std::string>& declared, const std::string& group);

}  // namespace netperfd
