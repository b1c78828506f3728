// The doctor's probes of what is not tracefs. All are cheap and asked anew each time.
#pragma once

#include "daemon/core/trace_ports.hpp"
#include "daemon/trace/catalogue_settings.hpp"
#include "daemon/trace/reasons.hpp"

namespace netperfd::trace {

// The initial PID namespace: the kernel's tracing knows tasks by their numbers there.
[[nodiscard]] core::Capability probe_pid_namespace(const CatalogueSettings& settings);
[[nodiscard]] core::Capability probe_perf_events();
// Named ones, and whether this process may enter one; it enters its own, which changes nothing.
[[nodiscard]] core::Capability probe_network_namespaces(const CatalogueSettings& settings);
// Asking for a socket makes a kernel that has SCTP as a module load it.
[[nodiscard]] core::Capability probe_sctp(const CatalogueSettings& settings, Reasons& reasons);
[[nodiscard]] core::Capability probe_iperf3(const Iperf3Facts& iperf3);
[[nodiscard]] core::Capability probe_kernel_symbols(const CatalogueSettings& settings, Reasons& reasons);
// Tried on a thread that ends at once.
[[nodiscard]] core::Capability probe_reader_priority();

}  // namespace netperfd::trace
