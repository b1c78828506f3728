// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/fact_causes.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "daemon/analysis/compare/fact_values.hpp"
#include "daemon/model/machine_setting.hpp"

namespace netperfd::analysis {
namespace {

constexpr std::string_view kKernel = "kernel";

// Keys of a module that identify its build.
constexpr std::array<std::string_view, 4> kOfBuild = {"build-id", "srcversion", "version", "size"};

const FactChange* find(const std::vector<FactChange>& facts, std::string_view group, std::string_view key) {
  const auto found = std::ranges::find_if(
      facts, [&](const FactChange& fact) { return fact.group == group && fact.key == key; });
  return found == facts.end() ? nullptr : &*found;
}

bool kernel_built_anew(const std::vector<FactChange>& facts) {
  constexpr std::array<std::string_view, 3> kBuild = {"release", "version", "build-id"};
  return std::ranges::any_of(kBuild,
                             [&](std::string_view key) { return find(facts, kKernel, key) != nullptr; });
}

bool is_absent(const std::vector<std::string>& values) {
  return values.size() == 1 && values.front() == kAbsentValue;
}

// What a boot sets anew. Not what the machine is made of, nor what another program than the kernel loads.
bool is_setting(const FactChange& fact) {
  constexpr std::array<std::string_view, 8> kFamilies = {"sysctl", "module", "nic", "qdisc",
                                                         "rps",    "xps",    "irq", "clock"};
  constexpr std::array<std::string_view, 9> kOfCpu = {
      "isolated", "nohz_full",        "idle driver",       "idle governor",    "frequency driver",
      "governor", "lowest frequency", "highest frequency", "energy preference"};
  const std::string_view family = family_of(fact.group);
  if (family == "cpu") return std::ranges::find(kOfCpu, fact.key) != kOfCpu.end();
  if (fact.key.find("firmware") != std::string::npos) return false;
  return std::ranges::find(kFamilies, family) != kFamilies.end();
}

// Of a socket, as iperf3 read it.
bool is_size_of_buffer(std::string_view key) {
  return key == "start.sndbuf_actual" || key == "start.rcvbuf_actual";
}

bool follows_from_kernel(const FactChange& fact, const std::vector<FactChange>& facts,
                         const KnownOfSides& known) {
  if (fact.group == kKernel) return false;
  if (known.booted && is_setting(fact)) {
    return kernel_built_anew(facts) || find(facts, kKernel, "command line") != nullptr;
  }
  if (!kernel_built_anew(facts)) return false;
  if (fact.group == kIperf3Facts) return known.windows_of_kernel && is_size_of_buffer(fact.key);
  const std::string_view family = family_of(fact.group);
  const bool of_build = std::ranges::find(kOfBuild, fact.key) != kOfBuild.end();
  if (family == "module" && of_build) return true;
  const bool setting = family == "sysctl" || (family == "module" && fact.key.starts_with("parameter ")) ||
                       (family == "nic" && fact.key.find(" feature ") != std::string::npos);
  if (setting && (is_absent(fact.a) || is_absent(fact.b))) return true;
  const FactChange* release = find(facts, kKernel, "release");
  return release != nullptr && fact.a == release->a && fact.b == release->b;
}

// The module of a congestion control that one side alone asks for: "tcp_bbr".
bool follows_from_congestion(const FactChange& fact, const std::vector<FactChange>& facts) {
  constexpr std::string_view kModule = "module:tcp_";
  if (!fact.group.starts_with(kModule)) return false;
  const FactChange* congestion = find(facts, kIperf3Facts, "congestion");
  if (congestion == nullptr) return false;
  const std::string name = fact.group.substr(kModule.size());
  const auto asks = [&name](const std::vector<std::string>& values) {
    return std::ranges::find(values, name) != values.end();
  };
  return asks(congestion->a) != asks(congestion->b);
}

// What a setting of the machine, which the sides set differently, changes too.
bool follows_from_machine(const FactChange& fact, const std::vector<FactChange>& facts) {
  return std::ranges::any_of(facts, [&](const FactChange& set) {
    if (set.group != kMachineFacts) return false;
    const auto target = parse_setting_target(set.key);
    return target && changes_facts(*target, fact.group);
  });
}

}  // namespace

std::string counts_to(const FactChange& fact, const std::vector<FactChange>& facts,
                      const KnownOfSides& known) {
  if (follows_from_congestion(fact, facts)) return std::string(kIperf3Facts);
  if (follows_from_machine(fact, facts)) return std::string(kMachineFacts);
  return follows_from_kernel(fact, facts, known) ? std::string(kKernel) : fact.group;
}

}  // namespace netperfd::analysis
