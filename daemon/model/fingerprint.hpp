// The facts of the environment that could explain why one run differs from another, taken with every run.
//
// A fact belongs to a group; a declared change names groups. Facts that change from run to run by themselves
// (a temperature, a free-running counter) are none.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace netperfd {

struct Fact {
  // kernel, module:NAME, sysctl:KEY, nic, cpu, irq, rps, xps, qdisc, clock, iperf3, topology or trace.
  std::string group;
  std::string key;    // unique in its group: "release", "veth0@ring-a feature rx-gro"
  std::string value;  // as the kernel or the tool has it; one line

  bool operator==(const Fact&) const = default;
  auto operator<=>(const Fact&) const = default;
};

// The value of a fact of which it is known that there is none.
inline constexpr std::string_view kAbsentValue = "(absent)";
// The one clause of Fingerprint::unknown that is about all groups: where a document was imported.
inline constexpr std::string_view kAllElse = "everything but what the iperf3 document tells";

struct Fingerprint {
  std::string boot_id;      // /proc/sys/kernel/random/boot_id: the unit that runs of one boot share
  std::vector<Fact> facts;  // by group, then by key
  // What could not be learnt, a clause each: "nic: veth0@ring-a: ethtool: Operation not permitted", or
  // kAllElse. Groups are compared without it, and the comparison says so.
  std::vector<std::string> unknown;

  bool operator==(const Fingerprint&) const = default;
};

// What is wrong with a group that somebody declares to change, as a clause that names it; nothing where
// facts may belong to it.
[[nodiscard]] std::optional<std::string> wrong_fact_group(std::string_view group);

}  // namespace netperfd
