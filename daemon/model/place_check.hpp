// SPDX-License-Identifier: GPL-2.0-or-later
// The rules for the two ends of a measurement, which are the same for all workloads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/model/job_spec.hpp"
#include "daemon/model/workload_problems.hpp"

namespace netperfd {

enum class Family { none, v4, v6 };
// Family of a numeric address; an IPv6 address may have a zone, as in fe80::1%eth0.
[[nodiscard]] Family family_of(const std::string& address);

// The value of a DSCP given as a number or by its name.
[[nodiscard]] std::optional<std::uint32_t> dscp_of(const std::string& text);
// The same, or a name that only iperf3 knows.
[[nodiscard]] bool is_dscp(const std::string& text);

// Server, local, netns, bind, ip_version and server_wait.
void check_place(const TestSpec& place, WorkloadProblems& problems);
// Of a workload that may measure without a server.
void check_place_of_any(const TestSpec& place, WorkloadProblems& problems);

}  // namespace netperfd
