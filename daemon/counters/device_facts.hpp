// The facts of one network device on a run's path. Their keys begin with its label, "veth0@ring-a".
#pragma once

#include <set>
#include <string>

#include "daemon/counters/device_path.hpp"
#include "daemon/counters/fact_sheet.hpp"
#include "daemon/counters/namespace_view.hpp"

namespace netperfd::counters {

// Groups nic and qdisc. `modules` gets the module of its driver or kind.
void add_nic_facts(const NamespaceView& view, const Link& link, std::set<std::string>& modules,
                   FactSheet& sheet);

// Groups rps and xps (which CPUs take its packets on, and which queue each CPU sends by) and irq (which CPUs
// its interrupts may go to, by the names that their handlers have: their numbers are drawn anew).
void add_queue_facts(const SystemRoots& roots, const NamespaceView& view, const Link& link, FactSheet& sheet);

// Group topology: what kind of device it is, what it belongs to, stands on and leads to, and the families of
// its addresses. Hardware addresses and indexes, which are drawn anew, are none.
void add_topology_facts(const std::vector<NamespaceView>& views, const std::vector<NetnsNumber>& numbers,
                        const DevicePlace& device, FactSheet& sheet);

}  // namespace netperfd::counters
