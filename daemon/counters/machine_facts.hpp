// The facts that are of the whole machine, whatever the network namespace.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "daemon/counters/fact_sheet.hpp"
#include "daemon/model/job_spec.hpp"

namespace netperfd::counters {

// Group kernel: release, version, build-id, command line, mitigations, huge pages.
void add_kernel_facts(const SystemRoots& roots, FactSheet& sheet);

// Groups cpu and clock: model, microcode, what is online and isolated, SMT, frequency and idle policy; the
// clocksource. A frequency that the hardware chooses from moment to moment is no fact.
void add_cpu_facts(const SystemRoots& roots, FactSheet& sheet);

// Groups module:NAME. `wanted` are modules whose code the run's packets pass or that are traced; added to
// them are those they depend on, and all loaded ones that can lie in the way of any packet without a device
// to show for it (congestion control, queueing disciplines, netfilter, traffic control actions). One that
// was wanted and is no loaded module has one fact, that it is built in.
void add_module_facts(const SystemRoots& roots, const std::set<std::string>& wanted, FactSheet& sheet);

// Groups sysctl:KEY, read as the calling thread's network namespace has them: net.core, net.ipv4's of TCP,
// UDP and IP and, with `host`, the few of the kernel that weigh on a measurement. A fact's key is "value",
// with "@netns" in another namespace than the host's own. Left out are secrets, what the kernel draws at
// random or works out of the memory that is free at boot (tcp_mem, udp_mem), and mere lists of what there is.
void add_sysctl_facts(const std::string& proc, const std::string& netns, bool host, FactSheet& sheet);

// Group iperf3: its version and what the job asked of it. The server's port is left out: the next job may
// need another.
void add_iperf3_facts(const Iperf3Spec& spec, std::string_view version, FactSheet& sheet);

// The GNU build id in the notes of an ELF file, in hexadecimal; empty where they have none.
[[nodiscard]] std::string build_id_of_notes(std::string_view notes);

}  // namespace netperfd::counters
