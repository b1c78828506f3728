// SPDX-License-Identifier: GPL-2.0-or-later
// Facts about the whole machine, independent of the network namespace.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "daemon/counters/fact_sheet.hpp"
#include "daemon/model/job_spec.hpp"

namespace netperfd::counters {

// Group kernel: release, version, build-id, command line, mitigations, huge pages.
void add_kernel_facts(const SystemRoots& roots, FactSheet& sheet);

// Groups cpu and clock: model, microcode, online and isolated CPUs, SMT, frequency and idle policy; the
// clocksource. A frequency that the hardware chooses from moment to moment is not a fact.
void add_cpu_facts(const SystemRoots& roots, FactSheet& sheet);

// Groups module:NAME. `wanted` are modules that the run's packets pass through or that are traced. Added are
// the modules they depend on, and all loaded ones that can handle any packet without having a device
// (congestion control, queueing disciplines, netfilter, traffic control actions). A wanted module that is not
// a loaded module has one fact, that it is built in.
void add_module_facts(const SystemRoots& roots, const std::set<std::string>& wanted, FactSheet& sheet);

// Groups sysctl:KEY, read in the calling thread's network namespace: net.core, the keys of net.ipv4 for TCP,
// UDP and IP and, with `host`, the few of kernel that influence a measurement. A fact's key is "value", with
// "@netns" in another namespace than the host's own. Left out are secrets, values that the kernel draws at
// random or computes from the memory free at boot (tcp_mem, udp_mem), and mere lists of available features.
void add_sysctl_facts(const std::string& proc, const std::string& netns, bool host, FactSheet& sheet);

// Group latency: the job's probes, which it must have. Without iperf3 also the server.
void add_latency_facts(const JobSpec& spec, FactSheet& sheet);

// The GNU build id in the notes of an ELF file, in hexadecimal; empty if there is none.
[[nodiscard]] std::string build_id_of_notes(std::string_view notes);

}  // namespace netperfd::counters
