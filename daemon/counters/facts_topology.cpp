// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "daemon/counters/device_facts.hpp"

namespace netperfd::counters {
namespace {
constexpr std::string_view kTopologyGroup = "topology";
}

void add_topology_facts(const std::vector<NamespaceView>& views, const std::vector<NetnsNumber>& numbers,
                        const DevicePlace& device, FactSheet& sheet) {
  const NamespaceView& view = views[device.view];
  const Link& link = *view.find(device.index);
  const std::string label = view.label(link);
  std::string kind = link.kind;
  if (kind.empty()) kind = link.name == "lo" ? "loopback" : "hardware";
  sheet.add(kTopologyGroup, label + " kind", kind);
  if (link.master) {
    const Link* master = view.find(*link.master);
    sheet.add(kTopologyGroup, label + " master",
              master != nullptr ? master->name : "of another network namespace");
  }
  const std::vector<std::string> below = names_below(view, link);
  if (!below.empty()) sheet.add(kTopologyGroup, label + " below", fmt::format("{}", fmt::join(below, " ")));
  if (link.kind == "veth") {
    const auto peers = other_end(views, numbers, device);
    const Link* peer = peers.empty() ? nullptr : views[peers[0].view].find(peers[0].index);
    sheet.add(kTopologyGroup, label + " other end",
              peer != nullptr ? views[peers[0].view].label(*peer) : "in another network namespace");
  }
  if (!link.families.empty()) {
    sheet.add(kTopologyGroup, label + " addresses", fmt::format("{}", fmt::join(link.families, " ")));
  }
}

}  // namespace netperfd::counters
