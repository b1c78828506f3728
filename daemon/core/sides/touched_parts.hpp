// SPDX-License-Identifier: GPL-2.0-or-later
// Which parts of the machine a command or a design may change, as far as their words tell, so that what one
// job left blocks only the designs that it concerns.
//
// A part is a text for people: "namespace left", "device eth1", "device veth0@left", "module hsr", "sysctl
// net.ipv4.tcp_sack", "interrupt 30", "governor", or "program /x/switch" for a program whose words mean
// something only to itself.
#pragma once

#include <string>
#include <vector>

#include "daemon/core/ports/machine_parts.hpp"
#include "daemon/model/design.hpp"

namespace netperfd::core {

// Knows the words of ip, tc, bridge, ethtool, sysctl, modprobe, insmod and rmmod. Never empty for a command.
[[nodiscard]] std::vector<std::string> parts_of_command(const std::vector<std::string>& argv);
// Of both sides, with all their builds, and of all points of a sweep.
[[nodiscard]] std::vector<std::string> parts_of_design(const Design& design);

// Those of `a` that `b` has too.
[[nodiscard]] std::vector<std::string> common_parts(const std::vector<std::string>& a,
                                                    const std::vector<std::string>& b);

// The namespace or device that the command needs and that is gone: "namespace left". Empty: none is known of.
[[nodiscard]] std::string gone_part(const MachineParts& parts, const std::vector<std::string>& argv);

}  // namespace netperfd::core
