// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "daemon/counters/device_facts.hpp"
#include "daemon/counters/ethtool.hpp"

namespace netperfd::counters {
namespace {

constexpr std::string_view kNicGroup = "nic";

// Most kinds of devices have the same name as their modules.
std::string module_of_kind(const std::string& kind) {
  constexpr std::array<std::pair<std::string_view, const char*>, 4> kOthers{
      {{"bond", "bonding"}, {"vlan", "8021q"}, {"gretap", "ip_gre"}, {"gre", "ip_gre"}}};
  const auto found = std::ranges::find(kOthers, kind, &std::pair<std::string_view, const char*>::first);
  return found != kOthers.end() ? found->second : kind;
}

void add_qdiscs(const std::string& label, const Link& link, FactSheet& sheet) {
  std::map<std::string, std::size_t> children;
  std::string ingress;
  for (const Qdisc& qdisc : link.qdiscs) {
    switch (qdisc.place) {
      case Qdisc::Place::root:
        sheet.add("qdisc", label + " root", qdisc.text);
        break;
      case Qdisc::Place::child:
        ++children[qdisc.text];
        break;
      case Qdisc::Place::ingress:
        ingress = qdisc.text;
        break;
    }
  }
  std::vector<std::string> words;
  for (const auto& [text, count] : children) words.push_back(fmt::format("{} of {}", count, text));
  if (!words.empty()) sheet.add("qdisc", label + " children", fmt::format("{}", fmt::join(words, ", ")));
  if (!ingress.empty()) sheet.add("qdisc", label + " ingress", ingress);
}

void put(const std::string& key, const std::optional<std::uint32_t>& value, FactSheet& sheet) {
  if (value) sheet.add(kNicGroup, key, fmt::format("{}", *value));
}

}  // namespace

void add_nic_facts(const NamespaceView& view, const Link& link, std::set<std::string>& modules,
                   FactSheet& sheet) {
  const std::string label = view.label(link);
  put(label + " mtu", link.mtu, sheet);
  put(label + " transmit queue length", link.transmit_queue_length, sheet);
  put(label + " gso_max_size", link.gso_max_size, sheet);
  put(label + " gso_max_segs", link.gso_max_segs, sheet);
  put(label + " gro_max_size", link.gro_max_size, sheet);
  sheet.add(kNicGroup, label + " up", link.up ? "yes" : "no");
  if (!link.xdp.empty()) sheet.add(kNicGroup, label + " xdp", link.xdp);
  add_qdiscs(label, link, sheet);

  const NicSettings settings = read_nic_settings(view.socket, link.name);
  if (settings.error_number != 0) sheet.add_unknown(kNicGroup, label + ": ethtool", settings.error_number);
  for (const auto& [key, value] : settings.settings) sheet.add(kNicGroup, label + " " + key, value);

  if (!link.kind.empty()) modules.insert(module_of_kind(link.kind));
  if (view.sys.empty()) return;
  const std::string device = fmt::format("{}/class/net/{}", view.sys, link.name);
  for (const char* file : {"speed", "duplex", "gro_flush_timeout", "napi_defer_hard_irqs", "threaded"}) {
    sheet.add_file(kNicGroup, fmt::format("{} {}", label, file), device + "/" + file);
  }
  if (const auto module = link_target(device + "/device/driver/module"); !module.empty()) {
    modules.insert(module);
  }
}

}  // namespace netperfd::counters
