// SPDX-License-Identifier: GPL-2.0-or-later
// What a side of a design sets on the machine: tools/switch sets it, reads it back and brings back what was
// there.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace netperfd {

struct MachineSetting {
  std::string target;  // "offload.gro.veth0@left", "sysctl.net.ipv4.tcp_sack", "module.hsr", "governor"
  std::string value;

  bool operator==(const MachineSetting&) const = default;
};

enum class SettingKind {
  sysctl,
  mtu,
  qdisc,
  offload,
  coalesce,
  ring,
  queues,
  rps,
  xps,
  irq,
  governor,
  module
};

// What a target names.
struct SettingTarget {
  SettingKind kind = SettingKind::sysctl;
  std::string name;  // of the sysctl, feature, parameter, interrupt or module; otherwise empty
  std::string device;
  std::string netns;  // empty: the host's namespace

  // "veth0@left": of a device or sysctl.
  [[nodiscard]] std::string place() const;
  bool operator==(const SettingTarget&) const = default;
};

// Absent: it is no target.
[[nodiscard]] std::optional<SettingTarget> parse_setting_target(std::string_view text);
// Whether the word is the kind of a target, so that a key that begins with it is one.
[[nodiscard]] bool begins_setting_target(std::string_view text);

// A sentence on what is wrong with the setting; empty: nothing.
[[nodiscard]] std::string wrong_setting(const MachineSetting& setting);

inline constexpr std::string_view kInstalled = "installed";  // of a module: what modprobe finds
inline constexpr const char* kAsItWas = "as it was";         // the value on a side that does not set it

// Whether facts of the group change with it: "sysctl:net.ipv4.tcp_sack", "nic".
[[nodiscard]] bool changes_facts(const SettingTarget& target, std::string_view group);

// What root allows to members in their own jobs: the keys `allow.devices` and so on. Empty: nothing.
struct AllowedSettings {
  std::vector<std::string> devices = {};  // patterns of "veth0@left"; without `@`, the host's own
  std::vector<std::string> sysctls = {};  // patterns of "net.ipv4.tcp_sack@left", likewise
  std::vector<std::string> modules = {};  // directories of the files from which modules are loaded
  std::vector<std::string> irqs = {};     // patterns of their numbers
  bool governor = false;

  bool operator==(const AllowedSettings&) const = default;
};

// Why the setting is not allowed; empty: it is.
[[nodiscard]] std::string not_allowed(const MachineSetting& setting, const AllowedSettings& allowed);

// "devices eth1, veth*@left; no sysctl; no module; no irq; no governor"
[[nodiscard]] std::string describe(const AllowedSettings& allowed);

}  // namespace netperfd
