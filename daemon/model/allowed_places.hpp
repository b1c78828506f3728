// SPDX-License-Identifier: GPL-2.0-or-later
// Where a member of the group may have netperfd measure: the key `allow` of root's configuration.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/job_spec.hpp"
#include "daemon/model/machine_setting.hpp"

namespace netperfd {

// A part that is absent allows everything, an empty one nothing.
struct AllowedPlaces {
  std::optional<std::vector<std::string>> namespaces = std::nullopt;  // patterns of names
  std::optional<std::vector<std::string>> hosts = std::nullopt;  // addresses, networks, patterns of names
  std::optional<std::vector<std::string>> ports = std::nullopt;  // "5201", "5200-5299"
  AllowedSettings settings = {};  // of the machine, which the sides of a design set

  [[nodiscard]] bool all() const { return !namespaces && !hosts && !ports && settings == AllowedSettings{}; }
  bool operator==(const AllowedPlaces&) const = default;
};

// Texts of the three lists.
[[nodiscard]] bool is_namespace_rule(std::string_view text);  // "lab-*"
[[nodiscard]] bool is_host_rule(
    std::string_view text);  // "10.0.0.0/8", "fe80::/10", "192.0.2.1", "*.lab.example"
[[nodiscard]] bool is_port_rule(std::string_view text);

// Whether one of the rules is for the host, which is a name or an address as a job names it.
//
// An address is compared with addresses and networks, however it is written: IPv4 mapped into IPv6 is IPv4, a
// zone is left out, and the address of no host (0.0.0.0, ::) is the loopback address, to which the kernel
// connects. Words that the resolver takes as an address (0x7f.1) are addresses too. A name is compared with
// the patterns of names, as it is written but for case and a final dot: what it resolves to is asked too late
// to be trusted, and whoever has the zone can change it. Only the rule `*` is for both.
[[nodiscard]] bool fits_host(const std::vector<std::string>& rules, std::string_view host);

// The keys of the job that are outside of `allowed`. The host's own namespace has no name and is always
// allowed.
[[nodiscard]] std::vector<JobProblem> check_allowed(const JobSpec& spec, const AllowedPlaces& allowed);

// Whether both jobs measure between the same ends.
[[nodiscard]] bool is_same_place(const JobSpec& a, const JobSpec& b);

// Whether each side of the job sets what a side of the other one sets, or nothing.
[[nodiscard]] bool sets_no_more(const JobSpec& job, const JobSpec& other);

// "namespaces lab-*; hosts 10.0.0.0/8; any port", and what describe() says of the settings, if there are any.
[[nodiscard]] std::string describe(const AllowedPlaces& allowed);

}  // namespace netperfd
