// SPDX-License-Identifier: GPL-2.0-or-later
// Facts about the addresses of devices, in which older versions recorded "inet6" also if the device had only
// such IPv6 addresses as the kernel makes by itself, for example link-local ones. Newer versions record
// "inet6-configured", and nothing for the kernel's. So "inet inet6" may mean the same as "inet".
#pragma once

#include <string>
#include <string_view>

#include "daemon/analysis/compare/fact_values.hpp"

namespace netperfd::analysis {

[[nodiscard]] bool is_of_addresses(const FactKey& key);

// Whether the value leaves open if somebody configured an IPv6 address.
[[nodiscard]] bool may_be_of_kernel(std::string_view value);

// "inet" of "inet inet6" and of "inet inet6-configured"; empty if there is nothing else.
[[nodiscard]] std::string without_ipv6(std::string_view value);

}  // namespace netperfd::analysis
