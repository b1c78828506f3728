// SPDX-License-Identifier: GPL-2.0-or-later
// The doctor's probes outside tracefs. All are cheap and run at each request.
#pragma once

#include "daemon/core/ports/catalogue.hpp"
#include "daemon/trace/catalogue/catalogue_settings.hpp"
#include "daemon/trace/catalogue/reasons.hpp"

namespace netperfd::trace {

// Must be the initial PID namespace, whose pids the kernel's tracing uses.
[[nodiscard]] core::Capability probe_pid_namespace(const CatalogueSettings& settings);
[[nodiscard]] core::Capability probe_perf_events();
// Lists named ones and checks whether this process may enter one: it enters its own, which changes nothing.
[[nodiscard]] core::Capability probe_network_namespaces(const CatalogueSettings& settings);
// Creating a socket makes the kernel load SCTP if it is a module.
[[nodiscard]] core::Capability probe_sctp(const CatalogueSettings& settings, Reasons& reasons);
[[nodiscard]] core::Capability probe_iperf3(const Iperf3Facts& iperf3);
[[nodiscard]] core::Capability probe_latency(const CatalogueSettings& settings);
// The programs of installed scenarios.
[[nodiscard]] core::Capability probe_benchmarks(const CatalogueSettings& settings);
[[nodiscard]] core::Capability probe_kernel_symbols(const CatalogueSettings& settings, Reasons& reasons);
// Tried on a thread that ends immediately.
[[nodiscard]] core::Capability probe_reader_priority();
// How the processes of a run are ended with it.
[[nodiscard]] core::Capability judge_run_groups(const CatalogueSettings& settings);

}  // namespace netperfd::trace
