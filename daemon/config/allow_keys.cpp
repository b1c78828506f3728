// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/config/allow_keys.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/model/text.hpp"

namespace netperfd::config {

using namespace keys;

namespace {

using Rules = std::vector<std::string>;

// A list that may be empty, which allows nothing.
Reader patterns(std::function<void(Rules)> keep, bool (*is_rule)(std::string_view), std::string expected) {
  return [keep = std::move(keep), is_rule,
          expected = std::move(expected)](const YamlNode& node) -> std::optional<std::string> {
    if (node.kind != YamlNode::Kind::list) return not_what(node, "a list");
    Rules values;
    for (const YamlNode& item : node.items) {
      if (item.kind != YamlNode::Kind::scalar || !is_rule(item.text)) return not_what(item, expected);
      values.push_back(item.text);
    }
    keep(std::move(values));
    return std::nullopt;
  };
}

Reader patterns(Rules& out, bool (*is_rule)(std::string_view), std::string expected) {
  return patterns([&out](Rules values) { out = std::move(values); }, is_rule, std::move(expected));
}

bool is_directory_rule(std::string_view text) {
  return text.starts_with('/') && !text.ends_with('/') && !text.contains("/../") && is_printable(text);
}

std::vector<Key> keys_of_settings(AllowedSettings& allow) {
  return {
      {"allow.devices",
       patterns(allow.devices, is_namespace_rule, "a pattern of devices (like eth1 or veth*@lab-*)"),
       {"list of patterns",
        "",
        "the devices on which the sides of such jobs may set something; those of a named network namespace "
        "are `DEVICE@NETNS`. See [designs](designs.md#sides-that-set-the-machine)",
        {}}},
      {"allow.sysctls",
       patterns(allow.sysctls, is_namespace_rule, "a pattern of sysctls (like net.ipv4.tcp_*@left)"),
       {"list of patterns", "", "the sysctls, likewise", {}}},
      {"allow.modules",
       patterns(allow.modules, is_directory_rule, "the absolute path of a directory, without a final /"),
       {"list of paths",
        "",
        "the directories from which they may load kernel modules: whoever may write there has root's rights",
        {}}},
      {"allow.irqs",
       patterns(allow.irqs, is_namespace_rule, "a pattern of numbers of interrupts (like 12*)"),
       {"list of patterns", "", "the interrupts that they may send to other CPUs", {}}},
      {"allow.governor",
       boolean(allow.governor),
       {"`true`, `false`", "", "whether they may set the governor of the CPUs' frequency", {}}},
  };
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks)

// As patterns(), or the word `any`.
Reader rules(std::optional<Rules>& out, bool (*is_rule)(std::string_view), std::string expected) {
  const Reader listed =
      patterns([&out](Rules values) { out = std::move(values); }, is_rule, std::move(expected));
  return [&out, listed](const YamlNode& node) -> std::optional<std::string> {
    if (node.kind == YamlNode::Kind::scalar && node.text == "any") {
      out.reset();
      return std::nullopt;
    }
    return node.kind == YamlNode::Kind::list ? listed(node) : not_what(node, "any, or a list");
  };
}

std::vector<Key> keys_of_places(AllowedPlaces& allow) {
  return {
      {"allow", {}},
      {"allow.namespaces",
       rules(allow.namespaces, is_namespace_rule, "a pattern of names of network namespaces (like lab-*)"),
       {"`any` or list of patterns",
        "",
        "the named network namespaces in which members of the group may have their own jobs measure. The "
        "host's own "
        "namespace has no name, and is always allowed. See [access](access.md#where-members-may-measure)",
        {}}},
      {"allow.hosts",
       rules(allow.hosts, is_host_rule,
             "an address, a network without bits beyond its length (like 10.0.0.0/8) or a pattern of host "
             "names (like "
             "*.lab.example.net)"),
       {"`any` or list of addresses, networks and patterns of names",
        "",
        "the hosts to which such jobs may connect, with the addresses of local servers",
        {}}},
      {"allow.ports",
       rules(allow.ports, is_port_rule, "a port, or two with a - between them (like 5200-5299)"),
       {"`any` or list of ports", "", "the ports of these hosts", {}}},
  };
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks)

}  // namespace

std::vector<Key> keys_of_allow(AllowedPlaces& allow) {
  std::vector<Key> keys = keys_of_places(allow);
  std::ranges::move(keys_of_settings(allow.settings), std::back_inserter(keys));
  return keys;
}

}  // namespace netperfd::config
