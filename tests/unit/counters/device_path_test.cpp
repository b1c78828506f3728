// SPDX-License-Identifier: GPL-2.0-or-later
// The devices that a run's packets pass through, in namespaces of a few links.
#include "daemon/counters/device_path.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "daemon/counters/device_facts.hpp"
#include "tests/unit/counters/fact_tree.hpp"

namespace netperfd::counters {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Link a_link(int index, const std::string& name, const std::string& kind = "") {
  Link link;
  link.index = index;
  link.name = name;
  link.kind = kind;
  return link;
}

Link an_end(int index, const std::string& name, int other, std::optional<int> netns) {
  Link link = a_link(index, name, "veth");
  link.lower = other;
  link.lower_netns = netns;
  return link;
}

Link port_of(int master, Link link) {
  link.master = master;
  return link;
}

// A host with a bridge of three veth ends and a NIC, and a client behind one of the ends.
struct Bridged {
  Bridged() {
    views.resize(2);
    views[0].links = {a_link(1, "lo"),
                      port_of(7, a_link(2, "eth0")),
                      port_of(7, an_end(3, "port-a", 2, 0)),
                      port_of(7, an_end(4, "port-b", 2, 5)),
                      a_link(5, "eth1"),
                      a_link(7, "br0", "bridge")};
    views[1].netns = "ring-a";
    views[1].links = {a_link(1, "lo"), an_end(2, "veth0", 3, 0)};
    numbers = {{.view = 0, .number = 0, .other = 1}, {.view = 1, .number = 0, .other = 0}};
  }
  std::vector<NamespaceView> views;
  std::vector<NetnsNumber> numbers;
};

std::vector<std::string> labels(const std::vector<NamespaceView>& views, const DevicePath& path) {
  std::vector<std::string> labels;
  for (const DevicePlace& place : path.devices) {
    labels.push_back(views[place.view].label(*views[place.view].find(place.index)));
  }
  return labels;
}

TEST(DevicePath, leads_over_a_veth_pair_to_its_bridge_and_out_by_the_card_but_to_nobody_elses_end) {
  const Bridged bridged;
  const DevicePath path = devices_on_path(bridged.views, bridged.numbers, {{1, 2}});
  EXPECT_THAT(labels(bridged.views, path), ElementsAre("veth0@ring-a", "port-a", "br0", "eth0"));
  EXPECT_FALSE(path.cut);
}

TEST(DevicePath, leads_from_a_bridge_to_all_of_its_ports_and_to_the_ends_that_are_known) {
  const Bridged bridged;
  const DevicePath path = devices_on_path(bridged.views, bridged.numbers, {{0, 7}});
  EXPECT_THAT(labels(bridged.views, path), ElementsAre("br0", "eth0", "port-a", "port-b", "veth0@ring-a"));
}

TEST(DevicePath, leads_from_a_vlan_to_what_it_stands_on) {
  std::vector<NamespaceView> views(1);
  views[0].links = {a_link(2, "eth0"), a_link(3, "eth0.5", "vlan")};
  views[0].links[1].lower = 2;
  EXPECT_THAT(labels(views, devices_on_path(views, {}, {{0, 3}})), ElementsAre("eth0.5", "eth0"));
}

TEST(DevicePath, is_cut_where_it_is_too_long) {
  std::vector<NamespaceView> views(1);
  views[0].links = {a_link(1, "br0", "bridge")};
  for (int i = 0; i < 30; ++i) views[0].links.push_back(port_of(1, a_link(i + 2, fmt::format("eth{}", i))));
  const DevicePath path = devices_on_path(views, {}, {{0, 1}});
  EXPECT_EQ(path.devices.size(), kMostDevices);
  EXPECT_TRUE(path.cut);
}

TEST(DevicePath, of_a_device_that_went_away_is_empty) {
  const Bridged bridged;
  EXPECT_THAT(devices_on_path(bridged.views, bridged.numbers, {{1, 99}}).devices, IsEmpty());
}

TEST(TopologyFacts, say_what_a_device_is_and_leads_to) {
  const Bridged bridged;
  FactSheet sheet;
  for (const int index : {3, 4, 7}) add_topology_facts(bridged.views, bridged.numbers, {0, index}, sheet);
  EXPECT_THAT(
      sheet.take("").facts,
      ElementsAre(Fact{"topology", "br0 below", "eth0 port-a port-b"}, Fact{"topology", "br0 kind", "bridge"},
                  Fact{"topology", "port-a kind", "veth"}, Fact{"topology", "port-a master", "br0"},
                  Fact{"topology", "port-a other end", "veth0@ring-a"},
                  Fact{"topology", "port-b kind", "veth"}, Fact{"topology", "port-b master", "br0"},
                  Fact{"topology", "port-b other end", "in another network namespace"}));
}

class QueueFacts : public FactTree {
 protected:
  QueueFacts() { view.sys = roots.sys; }
  Fingerprint take() {
    add_queue_facts(roots, view, a_link(2, "eth0"), sheet);
    return sheet.take("");
  }
  NamespaceView view;
};

TEST_F(QueueFacts, name_interrupts_by_their_handlers) {
  link("sys/class/net/eth0/device", "../../../devices/pci0/0000:01:00.0");
  put("sys/devices/pci0/0000:01:00.0/msi_irqs/34", "msix\n");
  put("sys/devices/pci0/0000:01:00.0/msi_irqs/35", "msix\n");
  for (const char* number : {"34", "35", "36"}) {
    put(fmt::format("proc/irq/{}/smp_affinity_list", number), fmt::format("{}\n", number));
    put(fmt::format("proc/irq/{}/spurious", number), "count 0\n");
    std::filesystem::create_directories(folder / fmt::format("proc/irq/{0}/eth0-TxRx-{0}", number));
  }
  EXPECT_THAT(take().facts,
              ElementsAre(Fact{"irq", "eth0 eth0-TxRx-34", "34"}, Fact{"irq", "eth0 eth0-TxRx-35", "35"}));
}

TEST_F(QueueFacts, find_interrupts_without_msi_by_the_name_of_the_device) {
  link("sys/class/net/eth0/device", "../../../devices/mmio/virtio3");
  std::filesystem::create_directories(folder / "sys/devices/mmio/virtio3");
  put("proc/irq/5/smp_affinity_list", "0-1\n");
  std::filesystem::create_directories(folder / "proc/irq/5/virtio3");
  put("proc/irq/6/smp_affinity_list", "0\n");
  std::filesystem::create_directories(folder / "proc/irq/6/virtio30");
  EXPECT_THAT(take().facts, ElementsAre(Fact{"irq", "eth0 virtio3", "0-1"}));
}

TEST_F(QueueFacts, are_told_in_one_where_all_queues_are_alike) {
  for (const char* queue : {"rx-0", "rx-1"})
    put(fmt::format("sys/class/net/eth0/queues/{}/rps_cpus", queue), "f\n");
  put("sys/class/net/eth0/queues/tx-0/xps_cpus", "1\n");
  put("sys/class/net/eth0/queues/tx-1/xps_cpus", "2\n");
  put("sys/class/net/eth0/queues/tx-0/byte_queue_limits/limit_max", "1879048192\n");
  EXPECT_THAT(take().facts, ElementsAre(Fact{"rps", "eth0 rps_cpus", "f"},
                                        Fact{"xps", "eth0 byte_queue_limits/limit_max", "1879048192"},
                                        Fact{"xps", "eth0 xps_cpus", "1 (tx-0), 2 (tx-1)"}));
}

}  // namespace
}  // namespace netperfd::counters
