// SPDX-License-Identifier: GPL-2.0-or-later
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

// Groups rps and xps (the CPUs that receive its packets, and the queue that each CPU sends on) and irq (the
// CPUs that its interrupts may go to). Interrupts are identified by their handlers' names, because their
// numbers change.
void add_queue_facts(const SystemRoots& roots, const NamespaceView& view, const Link& link, FactSheet& sheet);

// Group topology: the kind of the device, the devices above, below and at its other end, and the families of
// its addresses. Hardware addresses, indexes and the addresses that the kernel makes by itself are left out,
// because they change.
void add_topology_facts(const std::vector<NamespaceView>& views, const std::vector<NetnsNumber>& numbers,
                        const DevicePlace& device, FactSheet& sheet);

}  // namespace netperfd::counters
